package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// entry is one file of a layer: a folder, a link, a text, or the copy of a file. Paths have no slash in front.
type entry struct {
	path string
	mode fs.FileMode
	link string
	text []byte
	copy string
}

func folder(path string) entry { return entry{path: path, mode: fs.ModeDir | 0o755} }

func executable(path, from string) entry { return entry{path: path, mode: 0o755, copy: from} }

func symlink(path, target string) entry { return entry{path: path, mode: 0o777, link: target} }

func textFile(path string, text []byte) entry { return entry{path: path, mode: 0o644, text: text} }

// layer makes a layer of the entries, owned by root and without times, so that equal contents are an equal layer. It is compressed only a little:
// nobody sends it anywhere.
func layer(entries ...entry) (v1.Layer, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	folders := map[string]bool{".": true}
	for _, e := range entries {
		dir := path.Dir(e.path)
		if e.mode.IsDir() {
			dir = e.path
		}
		if err := writeFolders(writer, dir, folders); err != nil {
			return nil, err
		}
		if e.mode.IsDir() {
			continue
		}
		if err := e.write(writer); err != nil {
			return nil, err
		}
	}
	if err := writer.Close(); err != nil {
		return nil, err
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive.Bytes())), nil }, quickly()...)
}

// layerFromFile makes a layer of an archive on disk.
func layerFromFile(path string) (v1.Layer, error) { return tarball.LayerFromFile(path, quickly()...) }

func quickly() []tarball.LayerOption {
	return []tarball.LayerOption{tarball.WithCompressionLevel(gzip.BestSpeed), tarball.WithCompressedCaching}
}

func writeFolders(writer *tar.Writer, dir string, done map[string]bool) error {
	var missing []string
	for ; !done[dir]; dir = path.Dir(dir) {
		missing = append(missing, dir)
		done[dir] = true
	}
	for _, dir := range slices.Backward(missing) {
		if err := writer.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755}); err != nil {
			return err
		}
	}
	return nil
}

func (e entry) write(writer *tar.Writer) (err error) {
	header := &tar.Header{Typeflag: tar.TypeReg, Name: e.path, Mode: int64(e.mode), Size: int64(len(e.text))}
	var contents io.Reader = bytes.NewReader(e.text)
	switch {
	case e.link != "":
		header.Typeflag, header.Linkname = tar.TypeSymlink, e.link
	case e.copy != "":
		file, err := os.Open(e.copy)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, file.Close()) }()
		info, err := file.Stat()
		if err != nil {
			return err
		}
		header.Size, contents = info.Size(), file
	}
	if err := writer.WriteHeader(header); err != nil {
		return err
	}
	_, err = io.Copy(writer, contents)
	return err
}

// image makes an image of layers.
func image(architecture string, config v1.Config, layers ...v1.Layer) (v1.Image, error) {
	blank, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{OS: "linux", Architecture: architecture, Config: config, RootFS: v1.RootFS{Type: "layers"}})
	if err != nil {
		return nil, err
	}
	return mutate.AppendLayers(blank, layers...)
}
