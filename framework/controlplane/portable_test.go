package controlplane

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestWhatIsPortableIsFoundElsewhereWithoutGoAndWithoutWriting(t *testing.T) {
	g := NewWithT(t)
	here := Options{ToolsDir: fakeTools(t), CacheDir: t.TempDir(), Names: []string{"etcd", "kubectl"}}
	binaries, err := Ensure(t.Context(), here)
	g.Expect(err).NotTo(HaveOccurred())
	elsewhere, at := t.TempDir(), time.Unix(0, 0)
	portable, err := binaries.Portable(elsewhere, at)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(portable.Programs).To(HaveLen(2))
	g.Expect(portable.Records).To(HaveLen(2))
	put := func(place string, write func(path string) error) {
		path := filepath.Join(elsewhere, place)
		g.Expect(os.MkdirAll(filepath.Dir(path), 0o755)).To(Succeed())
		g.Expect(write(path)).To(Succeed())
	}
	for place, program := range portable.Programs {
		content, err := os.ReadFile(program)
		g.Expect(err).NotTo(HaveOccurred())
		put(place, func(path string) error { return os.WriteFile(path, content, 0o555) })
		g.Expect(os.Chtimes(filepath.Join(elsewhere, place), at, at)).To(Succeed())
	}
	for place, content := range portable.Records {
		put(place, func(path string) error { return os.WriteFile(path, content, 0o444) })
	}
	for place, leads := range portable.Links {
		put(place, func(path string) error { return os.Symlink(leads, path) })
	}
	before := everythingIn(t, elsewhere)

	t.Setenv("PATH", "")
	// Nobody's checkout is there, so nothing says what the programs are to be built from.
	t.Chdir(t.TempDir())
	found, err := Ensure(t.Context(), Options{CacheDir: elsewhere, Names: here.Names, Version: binaries.KubernetesVersion})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(found.Path("kubectl")).To(Equal(filepath.Join(elsewhere, "kubernetes", "v1.37.0", platform(), "kubectl")))
	g.Expect(everythingIn(t, elsewhere)).To(Equal(before))
}

// everythingIn are the paths below a folder, with the times of their last change.
func everythingIn(t *testing.T, folder string) map[string]time.Time {
	t.Helper()
	all := map[string]time.Time{}
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := entry.Info()
		if err == nil {
			all[path] = info.ModTime()
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
