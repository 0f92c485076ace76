// Package image makes container images out of nothing but Go programs: no Docker, no registry, no base image. An image is one layer with one
// static binary, or a Bundle of several, in an archive that `kind load image-archive`, `ctr images import` and `docker load` take. The same source and the same Go
// make the same bytes; only the order in an archive of several images is left open. It knows nothing about clusters.
package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

const (
	// DefaultUser is a number that no image gives a meaning to, so that runAsNonRoot can be checked without a user database.
	DefaultUser = "65532:65532"
	// TagLabel is the label by which images that differ in nothing but one of Program.Tags differ.
	TagLabel = "rollcall.dev/tag"
	// executable can be read and run, and written by nobody.
	executable = 0o555
)

// epoch takes the place of every time in an image: it must not depend on when it was made.
func epoch() time.Time { return time.Unix(0, 0).UTC() }

// Archive is an image in a file.
type Archive struct {
	// Path is the file, in the format of `docker save`.
	Path string
	// Reference is what a pod's template calls the image, such as rollcall.dev/workload-server:0f3a…; its tag is derived from all that is in the
	// image, so that a node never runs an older one under the same name.
	Reference string
	// Digest is that of the archive's manifest: sha256:…. A runtime that imports the archive writes a manifest of its own, so what a node shows
	// is to be compared with ID.
	Digest string
	// ID is the configuration's digest, which container runtimes show as the image's ID.
	ID string
}

// assemble makes the image of a binary that lies in a file.
func assemble(p Program, binary string) (v1.Image, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return singleFile(filepath.Base(p.entrypoint()), content) },
		// Loading is local: what a better compression saves there, it costs here many times over.
		tarball.WithCompressionLevel(gzip.BestSpeed), tarball.WithCompressedCaching)
	if err != nil {
		return nil, err
	}
	made, err := mutate.Append(empty.Image, mutate.Addendum{
		Layer: layer, History: v1.History{Created: v1.Time{Time: epoch()}, CreatedBy: "go build " + p.Package},
	})
	if err != nil {
		return nil, err
	}
	file, err := made.ConfigFile()
	if err != nil {
		return nil, err
	}
	file = file.DeepCopy()
	file.Created = v1.Time{Time: epoch()}
	file.OS, file.Architecture = operatingSystem, p.architecture()
	file.Config = v1.Config{
		Entrypoint: []string{p.entrypoint()}, WorkingDir: "/", User: p.user(), Labels: maps.Clone(p.Labels),
	}
	return mutate.ConfigFile(made, file)
}

// singleFile is a tar stream with one executable in its root.
func singleFile(name string, content []byte) (io.ReadCloser, error) {
	var stream bytes.Buffer
	archive := tar.NewWriter(&stream)
	header := &tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(content)), Mode: executable, ModTime: epoch(), Format: tar.FormatUSTAR}
	if err := archive.WriteHeader(header); err != nil {
		return nil, err
	}
	if _, err := archive.Write(content); err != nil {
		return nil, err
	}
	return io.NopCloser(&stream), archive.Close()
}

// shelve writes the image below the cache, unless it is there already, whole.
func shelve(p Program, made v1.Image, cache string) (Archive, error) {
	digest, err := made.Digest()
	if err != nil {
		return Archive{}, err
	}
	id, err := made.ConfigName()
	if err != nil {
		return Archive{}, err
	}
	tag, err := p.tag(digest.Hex[:16])
	if err != nil {
		return Archive{}, err
	}
	images := map[name.Tag]v1.Image{tag: made}
	if err := p.addTagged(images, made); err != nil {
		return Archive{}, err
	}
	file := strings.Join(append([]string{strings.ReplaceAll(p.Repository, "/", "_"), tag.TagStr()}, p.Tags...), "-") + ".tar"
	archive := Archive{Path: filepath.Join(cache, file), Reference: tag.Name(), Digest: digest.String(), ID: id.String()}
	if whole(archive.Path, images) {
		return archive, nil
	}
	fresh := archive.Path + ".part"
	if err := tarball.MultiWriteToFile(fresh, images); err != nil {
		return Archive{}, err
	}
	return archive, os.Rename(fresh, archive.Path)
}

func (p Program) tag(text string) (name.Tag, error) {
	tag, err := name.NewTag(p.Repository+":"+text, name.StrictValidation)
	if err != nil {
		return tag, fmt.Errorf("repository %q, tag %q: %w", p.Repository, text, err)
	}
	return tag, nil
}

// addTagged adds an image for each of the program's tags.
func (p Program) addTagged(images map[name.Tag]v1.Image, made v1.Image) error {
	for _, text := range p.Tags {
		tag, err := p.tag(text)
		if err != nil {
			return err
		}
		file, err := made.ConfigFile()
		if err != nil {
			return err
		}
		file = file.DeepCopy()
		labels := map[string]string{TagLabel: text}
		maps.Copy(labels, file.Config.Labels)
		file.Config.Labels = labels
		if images[tag], err = mutate.ConfigFile(made, file); err != nil {
			return err
		}
	}
	return nil
}

// whole reports whether a file is the archive of these images, undamaged.
func whole(path string, images map[name.Tag]v1.Image) bool {
	for tag, made := range images {
		kept, err := tarball.ImageFromPath(path, &tag)
		if err != nil {
			return false
		}
		keptID, keptErr := kept.ConfigName()
		id, err := made.ConfigName()
		// The ID covers the configuration, which names the layer, which the validation reads.
		if err != nil || keptErr != nil || keptID != id || validate.Image(kept) != nil {
			return false
		}
	}
	return true
}
