package kind

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestTheControlPlaneKeepsAnAuditLogByThePolicy(t *testing.T) {
	g := NewWithT(t)
	config, err := configuration(2, host{sysResource: true}.patches())
	g.Expect(err).NotTo(HaveOccurred())
	for _, node := range config.Nodes {
		g.Expect(node.ExtraMounts).To(BeEmpty(), "the engine may be on another machine")
	}
	g.Expect(config.KubeadmConfigPatches).To(HaveLen(2))
	g.Expect(config.KubeadmConfigPatches[1]).To(MatchYAML(`
kind: ClusterConfiguration
apiServer:
  extraArgs:
    audit-policy-file: /etc/kubernetes/rollcall-audit/policy.yaml
    audit-log-path: /var/log/kubernetes/rollcall-audit/audit.log
    audit-log-mode: blocking
    audit-log-maxsize: "1000000"
  extraVolumes:
  - {name: rollcall-audit-policy, hostPath: /etc/kubernetes/rollcall-audit/policy.yaml, mountPath: /etc/kubernetes/rollcall-audit/policy.yaml, readOnly: true, pathType: File}
  - {name: rollcall-audit-log, hostPath: /var/log/kubernetes/rollcall-audit, mountPath: /var/log/kubernetes/rollcall-audit, readOnly: false, pathType: DirectoryOrCreate}
`))
}

// TestTheLogIsReadOnTheMachine runs the command here instead.
func TestTheLogIsReadOnTheMachine(t *testing.T) {
	file := filepath.Join(t.TempDir(), "audit.log")
	if err := os.WriteFile(file, []byte("one a\ntwo 'b\nthree a*\nfour"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		position int64
		texts    []string
		want     string
	}{
		"all":                         {0, nil, "one a\ntwo 'b\nthree a*\nfour\n"},
		"from a position":             {6, nil, "two 'b\nthree a*\nfour\n"},
		"lines with a text":           {6, []string{"a*"}, "three a*\n"},
		"lines with one of the texts": {0, []string{"'b", "four"}, "two 'b\nfour\n"},
		"no line":                     {0, []string{"-five"}, ""},
		"behind the end":              {1000, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			command := linesFrom(file, tt.position, tt.texts)
			said, err := exec.Command(command[0], command[1:]...).Output()
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			NewWithT(t).Expect(string(said)).To(Equal(tt.want))
		})
	}
	command := linesFrom(file+"-that-is-not-there", 0, nil)
	NewWithT(t).Expect(exec.Command(command[0], command[1:]...).Run()).NotTo(Succeed())
}

func TestTheLogIsTheControlPlanes(t *testing.T) {
	g := NewWithT(t)
	said, failure := " 42\n", error(nil)
	log := auditLog{machine: "control-plane", run: func(_ context.Context, machine string, command ...string) (string, error) {
		g.Expect(machine).To(Equal("control-plane"))
		g.Expect(strings.Join(command, " ")).To(ContainSubstring("/var/log/kubernetes/rollcall-audit/audit.log"))
		return said, failure
	}}
	g.Expect(log.End(t.Context())).To(BeEquivalentTo(42))
	in, err := log.From(t.Context(), 42)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(io.ReadAll(in)).To(BeEquivalentTo(" 42\n"))

	said = "stat: no such file"
	_, err = log.End(t.Context())
	g.Expect(err).To(HaveOccurred())
	failure = errors.New("no such machine")
	_, err = log.End(t.Context())
	g.Expect(err).To(MatchError(failure))
	_, err = log.From(t.Context(), 0)
	g.Expect(err).To(MatchError(failure))
}
