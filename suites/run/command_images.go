package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/rollcall-conformance/rollcall/framework/daemonimage"
	"github.com/rollcall-conformance/rollcall/framework/image"
)

// saveImages is `rollcall images`: it writes the images that real nodes run as archives, for nodes that nobody else brings them to.
func saveImages(ctx context.Context, args []string, out io.Writer) (int, error) {
	var output, images string
	flags := newFlags("images", out)
	describe(flags, `rollcall images -output FOLDER

Writes the images that scenarios run on real nodes as archives, for clusters whose nodes cannot pull them: load them on every node.

Exit code: 0 written, 2 bad input, 3 they cannot be built or written.
`)
	flags.StringVar(&output, "output", "", "folder for the archives, in the format of docker save")
	flags.StringVar(&images, "images", string(daemonimage.Default), imagesUsage)
	if err := parseFlagsOnly(flags, args); err != nil {
		return exitUsage, err
	}
	if output == "" {
		return exitUsage, usagef("-output: name a folder for the archives")
	}
	cache, err := imageCache()
	if err != nil {
		return exitHarness, err
	}
	place := daemonimage.Place(images)
	daemon, err := place.Build(ctx, cache)
	if err != nil {
		return exitHarness, asUsageError(err)
	}
	probe, err := place.BuildProbe(ctx, cache)
	if err != nil {
		return exitHarness, asUsageError(err)
	}
	if err := os.MkdirAll(output, 0o755); err != nil {
		return exitUsage, usagef("-output: %w", err)
	}
	for _, archive := range []struct {
		name  string
		built image.Archive
	}{{"daemon.tar", daemon}, {"probe.tar", probe}} {
		path := filepath.Join(output, archive.name)
		if err := copyFile(path, archive.built.Path); err != nil {
			return exitHarness, fmt.Errorf("write %s: %w", path, err)
		}
		fmt.Fprintf(out, "%s: %s\n", path, archive.built.Reference)
	}
	return exitConformant, nil
}

// imagesUsage describes -images.
const imagesUsage = "registry, and path in it, of the images daemon:v1 to daemon:v9 and probe:v1"

// imageCache is the folder for images, which later runs use too.
func imageCache() (string, error) { return cacheDir("images") }

func copyFile(to, from string) error {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = source.Close() }()
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	if _, err := io.Copy(target, source); err != nil {
		_ = target.Close()
		return err
	}
	return target.Close()
}
