package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// writeBundle writes what kind takes for a Kubernetes release: its version, three programs and four archives of images.
func (n nodeImage) writeBundle(path, scratch string, images map[string]v1.Image) (err error) {
	entries := []entry{textFile("kubernetes/version", []byte(n.programs.KubernetesVersion))}
	for _, program := range []string{"kubeadm", "kubelet", "kubectl"} {
		entries = append(entries, executable("kubernetes/server/bin/"+program, n.programs.Path(program)))
	}
	for _, archive := range builtByName {
		file := filepath.Join(scratch, archive+".tar")
		if err := writeArchive(file, archived(archive, images)); err != nil {
			return fmt.Errorf("writing the archive of %s: %w", archive, err)
		}
		entries = append(entries, entry{path: "kubernetes/server/bin/" + archive + ".tar", mode: 0o644, copy: file})
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	compressor, err := gzip.NewWriterLevel(file, gzip.NoCompression) // kind unpacks it at once
	if err != nil {
		return err
	}
	writer := tar.NewWriter(compressor)
	for _, e := range entries {
		if err := e.write(writer); err != nil {
			return err
		}
	}
	return errors.Join(writer.Close(), compressor.Close())
}

// archived selects the images of one archive. Kubernetes' own have theirs; the last of these takes in all the images that kind knows no archive for.
func archived(archive string, images map[string]v1.Image) map[string]v1.Image {
	selected := map[string]v1.Image{}
	last := builtByName[len(builtByName)-1]
	for full, image := range images {
		base := baseName(full)
		if base == archive || archive == last && !slices.Contains(builtByName, base) {
			selected[full] = image
		}
	}
	return selected
}

// writeArchive writes images in the format of `docker save`. kind reads their names from the first of two indices that it meets, and of the one
// that all else reads, only the first image's. So the other, older one goes first.
func writeArchive(path string, images map[string]v1.Image) (err error) {
	repositories := map[string]map[string]string{}
	tagged := map[name.Tag]v1.Image{}
	for full, image := range images {
		tag, err := name.NewTag(full, name.StrictValidation)
		if err != nil {
			return err
		}
		digest, err := image.ConfigName()
		if err != nil {
			return err
		}
		repository := full[:len(full)-len(tag.TagStr())-1] // as it is written: the library has its own name for Docker's registry
		repositories[repository] = map[string]string{tag.TagStr(): digest.Hex}
		tagged[tag] = image
	}
	index, err := json.Marshal(repositories)
	if err != nil {
		return err
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	writer := tar.NewWriter(file)
	if err := textFile("repositories", index).write(writer); err != nil {
		return err
	}
	if err := writer.Flush(); err != nil { // and no end mark: the archive goes on
		return err
	}
	return tarball.MultiWrite(tagged, file)
}
