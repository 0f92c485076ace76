package implementation

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/types"
)

// manifest holds a Deployment mine/controller.
const manifest = `apiVersion: v1
kind: Namespace
metadata: {name: mine}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: controller, namespace: mine}
spec:
  replicas: 2
  template:
    spec:
      containers:
        - image: ${IMAGE}
          args: ["${NOT_OURS}"]
`

// loadImage loads a file with these lines below launch.image, beside some manifests.
func loadImage(t *testing.T, lines ...string) (*Implementation, error) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "conformance")
	for name, text := range map[string]string{
		"cmd/x/main.go":    "package main\n",
		"../cmd/x/main.go": "package main\n",
		"mine.yaml":        strings.Replace(least, "{none: {}}", "\n    image:\n      "+strings.Join(lines, "\n      "), 1),
		"deploy.yaml":      manifest,
		"idle.yaml":        strings.Replace(manifest, "replicas: 2", "replicas: 0", 1),
		"odd.yaml":         strings.Replace(manifest, "replicas: 2", "replicas: two", 1),
		"imageless.yaml":   strings.Replace(manifest, "${IMAGE}", "example.test/x:v1", 1),
	} {
		path := filepath.Join(dir, name)
		NewWithT(t).Expect(errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600))).To(Succeed())
	}
	return Load(filepath.Join(dir, "mine.yaml"), catalogue(t))
}

const (
	theManifests  = "manifests: [deploy.yaml]"
	theDeployment = "deployment: {namespace: mine, name: controller}"
)

func TestAnImageIsBuiltOrGivenAndComesWithManifests(t *testing.T) {
	for line, want := range map[string]ImageSpec{
		"goPackage: ../cmd/x":                   {GoPackage: "../cmd/x"},
		"archive: ./x.tar":                      {Archive: "./x.tar"},
		"reference: example.test/x:v1":          {Reference: "example.test/x:v1"},
		"controlPlane: kube-controller-manager": {ControlPlane: "kube-controller-manager"},
	} {
		t.Run(line, func(t *testing.T) {
			g := NewWithT(t)
			i, err := loadImage(t, line, theManifests, theDeployment)
			g.Expect(err).NotTo(HaveOccurred())
			want.Manifests = []Manifest{{Path: "deploy.yaml", Content: []byte(manifest)}}
			want.Deployment = types.NamespacedName{Namespace: "mine", Name: "controller"}
			want.folder = filepath.Dir(i.File)
			g.Expect(*i.Launch.Image).To(Equal(want))
			g.Expect(i.Launch.Process).To(BeNil())
			g.Expect(want.replicas()).To(BeEquivalentTo(2))
		})
	}
}

func TestOnlyTheImageIsPutIntoManifests(t *testing.T) {
	s := ImageSpec{Manifests: []Manifest{{Path: "deploy.yaml", Content: []byte(manifest)}}}
	filled := s.with("example.test/x:v2")
	NewWithT(t).Expect(filled).To(HaveLen(1))
	NewWithT(t).Expect(string(filled[0].Content)).To(SatisfyAll(
		ContainSubstring("image: example.test/x:v2"), ContainSubstring("${NOT_OURS}"), Not(ContainSubstring("${IMAGE}")),
	))
}

func TestWhatIsWrongWithAnImageIsNamedByItsLine(t *testing.T) {
	const built = "goPackage: ./cmd/x" // line 8
	for name, tt := range map[string]struct {
		lines []string
		says  string
	}{
		"no image":                       {[]string{theManifests, theDeployment}, "8: spec.launch.image must have exactly one of goPackage, archive, reference and controlPlane"},
		"two images":                     {[]string{built, "archive: x.tar", theManifests, theDeployment}, "8: spec.launch.image must have exactly one of"},
		"an unknown field":               {[]string{built, "args: []", theManifests, theDeployment}, `9: unknown field "args" in spec.launch.image: allowed are goPackage, archive, reference, controlPlane, manifests, deployment`},
		"no manifests":                   {[]string{built, theDeployment}, "8: spec.launch.image has no manifests"},
		"no deployment":                  {[]string{built, theManifests}, "8: spec.launch.image has no deployment"},
		"half a deployment":              {[]string{built, theManifests, "deployment: {name: controller}"}, "10: spec.launch.image.deployment has no namespace"},
		"a deployment that is not there": {[]string{built, theManifests, "deployment: {namespace: mine, name: mine}"}, "8: spec.launch.image.deployment: no manifest holds a Deployment mine/mine"},
		"a deployment that never runs":   {[]string{built, "manifests: [idle.yaml]", theDeployment}, "8: spec.launch.image.deployment: Deployment mine/controller has 0 replicas"},
		"a deployment that is none":      {[]string{built, "manifests: [odd.yaml]", theDeployment}, "8: spec.launch.image.deployment: the Deployment mine/controller: "},
		"manifests without the image":    {[]string{built, "manifests: [imageless.yaml]", theDeployment}, "8: spec.launch.image.manifests: none says where the image goes: write image: ${IMAGE}"},
		"a manifest that is not there":   {[]string{built, "manifests: [no-such.yaml]", theDeployment}, "9: manifest no-such.yaml: open "},
		"a component of another kind":    {[]string{"controlPlane: etcd", theManifests, theDeployment}, `8: unknown component of the control plane "etcd": allowed are kube-controller-manager`},
		"a package without a name":       {[]string{"goPackage: ./..", theManifests, theDeployment}, `8: spec.launch.image.goPackage "./.." must end in the name of the main package's folder`},
		"a package that is not there":    {[]string{"goPackage: ./cmd/y", theManifests, theDeployment}, `8: spec.launch.image.goPackage "./cmd/y": there is no such folder`},
		"a reference that is not text":   {[]string{"reference: 5", theManifests, theDeployment}, "8: spec.launch.image.reference must be text"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := loadImage(t, tt.lines...)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring("mine.yaml:" + tt.says)))
		})
	}
}

