package image_test

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/image"
)

// program writes a module with a program that prints a greeting.
func program(t *testing.T, greeting string) image.Program {
	t.Helper()
	dir := t.TempDir()
	for file, text := range map[string]string{
		"go.mod":         "module example.test/greeter\n\ngo 1.26\n",
		"greet/greet.go": "package main\n\nfunc main() { println(\"" + greeting + "\") }\n",
		"empty/empty.go": "package empty\n",
		"wrong/wrong.go": "package main\n\nfunc main() { undefinedThing() }\n",
	} {
		path := filepath.Join(dir, file)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	return image.Program{Dir: dir, Package: "./greet", Repository: "rollcall.test/greet", Labels: map[string]string{"purpose": "test"}}
}

func build(t *testing.T, cache string, p image.Program) image.Archive {
	t.Helper()
	archive, err := image.Build(t.Context(), cache, p)
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

func open(t *testing.T, archive image.Archive) v1.Image {
	t.Helper()
	tag, err := name.NewTag(archive.Reference)
	if err != nil {
		t.Fatal(err)
	}
	opened, err := tarball.ImageFromPath(archive.Path, &tag)
	if err != nil {
		t.Fatal(err)
	}
	return opened
}

func TestTheImageIsOneStaticBinaryThatIsTheEntrypoint(t *testing.T) {
	g := NewWithT(t)
	archive := build(t, t.TempDir(), program(t, "hello"))
	opened := open(t, archive)
	g.Expect(validate.Image(opened)).To(Succeed())
	config, err := opened.ConfigFile()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.OS).To(Equal("linux"))
	g.Expect(config.Created.Time).To(BeTemporally("==", time.Unix(0, 0)))
	g.Expect(config.Config).To(Equal(v1.Config{
		Entrypoint: []string{"/greet"}, User: image.DefaultUser, WorkingDir: "/", Labels: map[string]string{"purpose": "test"},
	}))
	id, err := opened.ConfigName()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(archive.ID).To(Equal(id.String()))

	layers, err := opened.Layers()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(layers).To(HaveLen(1))
	stream, err := layers[0].Uncompressed()
	g.Expect(err).NotTo(HaveOccurred())
	files := tar.NewReader(stream)
	header, err := files.Next()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(header.Name).To(Equal("greet"))
	g.Expect(header.FileInfo().Mode()).To(Equal(os.FileMode(0o555)))
	g.Expect(header.Uid).To(BeZero(), "whoever runs the program cannot change it")
	g.Expect(header.ModTime).To(BeTemporally("==", time.Unix(0, 0)))
	content, err := io.ReadAll(files)
	g.Expect(err).NotTo(HaveOccurred())
	_, err = files.Next()
	g.Expect(err).To(MatchError(io.EOF), "there is nothing else in the image")

	extracted := filepath.Join(t.TempDir(), "greet")
	g.Expect(os.WriteFile(extracted, content, 0o755)).To(Succeed())
	g.Expect(exec.Command(extracted).CombinedOutput()).To(BeEquivalentTo("hello\n"))
}

func TestTheSameSourceMakesTheSameBytesAnywhere(t *testing.T) {
	g := NewWithT(t)
	one, other := build(t, t.TempDir(), program(t, "hello")), build(t, t.TempDir(), program(t, "hello"))
	g.Expect(other.Digest).To(Equal(one.Digest))
	g.Expect(other.Reference).To(Equal(one.Reference))
	first, err := os.ReadFile(one.Path)
	g.Expect(err).NotTo(HaveOccurred())
	second, err := os.ReadFile(other.Path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second).To(Equal(first))
}

func TestWhateverIsInTheImageIsInItsTag(t *testing.T) {
	base := program(t, "hello")
	source, label, user := program(t, "good morning"), base, base
	label.Labels = map[string]string{"purpose": "another"}
	user.User = "0:0"
	cache := t.TempDir()
	references := map[string]string{build(t, cache, base).Reference: "base"}
	for name, changed := range map[string]image.Program{"source": source, "label": label, "user": user} {
		reference := build(t, cache, changed).Reference
		if same, taken := references[reference]; taken {
			t.Errorf("%s and %s are both %s", name, same, reference)
		}
		references[reference] = name
	}
}

func TestAnArchiveIsWrittenOnceAndMendedWhenDamaged(t *testing.T) {
	g := NewWithT(t)
	cache, p := t.TempDir(), program(t, "hello")
	written := build(t, cache, p)
	before, err := os.Stat(written.Path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(build(t, cache, p)).To(Equal(written))
	after, err := os.Stat(written.Path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(os.SameFile(before, after)).To(BeTrue(), "the second build takes what is there")

	renamed := p
	renamed.Repository = "rollcall.test/another"
	g.Expect(build(t, cache, renamed).Path).NotTo(Equal(written.Path), "the name is in the archive too")

	for name, damage := range map[string]func() error{
		"cut off": func() error { return os.Truncate(written.Path, before.Size()/2) },
		"one byte altered": func() error {
			content, err := os.ReadFile(written.Path)
			if err != nil {
				return err
			}
			content[len(content)/2] ^= 1
			return os.WriteFile(written.Path, content, 0o644)
		},
	} {
		g.Expect(damage()).To(Succeed(), name)
		g.Expect(build(t, cache, p)).To(Equal(written), name)
		g.Expect(validate.Image(open(t, written))).To(Succeed(), name)
	}
}

func TestTheArchiveHoldsAnImageOfItsOwnForEveryTag(t *testing.T) {
	g := NewWithT(t)
	cache, p := t.TempDir(), program(t, "hello")
	untagged := build(t, cache, p)
	p.Tags = []string{"v1", "v2"}
	tagged := build(t, cache, p)
	g.Expect(tagged.Reference).To(Equal(untagged.Reference), "tags are no part of the first image")
	ids := map[string]bool{tagged.ID: true}
	for _, text := range p.Tags {
		held := tagged
		held.Reference = "rollcall.test/greet:" + text
		g.Expect(validate.Image(open(t, held))).To(Succeed())
		config, err := open(t, held).ConfigFile()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(config.Config.Labels).To(Equal(map[string]string{"purpose": "test", image.TagLabel: text}))
		g.Expect(config.Config.Entrypoint).To(Equal([]string{"/greet"}))
		id, err := open(t, held).ConfigName()
		g.Expect(err).NotTo(HaveOccurred())
		ids[id.String()] = true
	}
	g.Expect(ids).To(HaveLen(3))
	again := build(t, t.TempDir(), p)
	g.Expect(again.Digest).To(Equal(tagged.Digest))

	tag, err := name.NewTag("rollcall.test/greet:v1")
	g.Expect(err).NotTo(HaveOccurred())
	_, err = tarball.ImageFromPath(untagged.Path, &tag)
	g.Expect(err).To(HaveOccurred(), "the archive without tags is still what its caller was told")
}

func TestWhatCannotBeBuiltSaysWhy(t *testing.T) {
	for name, row := range map[string]struct {
		change func(*image.Program)
		want   string
	}{
		"source with a mistake":     {func(p *image.Program) { p.Package = "./wrong" }, "undefined: undefinedThing"},
		"package that does not run": {func(p *image.Program) { p.Package = "./empty" }, "is its package a main package?"},
		"package that is not there": {func(p *image.Program) { p.Package = "./missing" }, "directory not found"},
		"repository with a space":   {func(p *image.Program) { p.Repository = "rollcall.test/a b" }, `repository "rollcall.test/a b"`},
		"tag with a space":          {func(p *image.Program) { p.Tags = []string{"v 1"} }, `tag "v 1"`},
		"no repository":             {func(p *image.Program) { p.Repository = "" }, "must both be given"},
	} {
		t.Run(name, func(t *testing.T) {
			p := program(t, "hello")
			row.change(&p)
			_, err := image.Build(t.Context(), t.TempDir(), p)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(row.want)))
		})
	}
}

func TestTheProjectsOwnWorkloadServerIsPackedFromItsModule(t *testing.T) {
	g := NewWithT(t)
	archive := build(t, t.TempDir(), image.Program{
		Dir: ".", Package: "github.com/rollcall-conformance/rollcall/fixtures/workload/cmd/workload-server", Repository: "rollcall.dev/workload-server",
	})
	g.Expect(archive.Reference).To(HavePrefix("rollcall.dev/workload-server:"))
	config, err := open(t, archive).ConfigFile()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Join(config.Config.Entrypoint, " ")).To(Equal("/workload-server"))
}
