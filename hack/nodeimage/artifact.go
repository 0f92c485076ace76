package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// artifact is a file that is built once for each recipe.
type artifact struct {
	// name says what it is, and is the first part of the file's name.
	name string
	// recipe is all that decides on the contents.
	recipe string
	// what is said while it is built.
	what  string
	build func(ctx context.Context, path string) error
}

func (a artifact) path(cache string) string {
	return filepath.Join(cache, a.name+"-"+shortDigest(a.recipe)+".tar")
}

// shortDigest names a recipe.
func shortDigest(text string) string {
	digest := sha256.Sum256([]byte(text))
	return hex.EncodeToString(digest[:6])
}

// keep returns the artifact's file, whole. Files of the same name and of other recipes are removed: they would fill the disk unnoticed. The
// caller has the cache's lock.
func (a artifact) keep(ctx context.Context, cache string) (string, error) {
	path := a.path(cache)
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return path, err
	}
	stale, err := filepath.Glob(filepath.Join(cache, a.name+"-????????????.tar*"))
	if err != nil {
		return "", err
	}
	for _, old := range stale {
		if err := os.RemoveAll(old); err != nil {
			return "", err
		}
	}
	fresh := path + ".new.tar"
	err = timed(a.what, func() error { return a.build(ctx, fresh) })
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(fresh))
	}
	return path, os.Rename(fresh, path)
}

// digestOf identifies the contents of files.
func digestOf(paths ...string) (string, error) {
	digest := sha256.New()
	for _, path := range paths {
		file, err := os.Open(path)
		if err != nil {
			return "", err
		}
		size, err := io.Copy(digest, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return "", err
		}
		fmt.Fprintf(digest, "\n%d\n", size)
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}
