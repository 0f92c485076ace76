package kind

import (
	"os/exec"
	"testing"

	. "github.com/onsi/gomega"
	utilrand "k8s.io/apimachinery/pkg/util/rand"
)

// networkOwners have a network of their own, which does not exist.
func networkOwners(t *testing.T) owners {
	t.Helper()
	if _, err := findEngine(t.Context()); err != nil {
		t.Skip("no Docker engine answers")
	}
	o := owners{dir: t.TempDir(), network: "rollcall-test-" + utilrand.String(6)}
	t.Cleanup(func() { _ = exec.Command("docker", "network", "rm", o.network).Run() })
	return o
}

func (o owners) make(t *testing.T) func() error {
	return func() error {
		_, err := docker(t.Context(), "network", "create", o.network)
		return err
	}
}

func TestANetworkMadeForOurClustersGoesWithTheLastOfThem(t *testing.T) {
	g := NewWithT(t)
	o := networkOwners(t)
	images, err := docker(t.Context(), "images", "--quiet", "--filter", "reference="+ownRepository)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(o.withNetwork(t.Context(), o.make(t))).To(Succeed())
	g.Expect(o.withNetwork(t.Context(), func() error { return nil })).To(Succeed(), "a second cluster")

	if images != "" {
		container, err := docker(t.Context(), "create", "--network", o.network, lastLine(images))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(o.removeNetwork(t.Context())).To(Succeed())
		g.Expect(o.networkExists(t.Context())).To(BeTrue(), "a container uses it")
		_, err = docker(t.Context(), "rm", "--force", "--volumes", container)
		g.Expect(err).NotTo(HaveOccurred())
	}
	creating := o.networkLock()
	g.Expect(creating.RLock()).To(Succeed())
	g.Expect(o.removeNetwork(t.Context())).To(Succeed())
	g.Expect(o.networkExists(t.Context())).To(BeTrue(), "somebody is about to use it")
	g.Expect(creating.Close()).To(Succeed())

	g.Expect(o.removeNetwork(t.Context())).To(Succeed())
	g.Expect(o.networkExists(t.Context())).To(BeFalse())
	g.Expect(o.removeNetwork(t.Context())).To(Succeed(), "the second time")
}

func TestANetworkThatWasThereBeforeStays(t *testing.T) {
	g := NewWithT(t)
	o := networkOwners(t)
	g.Expect(o.make(t)()).To(Succeed())
	g.Expect(o.withNetwork(t.Context(), func() error { return nil })).To(Succeed())
	g.Expect(o.removeNetwork(t.Context())).To(Succeed())
	g.Expect(o.networkExists(t.Context())).To(BeTrue())
}
