package implementation

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

func TestTheUsersAreThoseOfTheWayItIsLaunched(t *testing.T) {
	g := NewWithT(t)
	catalogue, err := requirements.Load()
	g.Expect(err).NotTo(HaveOccurred())
	for name, users := range map[string]struct{ process, image string }{
		"reference":               {"system:serviceaccount:rollcall-system:rollcall-reference", "system:serviceaccount:rollcall-system:rollcall-reference"},
		"kube-controller-manager": {"system:kube-controller-manager", "system:serviceaccount:kube-system:rollcall-kube-controller-manager"},
	} {
		i, err := Load(name, catalogue)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(i.Users(LaunchOptions{})).To(HaveExactElements(users.process), name)
		g.Expect(i.Users(LaunchOptions{Machines: noMachines{}})).To(HaveExactElements(users.image), name)
	}
	g.Expect((&Implementation{}).Users(LaunchOptions{})).To(BeEmpty(), "launched by others")

	i, err := Load("reference", catalogue)
	g.Expect(err).NotTo(HaveOccurred())
	i.Launch.Image.Deployment.Name = "another"
	_, err = i.Users(LaunchOptions{Machines: noMachines{}})
	g.Expect(err).To(MatchError(ContainSubstring("no manifest holds a Deployment rollcall-system/another")))
}

// noMachines are there, and nothing is asked of them.
type noMachines struct{ Machines }