func TestAShippedFileNamesNothingBesideIt(t *testing.T) {
	text := strings.Replace(least, "{none: {}}", "{image: {%s, manifests: [m], deployment: {namespace: mine, name: controller}}}", 1)
	for source, says := range map[string]string{
		"goPackage: ./cmd/x": `6: spec.launch.image.goPackage "./cmd/x": a shipped file is in no folder, use an import path`,
		"archive: ./x.tar":   `6: spec.launch.image.archive "./x.tar": a shipped file is in no folder, use an absolute path`,
	} {
		_, err := decode("shipped.yaml", fmt.Appendf(nil, text, source), "", catalogue(t), func(string) ([]byte, error) { return []byte(manifest), nil })
		NewWithT(t).Expect(err).To(MatchError(ContainSubstring(says)))
	}
}

func TestAnImageReachesNodesWithoutMachinesByReference(t *testing.T) {
	process := &ProcessSpec{}
	for name, tt := range map[string]struct {
		image *ImageSpec
		pull  bool
		want  way
	}{
		"a reference":                      {&ImageSpec{Reference: "example.test/x:v3"}, true, byImage},
		"the control plane's":              {&ImageSpec{ControlPlane: "kube-controller-manager"}, true, byImage},
		"an archive":                       {&ImageSpec{Archive: "x.tar"}, true, byProcess},
		"one that is built":                {&ImageSpec{GoPackage: "./x"}, true, byProcess},
		"a reference, but nobody has pods": {&ImageSpec{Reference: "example.test/x:v3"}, false, byProcess},
		"none":                             {nil, true, byProcess},
	} {
		t.Run(name, func(t *testing.T) {
			i := &Implementation{Name: "mine", Launch: LaunchSpec{Process: process, Image: tt.image}}
			NewWithT(t).Expect(i.way(i.reaches(false, tt.pull))).To(Equal(tt.want))
		})
	}
	alone := &Implementation{Name: "mine", Launch: LaunchSpec{Image: &ImageSpec{Archive: "x.tar"}}}
	_, err := alone.Installs(LaunchOptions{Pull: true})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("a reference where nobody loads images")))
}

func TestWhatALaunchInstallsIsKnownBefore(t *testing.T) {
	g := NewWithT(t)
	i := &Implementation{Name: "mine", Launch: LaunchSpec{
		Process: &ProcessSpec{Manifests: []Manifest{{Path: "rbac.yaml", Content: []byte("apiVersion: v1\nkind: Namespace\nmetadata: {name: mine}\n")}}},
		Image:   &ImageSpec{Reference: "x", Manifests: []Manifest{{Path: "m.yaml", Content: []byte(manifest)}}},
	}}
	names := func(options LaunchOptions) (names []string) {
		all, err := i.Installs(options)
		g.Expect(err).NotTo(HaveOccurred())
		for _, object := range all {
			names = append(names, object.GetKind()+" "+object.GetName())
		}
		return names
	}
	g.Expect(names(LaunchOptions{})).To(Equal([]string{"Namespace mine"}))
	g.Expect(names(LaunchOptions{Pull: true})).To(ContainElement("Deployment controller"))
}

func TestWithBothAnImageIsUsedWhereNodesHaveMachines(t *testing.T) {
	process, image := &ProcessSpec{}, &ImageSpec{}
	for name, tt := range map[string]struct {
		spec               LaunchSpec
		with, without      way
		refusesMachineless bool
	}{
		"both":    {spec: LaunchSpec{Process: process, Image: image}, with: byImage, without: byProcess},
		"process": {spec: LaunchSpec{Process: process}, with: byProcess, without: byProcess},
		"image":   {spec: LaunchSpec{Image: image}, with: byImage, refusesMachineless: true},
		"none":    {with: byOthers, without: byOthers},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			i := &Implementation{Name: "mine", Launch: tt.spec}
			g.Expect(i.way(true)).To(Equal(tt.with))
			got, err := i.way(false)
			if tt.refusesMachineless {
				g.Expect(err).To(MatchError(ContainSubstring("mine: its file has an image only, which takes nodes with kubelets")))
				_, err = i.Build(t.Context(), BuildOptions{})
				g.Expect(err).To(HaveOccurred())
				_, err = Launch(t.Context(), i, LaunchOptions{})
				g.Expect(err).To(HaveOccurred())
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(got).To(Equal(tt.without))
		})
	}
}
