package main

import (
	"archive/tar"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	. "github.com/onsi/gomega"
)

func imageOf(t *testing.T, text string) v1.Image {
	t.Helper()
	g := NewWithT(t)
	only, err := layer(textFile("dir/file", []byte(text)))
	g.Expect(err).NotTo(HaveOccurred())
	made, err := image("amd64", v1.Config{}, only)
	g.Expect(err).NotTo(HaveOccurred())
	return made
}

func TestAnArchiveNamesAllItsImagesToKindAndToDocker(t *testing.T) {
	g := NewWithT(t)
	kind, err := findKind(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	addOns, err := kind.addOnImages() // of Docker's own registry, which image libraries like to call by another name
	g.Expect(err).NotTo(HaveOccurred())
	repository, tag, _ := strings.Cut(addOns[0], ":")
	path := filepath.Join(t.TempDir(), "images.tar")
	g.Expect(writeArchive(path, map[string]v1.Image{
		addOns[0]:                     imageOf(t, "network"),
		"registry.test/kube-proxy:v2": imageOf(t, "proxy"),
	})).To(Succeed())

	file, err := os.Open(path)
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(file.Close()).To(Succeed()) }()
	reader := tar.NewReader(file)
	first, err := reader.Next()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(first.Name).To(Equal("repositories"), "kind reads the names from whichever index comes first")
	var repositories map[string]map[string]string
	g.Expect(json.NewDecoder(reader).Decode(&repositories)).To(Succeed())
	g.Expect(repositories).To(And(
		HaveKeyWithValue(repository, HaveKey(tag)),
		HaveKeyWithValue("registry.test/kube-proxy", HaveKey("v2")),
	))

	manifest, err := tarball.LoadManifest(func() (io.ReadCloser, error) { return os.Open(path) })
	g.Expect(err).NotTo(HaveOccurred())
	var tags []string
	for _, one := range manifest {
		tags = append(tags, one.RepoTags...)
	}
	g.Expect(tags).To(ConsistOf(addOns[0], "registry.test/kube-proxy:v2"))
}

func TestEveryImageTravelsInOneArchive(t *testing.T) {
	g := NewWithT(t)
	images := map[string]v1.Image{}
	for _, name := range []string{"r.test/kube-apiserver:v1", "r.test/kube-proxy:v1", "r.test/etcd:3", "r.test/coredns/coredns:v1", "r.test/kindnetd:v1"} {
		images[name] = nil
	}
	g.Expect(archived("kube-apiserver", images)).To(And(HaveLen(1), HaveKey("r.test/kube-apiserver:v1")))
	g.Expect(archived("kube-scheduler", images)).To(BeEmpty())
	g.Expect(archived("kube-proxy", images)).To(And(HaveLen(4), Not(HaveKey("r.test/kube-apiserver:v1"))))
}

func TestEqualContentsAreAnEqualImage(t *testing.T) {
	g := NewWithT(t)
	once, err := imageOf(t, "text").Digest()
	g.Expect(err).NotTo(HaveOccurred())
	again, err := imageOf(t, "text").Digest()
	g.Expect(err).NotTo(HaveOccurred())
	other, err := imageOf(t, "other").Digest()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(once))
	g.Expect(other).NotTo(Equal(once))
}
