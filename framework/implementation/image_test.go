package implementation

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
)

func TestAnArchiveNamesItsImage(t *testing.T) {
	tag := func(text string) name.Tag {
		tag, err := name.NewTag(text)
		NewWithT(t).Expect(err).NotTo(HaveOccurred())
		return tag
	}
	other, err := mutate.Config(empty.Image, v1.Config{User: "1"})
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	one, two := filepath.Join(t.TempDir(), "one.tar"), filepath.Join(t.TempDir(), "two.tar")
	NewWithT(t).Expect(errors.Join(
		tarball.WriteToFile(one, tag("example.test/x:v1"), empty.Image),
		tarball.MultiWriteToFile(two, map[name.Tag]v1.Image{tag("example.test/x:v1"): empty.Image, tag("example.test/y:v1"): other}),
		os.WriteFile(one+".txt", []byte("no archive"), 0o600),
	)).To(Succeed())
	for archive, says := range map[string]string{
		one: "", two: "two.tar must hold one image with a tag", one + ".txt": "reading the archive ", "/nowhere.tar": "reading the archive /nowhere.tar: open ",
	} {
		t.Run(filepath.Base(archive), func(t *testing.T) {
			g := NewWithT(t)
			i := &Implementation{Name: "mine", Launch: LaunchSpec{Image: &ImageSpec{Archive: archive}}}
			got, err := i.Build(t.Context(), BuildOptions{Machines: true})
			if says != "" {
				g.Expect(err).To(MatchError(SatisfyAll(HavePrefix("preparing the image of the implementation mine: "), ContainSubstring(says))))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(Artifact{Image: "example.test/x:v1", Archive: archive}))
		})
	}
	i := &Implementation{Name: "mine", Launch: LaunchSpec{Image: &ImageSpec{Reference: "example.test/x:v3"}}}
	NewWithT(t).Expect(i.Build(t.Context(), BuildOptions{Machines: true})).To(Equal(Artifact{Image: "example.test/x:v3"}))
}

func TestTheControlPlanesImageIsThatOfItsPod(t *testing.T) {
	g := NewWithT(t)
	pod := func(component, container string) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: component, Labels: map[string]string{"component": component}},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "sidecar", Image: "s"}, {Name: container, Image: "example.test/" + component}}},
		}
	}
	c := fake.NewClientBuilder().WithObjects(pod("etcd", "etcd"), pod("kube-controller-manager", "kube-controller-manager")).Build()
	g.Expect(controlPlaneImage(t.Context(), c, "kube-controller-manager")).To(Equal("example.test/kube-controller-manager"))
	_, err := controlPlaneImage(t.Context(), c, "kube-scheduler")
	g.Expect(err).To(MatchError(ContainSubstring("no pod in kube-system with the label component=kube-scheduler")))
}
