package scenario

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
)

func TestImagesComeFromWhereTheyAre(t *testing.T) {
	g := NewWithT(t)
	s := &Scenario{namespace: "n", env: Environment{Images: "registry.test:5000/rollcall"}}
	image := func(edits ...Edit) string { return container(s.NewDaemonSet("daemon", edits...)).Image }
	g.Expect(image()).To(Equal("registry.test:5000/rollcall/daemon:v1"))
	g.Expect(image(Image("v2"))).To(Equal("registry.test:5000/rollcall/daemon:v2"))
	g.Expect(probePod(s.env.Images.Probe(), "worker", OnPort(20001), 25000).Spec.Containers[0].Image).To(Equal("registry.test:5000/rollcall/probe:v1"))
}

func TestAPodOfAllImagesHasEveryOneAndNoPortTwice(t *testing.T) {
	g := NewWithT(t)
	var images []string
	var ports []int32
	for _, c := range ImagesPod(daemonimage.Default).Containers {
		images = append(images, c.Image)
		ports = append(ports, c.ReadinessProbe.HTTPGet.Port.IntVal)
	}
	g.Expect(images).To(HaveLen(daemonimage.Versions + 1))
	g.Expect(images).To(ContainElements("rollcall.dev/daemon:v1", "rollcall.dev/daemon:v9", "rollcall.dev/probe:v1"))
	slices.Sort(ports)
	g.Expect(slices.Compact(slices.Clone(ports))).To(Equal(ports))
}
