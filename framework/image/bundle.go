package image

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// File is one file of a Bundle: at most one of Program, Content and Link is set. With none it is an empty folder that everybody may write to.
type File struct {
	// Path in the image, from the root.
	Path string
	// Program is the path of a static Linux program on this machine.
	Program string
	// Content is the content of a file that everybody may read.
	Content []byte
	// Link is the target of a symbolic link.
	Link string
}

// Bundle is an image of several files and the folders that they are in.
type Bundle struct {
	// Repository is the image's name without a tag, for example rollcall.dev/rollcall.
	Repository string
	// Layers are the files of each layer; those that change least come first.
	Layers [][]File
	// Entrypoint and Env are those of its containers.
	Entrypoint, Env []string
	// Architecture is that of the programs, in Go's words.
	Architecture string
}

// FileTime is the time of every file in an image.
func FileTime() time.Time { return epoch() }

// CheckRepository returns an error if the text is not an image's name with its registry and without a tag.
func CheckRepository(text string) error {
	if _, err := name.NewRepository(text, name.StrictValidation); err != nil {
		return fmt.Errorf("%q: want a name without a tag, such as registry.example.com/rollcall: %w", text, err)
	}
	return nil
}

// Pack writes the image into a file, in the format of `docker save`. A program that is not static is an error that names it.
func Pack(file string, b Bundle) (Archive, error) {
	archive, err := pack(file, b)
	if err != nil {
		return Archive{}, fmt.Errorf("packing the image %s: %w", b.Repository, err)
	}
	return archive, nil
}

func pack(file string, b Bundle) (Archive, error) {
	made := empty.Image
	for _, files := range b.Layers {
		for _, f := range files {
			if f.Program != "" {
				if err := Static(f.Program); err != nil {
					return Archive{}, err
				}
			}
		}
		layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return stream(files), nil },
			tarball.WithCompressionLevel(gzip.BestSpeed), tarball.WithCompressedCaching)
		if err != nil {
			return Archive{}, err
		}
		if made, err = mutate.Append(made, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: epoch()}, CreatedBy: "rollcall"}}); err != nil {
			return Archive{}, err
		}
	}
	config, err := made.ConfigFile()
	if err != nil {
		return Archive{}, err
	}
	config = config.DeepCopy()
	config.Created, config.OS, config.Architecture = v1.Time{Time: epoch()}, operatingSystem, b.Architecture
	config.Config = v1.Config{Entrypoint: b.Entrypoint, Env: b.Env, WorkingDir: "/", User: DefaultUser}
	if made, err = mutate.ConfigFile(made, config); err != nil {
		return Archive{}, err
	}
	digest, err := made.Digest()
	if err != nil {
		return Archive{}, err
	}
	id, err := made.ConfigName()
	if err != nil {
		return Archive{}, err
	}
	tag, err := name.NewTag(b.Repository+":"+digest.Hex[:16], name.StrictValidation)
	if err != nil {
		return Archive{}, err
	}
	return Archive{Path: file, Reference: tag.Name(), Digest: digest.String(), ID: id.String()}, tarball.WriteToFile(file, tag, made)
}

// stream is a tar stream of the files, by path, behind the folders that they are in.
func stream(files []File) io.ReadCloser {
	reader, writer := io.Pipe()
	go func() {
		archive := tar.NewWriter(writer)
		err := write(archive, files)
		if err == nil {
			err = archive.Close()
		}
		// A pipe's writer never fails to close.
		_ = writer.CloseWithError(err)
	}()
	return reader
}

func write(archive *tar.Writer, files []File) error {
	files = slices.SortedFunc(slices.Values(files), func(a, b File) int { return strings.Compare(a.Path, b.Path) })
	folders := map[string]bool{"/": true}
	for _, f := range files {
		if err := writeFolders(archive, path.Dir(f.Path), folders); err != nil {
			return err
		}
		if err := f.write(archive); err != nil {
			return err
		}
	}
	return nil
}

func writeFolders(archive *tar.Writer, folder string, written map[string]bool) error {
	if written[folder] {
		return nil
	}
	written[folder] = true
	if err := writeFolders(archive, path.Dir(folder), written); err != nil {
		return err
	}
	return archive.WriteHeader(header(folder+"/", tar.TypeDir, 0o755, 0))
}

func header(path string, kind byte, mode, size int64) *tar.Header {
	return &tar.Header{Typeflag: kind, Name: strings.TrimPrefix(path, "/"), Size: size, Mode: mode, ModTime: epoch(), Format: tar.FormatPAX}
}

func (f File) write(archive *tar.Writer) error {
	switch {
	case f.Program != "":
		return f.writeProgram(archive)
	case f.Link != "":
		link := header(f.Path, tar.TypeSymlink, 0o777, 0)
		link.Linkname = f.Link
		return archive.WriteHeader(link)
	case f.Content != nil:
		if err := archive.WriteHeader(header(f.Path, tar.TypeReg, 0o444, int64(len(f.Content)))); err != nil {
			return err
		}
		_, err := io.Copy(archive, bytes.NewReader(f.Content))
		return err
	}
	return archive.WriteHeader(header(f.Path+"/", tar.TypeDir, 0o1777, 0))
}

func (f File) writeProgram(archive *tar.Writer) error {
	program, err := os.Open(filepath.Clean(f.Program))
	if err != nil {
		return err
	}
	defer func() { _ = program.Close() }()
	info, err := program.Stat()
	if err != nil {
		return err
	}
	if err := archive.WriteHeader(header(f.Path, tar.TypeReg, executable, info.Size())); err != nil {
		return err
	}
	_, err = io.Copy(archive, program)
	return err
}
