package kind

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestOnlyOursWhoseOwnerIsGoneAreOrphans(t *testing.T) {
	g := NewWithT(t)
	o := owners{dir: t.TempDir()}
	for _, name := range []string{"rollcall-crashed", "rollcall-alive", "rollcall-gone", "mine"} {
		lock, err := o.claim(name)
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(lock).NotTo(BeNil())
		if name != "rollcall-alive" {
			// As the kernel does when the owner ends, however it ends.
			g.Expect(lock.Close()).To(Succeed())
		}
	}
	// rollcall-kept has no lock, and mine is a name that a person may use for a cluster of another kind.
	found, err := o.orphans([]string{"rollcall-crashed", "rollcall-alive", "rollcall-kept", "mine", "kind"})
	g.Expect(err).NotTo(HaveOccurred())
	exists := map[string]bool{}
	for _, orphan := range found {
		exists[orphan.name] = orphan.exists
	}
	g.Expect(exists).To(Equal(map[string]bool{"rollcall-crashed": true, "rollcall-gone": false}))

	again, err := o.orphans([]string{"rollcall-crashed"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(BeEmpty(), "somebody is removing them already")
	for _, orphan := range found {
		g.Expect(disown(orphan.lock)).To(Succeed())
	}
	again, err = o.orphans([]string{"rollcall-crashed"})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(BeEmpty(), "their locks are gone")
}

func TestANameHasOneOwner(t *testing.T) {
	g := NewWithT(t)
	o := owners{dir: t.TempDir()}
	first, err := o.claim("rollcall-a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first).NotTo(BeNil())
	second, err := o.claim("rollcall-a")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second).To(BeNil())
	g.Expect(disown(first)).To(Succeed())
	g.Expect(o.path("rollcall-a")).NotTo(BeAnExistingFile())
}
