package image_test

import (
	"archive/tar"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"testing"

	"github.com/google/go-containerregistry/pkg/v1/mutate"
	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/image"
)

func TestABundleHasItsFilesAndTheirFoldersAndNothingElse(t *testing.T) {
	g := NewWithT(t)
	binary := filepath.Join(t.TempDir(), "greet")
	g.Expect(os.Rename(filepath.Join(cacheWith(t, program(t, "hello")), "greet-linux-amd64"), binary)).To(Succeed())
	bundle := image.Bundle{
		Repository: "rollcall.test/bundle", Entrypoint: []string{"/bin/greet"}, Env: []string{"HOME=/tmp"}, Architecture: "amd64",
		Layers: [][]image.File{
			{{Path: "/opt/tools/greet", Program: binary}, {Path: "/bin/greet", Link: "/opt/tools/greet"}},
			{{Path: "/tmp"}, {Path: "/etc/words", Content: []byte("hello\n")}},
		},
	}
	first, err := image.Pack(filepath.Join(t.TempDir(), "image.tar"), bundle)
	g.Expect(err).NotTo(HaveOccurred())
	second, err := image.Pack(filepath.Join(t.TempDir(), "image.tar"), bundle)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second.Digest).To(Equal(first.Digest))
	g.Expect(os.ReadFile(second.Path)).To(Equal(must(os.ReadFile(first.Path))))

	opened := open(t, first)
	config, err := opened.ConfigFile()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.Config.User).To(Equal(image.DefaultUser))
	g.Expect(config.Config.Entrypoint).To(Equal([]string{"/bin/greet"}))
	layers, err := opened.Layers()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(layers).To(HaveLen(2))
	files := tar.NewReader(mutate.Extract(opened))
	var found []string
	for {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(header.ModTime).To(BeTemporally("==", image.FileTime()))
		found = append(found, fmt.Sprintf("%s %o %s", path.Clean(header.Name), header.Mode, header.Linkname))
	}
	g.Expect(found).To(ConsistOf(
		"bin 755 ", "bin/greet 777 /opt/tools/greet", "opt 755 ", "opt/tools 755 ", "opt/tools/greet 555 ", "tmp 1777 ", "etc 755 ", "etc/words 444 "))
}

func TestABundleTakesStaticProgramsOnly(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "script")
	g.Expect(os.WriteFile(file, []byte("#!/bin/sh\n"), 0o755)).To(Succeed())
	output := filepath.Join(t.TempDir(), "image.tar")
	_, err := image.Pack(output, image.Bundle{Repository: "rollcall.test/bundle", Architecture: "amd64", Layers: [][]image.File{{{Path: "/script", Program: file}}}})
	g.Expect(err).To(MatchError(ContainSubstring(file)))
	g.Expect(output).NotTo(BeAnExistingFile())
}

// cacheWith is a cache in which the program was built.
func cacheWith(t *testing.T, p image.Program) string {
	t.Helper()
	p.Architecture = "amd64"
	cache := t.TempDir()
	build(t, cache, p)
	return cache
}

func must(content []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return content
}
