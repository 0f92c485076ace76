package implementation

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/fixtures"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// FuzzDecode reads any text as an implementation file. What is accepted has a name and a feature.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(least))
	f.Add([]byte("# nothing\n"))
	f.Add([]byte("--- &x\nspec: {launch: *x}\n"))
	for _, name := range Shipped() {
		text, err := fs.ReadFile(fixtures.Files(), path.Join("implementations", name+".yaml"))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	catalogue, err := requirements.Load()
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		// The text stands for its manifests, too.
		open := func(string) ([]byte, error) { return text, nil }
		read, err := decode("mine.yaml", text, "/nowhere", catalogue, open)
		if err == nil && (read.Name == "" || len(read.Features) == 0) {
			t.Errorf("accepted: %+v", read)
		}
		if err != nil && err.Error() == "" || errors.Is(err, fs.ErrNotExist) {
			t.Errorf("refused without a reason: %v", err)
		}
	})
}

func TestAFileWithoutEndIsRefused(t *testing.T) {
	path := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.Symlink("/dev/zero", path); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(path, catalogue(t)); err == nil || !strings.Contains(err.Error(), "mine.yaml is larger than 4 MiB") {
		t.Errorf("got %v", err)
	}
}
