package kind

import (
	"errors"
	"testing"

	. "github.com/onsi/gomega"
	kinderrors "sigs.k8s.io/kind/pkg/errors"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

func TestOnlyCrictlMayFailWhenLogsAreExported(t *testing.T) {
	failed := func(command ...string) error {
		return kinderrors.Wrap(&kindexec.RunError{Command: command, Inner: errors.New("exit status 126")}, "collect")
	}
	crictl, journal := failed("docker", "exec", "n", "crictl", "images"), failed("docker", "exec", "n", "journalctl")
	for name, tt := range map[string]struct {
		given error
		left  bool
	}{
		"nothing failed":           {nil, false},
		"one node has no crictl":   {crictl, false},
		"no node has crictl":       {kinderrors.NewAggregate([]error{crictl, failed("crictl", "images")}), false},
		"something else failed":    {journal, true},
		"something else too":       {kinderrors.NewAggregate([]error{crictl, journal}), true},
		"something else, nested":   {kinderrors.NewAggregate([]error{crictl, kinderrors.NewAggregate([]error{crictl, journal})}), true},
		"it was no command at all": {errors.New("disk full"), true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			left := withoutCrictl(tt.given)
			g.Expect(left != nil).To(Equal(tt.left), "%v", left)
			if left != nil {
				g.Expect(left.Error()).NotTo(ContainSubstring("crictl"))
			}
		})
	}
}
