package implementation

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

func TestAPortableImplementationNeedsNothingButWhatIsBesideIt(t *testing.T) {
	g := NewWithT(t)
	catalogue, err := requirements.Load()
	g.Expect(err).NotTo(HaveOccurred())
	folder := t.TempDir()
	write := func(name, text string) {
		path := filepath.Join(folder, name)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(path, []byte(text), 0o755)).To(Succeed())
	}
	write("bin/controller", "")
	write("deploy/rbac.yaml", "apiVersion: v1\nkind: Namespace\nmetadata: {name: mine}\n")
	write("deploy/deployment.yaml", `apiVersion: apps/v1
kind: Deployment
metadata: {name: mine, namespace: mine}
spec: {template: {spec: {containers: [{name: mine, image: "${IMAGE}"}]}}}
`)
	write("mine.yaml", `apiVersion: rollcall.dev/v1alpha1
kind: Implementation
metadata: {name: mine}
spec:
  features: [DaemonSet]
  launch:
    image: {archive: ./image.tar, manifests: [./deploy/deployment.yaml], deployment: {namespace: mine, name: mine}}
    process:
      executable: ./bin/controller
      args: ["--kubeconfig=${KUBECONFIG}"]
      manifests: [./deploy/rbac.yaml]
`)
	made, err := MakePortable(t.Context(), filepath.Join(folder, "mine.yaml"), catalogue, BuildOptions{Dir: t.TempDir(), BinDir: t.TempDir()})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(made.Executable).To(Equal(filepath.Join(folder, "bin", "controller")))

	elsewhere := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(elsewhere, "mine.yaml"), made.Text, 0o600)).To(Succeed())
	for name, content := range made.Beside {
		g.Expect(os.WriteFile(filepath.Join(elsewhere, name), content, 0o600)).To(Succeed())
	}
	read, err := Load(filepath.Join(elsewhere, "mine.yaml"), catalogue)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Launch.Image).To(BeNil())
	g.Expect(read.Launch.Process.Executable).To(Equal("./" + PortableProgram))
	g.Expect(read.Launch.Process.Args).To(Equal([]string{"--kubeconfig=${KUBECONFIG}"}))
	g.Expect(string(read.Launch.Process.Manifests[0].Content)).To(ContainSubstring("kind: Namespace"))
}

func TestAControlPlaneProgramIsNotCarriedAlong(t *testing.T) {
	g := NewWithT(t)
	catalogue, err := requirements.Load()
	g.Expect(err).NotTo(HaveOccurred())
	bin := t.TempDir()
	g.Expect(os.WriteFile(filepath.Join(bin, "kube-controller-manager"), nil, 0o755)).To(Succeed())
	made, err := MakePortable(t.Context(), "kube-controller-manager", catalogue, BuildOptions{Dir: t.TempDir(), BinDir: bin})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(made.Executable).To(BeEmpty())
	g.Expect(string(made.Text)).To(ContainSubstring("executable: kube-controller-manager"))
}

func TestWhatRunsByNoProcessIsNotPortable(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(path, []byte(least), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := MakePortable(t.Context(), path, catalogue, BuildOptions{}); err == nil || !strings.Contains(err.Error(), "spec.launch has no process") {
		t.Errorf("got %v", err)
	}
}
