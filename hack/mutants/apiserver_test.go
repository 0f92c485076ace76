package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"al.essio.dev/pkg/shellescape"
)

func TestTheRecordOfAReplacedProgramFitsIt(t *testing.T) {
	folder := t.TempDir()
	program, script := filepath.Join(folder, "real", kubeAPIServer), filepath.Join(folder, "it's", kubeAPIServer)
	for path, text := range map[string]string{program: "", program + recordSuffix: `{"version":"v1.37.0","recipe":"x","size":5,"modTime":"2020-01-01T00:00:00Z"}`} {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll(filepath.Dir(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := (&apiServers{front: "/it's/front"}).replace(program, script, "some-fault"); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(script)
	if err != nil || !strings.Contains(string(text), `exec '/it'"'"'s/front' --fault=some-fault --behind=`+shellescape.Quote(program)+` "$@"`) {
		t.Errorf("got %q, %v", text, err)
	}
	recorded, err := os.ReadFile(script + recordSuffix)
	if err != nil {
		t.Fatal(err)
	}
	var record struct {
		Version, Recipe, ModTime string
		Size                     int64
	}
	if err := json.Unmarshal(recorded, &record); err != nil {
		t.Fatal(err)
	}
	if record.Size != int64(len(text)) || record.Version != "v1.37.0" || record.Recipe != "x" || strings.HasPrefix(record.ModTime, "2020") {
		t.Errorf("got %+v", record)
	}
}
