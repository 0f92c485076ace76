package spec

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/implementation"
)

// kubeconfigs is a cluster that hands them out, and nothing else.
type kubeconfigs struct{ cluster.Cluster }

func (kubeconfigs) KubeconfigFor(context.Context, string, ...string) (string, error) {
	return "kubeconfig", nil
}

func (kubeconfigs) SwitchOff(context.Context, ...string) error { return nil }

// shell is an implementation that others use after the spec. It prints its flag and then runs, or ends if it is told to by ENDS.
func shell(t *testing.T) *own {
	t.Helper()
	g := NewWithT(t)
	sh, err := exec.LookPath("sh")
	g.Expect(err).NotTo(HaveOccurred())
	tested := &implementation.Implementation{Name: "mine", Launch: implementation.LaunchSpec{
		Process: &implementation.ProcessSpec{Executable: sh, Args: []string{"-c", `echo "$0"; [ -z "$ENDS" ] || exit 3; exec sleep 600`, "--level=1"}},
	}}
	dir := t.TempDir()
	o := &own{tested: tested, cluster: kubeconfigs{}, shared: true}
	o.running, err = implementation.Launch(t.Context(), tested, implementation.LaunchOptions{
		Cluster: kubeconfigs{}, Artifact: implementation.Artifact{Executable: sh}, RunDir: filepath.Join(dir, "run"), LogPath: filepath.Join(dir, "log"),
	})
	g.Expect(err).NotTo(HaveOccurred())
	t.Cleanup(func() { g.Expect(o.running.Stop(context.Background())).To(Succeed()) })
	return o
}

func (o *own) prints() []string { return o.running.LogTail(5) }

func TestWhatWasRestartedOtherwiseIsPutBackWhenTheSpecIsOver(t *testing.T) {
	for name, tt := range map[string]struct {
		then func(*testing.T, *own)
		says string
	}{
		"at once": {then: func(*testing.T, *own) {}},
		"after it was handed over": {then: func(t *testing.T, o *own) {
			NewWithT(t).Expect(o.handBack(t.Context())).To(Succeed())
		}},
		"after it ended by itself": {
			then: func(t *testing.T, o *own) {
				g := NewWithT(t)
				g.Expect(o.restartWith(t.Context(), implementation.Change{Env: map[string]string{"ENDS": "yes"}})).To(Succeed())
				g.Eventually(o.running.Exited(), "10s").Should(BeClosed())
			},
			says: "restarting mine: it ended by itself before: exit status 3",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			o := shell(t)
			g.Eventually(o.prints, "10s").Should(Equal([]string{"--level=1"}))
			g.Expect(o.restartWith(t.Context(), implementation.Change{Args: []string{"--level=2"}})).To(Succeed())
			g.Eventually(o.prints, "10s").Should(Equal([]string{"--level=2"}))
			tt.then(t, o)
			err := o.release(t.Context())
			if tt.says == "" {
				g.Expect(err).NotTo(HaveOccurred())
			} else {
				g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			}
			g.Eventually(o.prints, "10s").Should(Equal([]string{"--level=1"}))
			g.Expect(o.running.ExitStatus()).To(BeEmpty())
		})
	}
}

func TestAChangeThatCannotBeMadeLeavesNothingToPutBack(t *testing.T) {
	g := NewWithT(t)
	o := shell(t)
	err := o.restartWith(t.Context(), implementation.Change{Gates: map[string]bool{"Unheard": true}})
	g.Expect(err).To(MatchError(errors.ErrUnsupported))
	g.Expect(o.changed).To(BeFalse())
}
