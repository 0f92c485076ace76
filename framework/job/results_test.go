package job

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// tree writes files below a new folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func packed(t *testing.T, files map[string]string) []byte {
	t.Helper()
	var stream bytes.Buffer
	if err := WriteResults(&stream, tree(t, files)); err != nil {
		t.Fatal(err)
	}
	return stream.Bytes()
}

func TestResultsArriveAsTheyWere(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "shards", "1")
	stream := packed(t, map[string]string{"report.yaml": "kind: x\n", "recordings/a.jsonl": "{}\n", ".rollcall": ""})
	if err := ReadResults(bytes.NewReader(stream), folder); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"report.yaml": "kind: x\n", "recordings/a.jsonl": "{}\n", ".rollcall": ""} {
		if got, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestResultsThatAreCutShortAreRefused(t *testing.T) {
	stream := packed(t, map[string]string{"report.yaml": strings.Repeat("x", 1000)})
	for length := range stream {
		if err := ReadResults(bytes.NewReader(stream[:length]), t.TempDir()); err == nil {
			t.Fatalf("%d of %d bytes are taken for all", length, len(stream))
		}
	}
}

func TestNothingIsUnpackedOutsideOfTheFolder(t *testing.T) {
	for name, header := range map[string]tar.Header{
		"above":    {Name: "../outside", Typeflag: tar.TypeReg},
		"absolute": {Name: "/outside", Typeflag: tar.TypeReg},
		"a link":   {Name: "link", Typeflag: tar.TypeSymlink, Linkname: ".."},
		"a device": {Name: "null", Typeflag: tar.TypeChar},
	} {
		t.Run(name, func(t *testing.T) {
			var stream bytes.Buffer
			zip := gzip.NewWriter(&stream)
			archive := tar.NewWriter(zip)
			for _, err := range []error{archive.WriteHeader(&header), archive.Close(), zip.Close()} {
				if err != nil {
					t.Fatal(err)
				}
			}
			above := t.TempDir()
			if err := ReadResults(&stream, filepath.Join(above, "folder")); err == nil {
				t.Error("it was unpacked")
			}
			if _, err := os.Lstat(filepath.Join(above, "outside")); err == nil {
				t.Error("it is there")
			}
		})
	}
}
