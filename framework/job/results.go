package job

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// WriteResults writes all files in the folder as a gzipped tar archive.
func WriteResults(out io.Writer, folder string) error {
	packed := gzip.NewWriter(out)
	archive := tar.NewWriter(packed)
	if err := archive.AddFS(os.DirFS(folder)); err != nil {
		return fmt.Errorf("pack the results: %w", err)
	}
	if err := errors.Join(archive.Close(), packed.Close()); err != nil {
		return fmt.Errorf("pack the results: %w", err)
	}
	return nil
}

// ReadResults makes the folder and unpacks into it what WriteResults wrote. An archive that is cut short, an entry outside the folder, and one that is neither a
// file nor a folder are errors.
func ReadResults(in io.Reader, folder string) (err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("unpack the results: %w", err)
		}
	}()
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, root.Close()) }()
	unpacked, err := gzip.NewReader(in)
	if err != nil {
		return err
	}
	archive := tar.NewReader(unpacked)
	for {
		header, err := archive.Next()
		if errors.Is(err, io.EOF) {
			// The end of the tar archive is not that of the packed stream: its sum comes behind.
			_, err := io.Copy(io.Discard, unpacked)
			return err
		}
		if err != nil {
			return err
		}
		if err := unpack(root, header, archive); err != nil {
			return err
		}
	}
}

func unpack(root *os.Root, header *tar.Header, content io.Reader) error {
	switch header.Typeflag {
	case tar.TypeDir:
		return root.MkdirAll(filepath.Clean(header.Name), 0o755)
	case tar.TypeReg:
		if err := root.MkdirAll(filepath.Dir(header.Name), 0o755); err != nil {
			return err
		}
		file, err := root.Create(header.Name)
		if err != nil {
			return err
		}
		_, err = io.Copy(file, content)
		return errors.Join(err, file.Close())
	}
	return fmt.Errorf("%s is neither a file nor a folder", header.Name)
}
