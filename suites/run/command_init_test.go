package run

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatInitWritesIsReadAndNothingIsReplaced(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "mine.yaml")
	var out bytes.Buffer
	if code, err := dispatch(context.Background(), "init", []string{"-output=" + file}, &out); code != exitConformant || err != nil {
		t.Fatal(code, err)
	}
	expect(t, folder, "mine.yaml", schemaName)
	if _, err := dispatch(context.Background(), "check", []string{file}, &out); !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), `goPackage "./cmd/my-controller": there is no such folder`) {
		t.Errorf("a controller that is not there: %v", err)
	}
	program := filepath.Join(folder, "cmd", "my-controller")
	if err := os.MkdirAll(program, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(program, "main.go"), "package main\n")
	out.Reset()
	if code, err := dispatch(context.Background(), "check", []string{file, "reference"}, &out); code != exitConformant || err != nil || strings.Count(out.String(), "claims DaemonSet, Surge") != 2 {
		t.Errorf("%d, %v: %s", code, err, out.String())
	}
	if _, err := dispatch(context.Background(), "init", []string{"-output=" + file}, &out); !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "file exists") {
		t.Errorf("it is written again: %v", err)
	}
	write(t, file, "kind: Implementation\nspec: {launch: {none: {}}, features: [Surgery]}\n")
	if _, err := dispatch(context.Background(), "check", []string{file, "nobody"}, &out); !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "mine.yaml:2") || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("got %v", err)
	}
	if _, err := dispatch(context.Background(), "check", nil, &out); !errors.As(err, new(usageError)) {
		t.Errorf("got %v", err)
	}
}
