package controlplane

import (
	"archive/zip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

// The fake Kubernetes: kubectl prints the version that the linker stamps into its staging module, as the real one does.
const (
	fakeKubectl = `package main

import (
	"fmt"

	"k8s.io/component-base/version"
)

func main() { fmt.Println("Client Version: " + version.Get()) }
`
	fakeVersion = `package version

var gitVersion, gitMajor, gitMinor = "v0.0.0-unstamped", "", ""

func Get() string { return gitVersion }
`
)

// fakeTools writes tool modules that build in a second and need no network.
func fakeTools(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	writeFiles(t, filepath.Join(dir, "kubernetes"), map[string]string{
		"go.mod": `module example.test/tools/kubernetes

go 1.21

require (
	k8s.io/component-base v0.37.0
	k8s.io/kubernetes v1.37.0
)

replace (
	k8s.io/component-base => ./component-base
	k8s.io/kubernetes => ./kubernetes
)
`,
		"component-base/go.mod":             "module k8s.io/component-base\n\ngo 1.21\n",
		"component-base/version/version.go": fakeVersion,
		"kubernetes/go.mod":                 "module k8s.io/kubernetes\n\ngo 1.21\n\nrequire k8s.io/component-base v0.37.0\n",
		"kubernetes/cmd/kubectl/main.go":    fakeKubectl,
	})
	writeFiles(t, filepath.Join(dir, "etcd"), map[string]string{
		"go.mod":           "module example.test/tools/etcd\n\ngo 1.21\n\nrequire go.etcd.io/etcd/server/v3 v3.7.3\n\nreplace go.etcd.io/etcd/server/v3 => ./server\n",
		"server/go.mod":    "module go.etcd.io/etcd/server/v3\n\ngo 1.21\n",
		"server/server.go": "package main\n\nfunc main() { println(\"etcd Version: 3.7.3\") }\n",
	})
	writeFiles(t, filepath.Join(dir, "kwok"), map[string]string{
		"go.mod": "module example.test/tools/kwok\n\ngo 1.21\n\nrequire sigs.k8s.io/kwok v0.8.0\n",
	})
	t.Setenv("GOPROXY", "off") // the promise of these tests
	return dir
}

// fakeProxy serves one version of the fake Kubernetes to the go command, with staging modules published under v0 as the real ones are.
func fakeProxy(t *testing.T, version string) {
	t.Helper()
	g := NewWithT(t)
	proxy, modCache := t.TempDir(), t.TempDir()
	staged := "v0" + strings.TrimPrefix(version, "v1")
	publishModule(t, proxy, "k8s.io/component-base", staged, map[string]string{
		"go.mod":             "module k8s.io/component-base\n\ngo 1.21\n",
		"version/version.go": fakeVersion,
	})
	publishModule(t, proxy, "k8s.io/kubernetes", version, map[string]string{
		"go.mod": "module k8s.io/kubernetes\n\ngo 1.21\n\nrequire k8s.io/component-base v0.0.0\n\n" +
			"replace k8s.io/component-base => ./staging/src/k8s.io/component-base\n",
		"go.sum":              "",
		"cmd/kubectl/main.go": fakeKubectl,
	})
	t.Setenv("GOPROXY", "file://"+proxy)
	t.Setenv("GOSUMDB", "off")
	t.Setenv("GOMODCACHE", modCache)
	t.Cleanup(func() {
		// The module cache is read-only, which the folder's own clean-up does not expect.
		clean := exec.Command("go", "clean", "-modcache")
		clean.Env = append(clean.Environ(), "GOMODCACHE="+modCache)
		output, err := clean.CombinedOutput()
		g.Expect(err).NotTo(HaveOccurred(), string(output))
	})
}

func publishModule(t *testing.T, proxy, module, version string, files map[string]string) {
	t.Helper()
	g := NewWithT(t)
	dir := filepath.Join(proxy, module, "@v")
	writeFiles(t, dir, map[string]string{
		"list":            version + "\n",
		version + ".info": fmt.Sprintf("{\"Version\": %q}", version),
		version + ".mod":  files["go.mod"],
	})
	archive, err := os.Create(filepath.Join(dir, version+".zip"))
	g.Expect(err).NotTo(HaveOccurred())
	writer := zip.NewWriter(archive)
	for name, text := range files {
		entry, err := writer.Create(module + "@" + version + "/" + name)
		g.Expect(err).NotTo(HaveOccurred())
		_, err = entry.Write([]byte(text))
		g.Expect(err).NotTo(HaveOccurred())
	}
	g.Expect(writer.Close()).To(Succeed())
	g.Expect(archive.Close()).To(Succeed())
}

func writeFiles(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	g := NewWithT(t)
	for name, text := range files {
		path := filepath.Join(dir, name)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		g.Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	}
}
