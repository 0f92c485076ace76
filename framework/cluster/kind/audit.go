package kind

import (
	"context"
	"fmt"
	"io"
	"path"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/wait"
	"sigs.k8s.io/kind/pkg/cluster/constants"
	"sigs.k8s.io/kind/pkg/cluster/nodes"
	"sigs.k8s.io/kind/pkg/cluster/nodeutils"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/framework/audit"
)

// On the control plane's machine, and in kube-apiserver's container.
const (
	auditPolicyPath = "/etc/kubernetes/rollcall-audit/policy.yaml"
	auditLogDir     = "/var/log/kubernetes/rollcall-audit"
)

var _ audit.Keeper = (*Cluster)(nil)

// AuditLog implements audit.Keeper.
func (c *Cluster) AuditLog() audit.Log { return auditLog{run: c.Run, machine: c.controlPlane} }

// deliverAuditPolicy writes the policy onto the control plane's machine as soon as there is one, and returns then or when the context ends. kubeadm has
// much to do before kube-apiserver needs it; should it come later, kubelet tries again until it is there. So the engine may be on another machine, which a
// mount would not allow.
func (c *Cluster) deliverAuditPolicy(ctx context.Context) error {
	policy, err := audit.Policy(c.options.Workload)
	if err != nil {
		return err
	}
	var last error
	err = wait.PollUntilContextCancel(ctx, pollInterval, true, func(context.Context) (bool, error) {
		var machine nodes.Node
		if machine, last = c.findControlPlane(); last == nil {
			last = nodeutils.WriteFile(machine, auditPolicyPath, string(policy))
		}
		return last == nil, nil
	})
	if err != nil {
		return fmt.Errorf("write the audit policy onto the control plane's machine: %w: %w", err, last)
	}
	return nil
}

// findControlPlane returns the machine, which need not run yet.
func (c *Cluster) findControlPlane() (nodes.Node, error) {
	machines, err := c.provider.ListNodes(c.name)
	if err != nil {
		return nil, err
	}
	for _, machine := range machines {
		if role, err := machine.Role(); err == nil && role == constants.ControlPlaneNodeRoleValue {
			return machine, nil
		}
	}
	return nil, fmt.Errorf("kind cluster %s has no control plane yet", c.name)
}

// auditPatch is what kubeadm is to give kube-apiserver, for kubeadmConfigPatches. Without an apiVersion and with arguments as a map, kind fits it to the kubeadm of every
// Kubernetes version.
func auditPatch() (string, error) {
	type volume struct {
		Name      string `json:"name"`
		HostPath  string `json:"hostPath"`
		MountPath string `json:"mountPath"`
		ReadOnly  bool   `json:"readOnly"`
		PathType  string `json:"pathType"`
	}
	patch := map[string]any{"kind": "ClusterConfiguration", "apiServer": map[string]any{
		"extraArgs": audit.Arguments(auditPolicyPath, path.Join(auditLogDir, audit.FileName)),
		"extraVolumes": []volume{
			{Name: "rollcall-audit-policy", HostPath: auditPolicyPath, MountPath: auditPolicyPath, ReadOnly: true, PathType: "File"},
			{Name: "rollcall-audit-log", HostPath: auditLogDir, MountPath: auditLogDir, PathType: "DirectoryOrCreate"},
		},
	}}
	text, err := yaml.Marshal(patch)
	if err != nil {
		return "", fmt.Errorf("encode the patch for the audit log: %w", err)
	}
	return string(text), nil
}

// auditLog is the log on a machine.
type auditLog struct {
	run     func(ctx context.Context, machine string, command ...string) (string, error)
	machine string
}

// End implements audit.Log.
func (l auditLog) End(ctx context.Context) (int64, error) {
	said, err := l.run(ctx, l.machine, "stat", "--format=%s", path.Join(auditLogDir, audit.FileName))
	if err != nil {
		return 0, fmt.Errorf("find the end of the audit log: %w", err)
	}
	end, err := strconv.ParseInt(strings.TrimSpace(said), 10, 64)
	if err != nil {
		return 0, fmt.Errorf("find the end of the audit log: %w", err)
	}
	return end, nil
}

// From implements audit.Log: what is about others is left out on the machine.
func (l auditLog) From(ctx context.Context, position int64, texts ...string) (io.ReadCloser, error) {
	said, err := l.run(ctx, l.machine, linesFrom(path.Join(auditLogDir, audit.FileName), position, texts)...)
	if err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return io.NopCloser(strings.NewReader(said)), nil
}

// linesFrom is the command that prints a file's lines from behind the position that contain one of the texts. That none does is no failure.
func linesFrom(file string, position int64, texts []string) []string {
	script := `exec <"$2"; tail --bytes=+"$1" | { shift 2; grep --fixed-strings "$@" || [ $? -eq 1 ]; }`
	command := []string{"sh", "-c", script, "sh", strconv.FormatInt(position+1, 10), file}
	if len(texts) == 0 {
		// Every line contains nothing.
		texts = []string{""}
	}
	for _, text := range texts {
		command = append(command, "--regexp="+text)
	}
	return command
}
