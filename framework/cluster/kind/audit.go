package kind

import (
	"context"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
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

// keepAuditLog has the cluster that is about to be created keep one.
func (c *Cluster) keepAuditLog() error {
	policy, err := writeAuditPolicy(c.dir)
	if err != nil {
		return err
	}
	return withAuditLog(c.own.config, policy)
}

// withAuditLog has kube-apiserver keep an audit log by the policy in a file of the engine's host.
func withAuditLog(config *v1alpha4.Cluster, policyFile string) error {
	patch, err := auditPatch()
	if err != nil {
		return err
	}
	config.KubeadmConfigPatches = append(config.KubeadmConfigPatches, patch)
	for i := range config.Nodes {
		if node := &config.Nodes[i]; node.Role == v1alpha4.ControlPlaneRole {
			node.ExtraMounts = append(node.ExtraMounts, v1alpha4.Mount{HostPath: policyFile, ContainerPath: auditPolicyPath, Readonly: true})
		}
	}
	return nil
}

// writeAuditPolicy writes the policy into the folder and returns its path.
func writeAuditPolicy(dir string) (string, error) {
	policy, err := audit.Policy()
	if err != nil {
		return "", err
	}
	// The engine wants it from its root.
	dir, err = filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("write the audit policy: %w", err)
	}
	file := filepath.Join(dir, "audit-policy.yaml")
	if err := os.WriteFile(file, policy, 0o644); err != nil {
		return "", fmt.Errorf("write the audit policy: %w", err)
	}
	return file, nil
}

// auditPatch is what kubeadm is to give kube-apiserver. Without an apiVersion and with arguments as a map, kind fits it to the kubeadm of every
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
