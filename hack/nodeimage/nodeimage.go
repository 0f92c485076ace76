package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/kind/pkg/build/nodeimage"
	"sigs.k8s.io/kind/pkg/cmd"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

const (
	// baseRepository is the name of the image that kind builds on. kind tries to pull what it builds on; this name leads no further than to this machine.
	baseRepository = "localhost/rollcall/node-base"
	// recipeLabel of an image says what it was made of.
	recipeLabel = "rollcall.dev/recipe"
)

// How this program does its work is a part of what goes into an image.
//
//go:embed *.go
var source embed.FS

// nodeImage is an image with all that it is made of.
type nodeImage struct {
	kind                kindModule
	programs            programs
	nodeRoot, proxyRoot string
	tag                 string
}

// keep sees to it that the engine has the image. The image is kept as a file too, since an engine on a bare machine does not last.
func (n nodeImage) keep(ctx context.Context, cache string) error {
	recipe, err := n.recipe()
	if err != nil {
		return err
	}
	if labelled(ctx, n.tag, recipeLabel, recipe) {
		return nil
	}
	saved := artifact{
		name:   "node-" + n.programs.KubernetesVersion,
		recipe: recipe,
		what:   "building " + n.tag,
		build:  func(ctx context.Context, path string) error { return n.build(ctx, path, recipe) },
	}
	path, err := saved.keep(ctx, cache)
	if err != nil || labelled(ctx, n.tag, recipeLabel, recipe) {
		return err
	}
	return timed("loading "+n.tag+", built earlier", func() error {
		_, err := docker(ctx, "load", "--quiet", "--input", path)
		return err
	})
}

// recipe identifies all that goes into the image.
func (n nodeImage) recipe() (string, error) {
	contents, err := digestOf(n.programs.files()...)
	if err != nil {
		return "", err
	}
	parts := []string{n.kind.version, n.programs.KubernetesVersion, filepath.Base(n.nodeRoot), filepath.Base(n.proxyRoot), contents}
	names, err := fs.Glob(source, "*.go")
	if err != nil {
		return "", err
	}
	for _, name := range names {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		text, err := source.ReadFile(name)
		if err != nil {
			return "", err
		}
		parts = append(parts, string(text))
	}
	return shortDigest(strings.Join(parts, "\n")), nil
}

func (n nodeImage) build(ctx context.Context, path, recipe string) (err error) {
	scratch := filepath.Join(filepath.Dir(path), "building")
	if err := os.RemoveAll(scratch); err != nil { // a build that was killed; the caller has the cache's lock
		return err
	}
	if err := os.Mkdir(scratch, 0o755); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()

	base := baseRepository + ":" + recipe
	if err := timed("making the base image", func() error { return n.loadBase(ctx, base, recipe, scratch) }); err != nil {
		return err
	}
	defer func() {
		_, removeErr := docker(context.WithoutCancel(ctx), "image", "rm", "--no-prune", base)
		err = errors.Join(err, removeErr)
	}()
	bundle := filepath.Join(scratch, "kubernetes.tar.gz")
	err = timed("making the images that a node starts with", func() error {
		images, err := n.images(ctx)
		if err != nil {
			return err
		}
		return n.writeBundle(bundle, scratch, images)
	})
	if err != nil {
		return err
	}
	err = timed("letting kind "+n.kind.version+" build the node image", func() error {
		return nodeimage.Build(nodeimage.WithImage(n.tag), nodeimage.WithBaseImage(base), nodeimage.WithBuildType("file"),
			nodeimage.WithKubeParam(bundle), nodeimage.WithLogger(cmd.NewLogger()))
	})
	if err != nil {
		return err
	}
	return timed("keeping a copy of the node image", func() error {
		_, err := docker(ctx, "save", "--output", path, n.tag)
		return err
	})
}

// loadBase makes the base image and gives it to the engine. What kind builds on it inherits its label.
func (n nodeImage) loadBase(ctx context.Context, baseTag, recipe, scratch string) error {
	base, err := n.baseImage(ctx, map[string]string{recipeLabel: recipe})
	if err != nil {
		return err
	}
	archive := filepath.Join(scratch, "base.tar")
	if err := writeArchive(archive, map[string]v1.Image{baseTag: base}); err != nil {
		return err
	}
	if _, err := docker(ctx, "load", "--quiet", "--input", archive); err != nil {
		return fmt.Errorf("giving the base image to the engine: %w", err)
	}
	return os.Remove(archive)
}
