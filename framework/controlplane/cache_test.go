package controlplane

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"
	. "github.com/onsi/gomega"
	"github.com/onsi/gomega/gbytes"
)

// ensureKubectl calls Ensure for one program and returns what it told the user.
func ensureKubectl(t *testing.T, options Options) (path, told string) {
	t.Helper()
	var out bytes.Buffer
	options.Names, options.Out = []string{"kubectl"}, &out
	binaries, err := Ensure(t.Context(), options)
	NewWithT(t).Expect(err).NotTo(HaveOccurred(), out.String())
	return binaries.Path("kubectl"), out.String()
}

func TestWhatIsMissingIsBuiltOnceAndThenNeedsNeitherGoNorNetwork(t *testing.T) {
	g := NewWithT(t)
	options := Options{ToolsDir: fakeTools(t), CacheDir: t.TempDir(), Names: []string{"etcd", "kubectl"}}
	var out bytes.Buffer
	options.Out = &out
	binaries, err := Ensure(t.Context(), options)
	g.Expect(err).NotTo(HaveOccurred(), out.String())

	g.Expect(binaries.Path("kubectl")).To(Equal(filepath.Join(options.CacheDir, "kubernetes", "v1.37.0", platform(), "kubectl")))
	g.Expect(binaries.Path("etcd")).To(Equal(filepath.Join(options.CacheDir, "etcd", "v3.7.3", platform(), "etcd")))
	g.Expect(binaries.Path("kwok")).To(BeEmpty(), "it was not asked for")
	g.Expect(binaries.KubernetesVersion).To(Equal("v1.37.0"))
	g.Expect(strings.Split(out.String(), "\n")).To(HaveExactElements(
		"kubectl v1.37.0: not built yet on this machine: building it, once; with nothing in Go's build cache this takes about 20s on 2 cores",
		MatchRegexp(`^kubectl v1\.37\.0: built in \d+s, \d+ MB, kept in `),
		HavePrefix("etcd v3.7.3: not built yet"),
		HavePrefix("etcd v3.7.3: built in"),
		"",
	))
	for _, name := range []string{"kubectl", "etcd"} {
		target, err := os.Readlink(filepath.Join(binaries.Dir, name))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(target).To(Equal(binaries.Path(name)))
	}
	said, err := exec.Command(filepath.Join(binaries.Dir, "kubectl")).CombinedOutput()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(string(said)).To(Equal("Client Version: v1.37.0\n"), "the version is stamped")

	out.Reset()
	t.Setenv("PATH", "")
	again, err := Ensure(t.Context(), options)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again).To(Equal(binaries))
	g.Expect(out.String()).To(BeEmpty())
}

func TestAFileThatIsNotAsItWasBuiltIsBuiltAgainAndTheUserIsToldWhy(t *testing.T) {
	tools := fakeTools(t)
	for name, tt := range map[string]struct {
		harm func(t *testing.T, path string) error
		says string
	}{
		"cut off": {
			harm: func(_ *testing.T, path string) error { return os.Truncate(path, 1000) },
			says: "the file was damaged: 1000 bytes instead of ",
		},
		"of the same size, with other contents": {
			harm: func(_ *testing.T, path string) error {
				text, err := os.ReadFile(path)
				text[len(text)/2] ^= 0xff
				return errors.Join(err, os.WriteFile(path, text, 0o755))
			},
			says: "the file was altered since it was built",
		},
		"gone": {
			harm: func(_ *testing.T, path string) error { return os.Remove(path) },
			says: "not built yet on this machine",
		},
		"without its record": {
			harm: func(_ *testing.T, path string) error { return os.Remove(recordPath(path)) },
			says: "there is a file, but no record of how it was built",
		},
		"with a record cut off": {
			harm: func(_ *testing.T, path string) error { return os.Truncate(recordPath(path), 20) },
			says: "there is a file, but no record of how it was built",
		},
		"from other dependencies": {
			harm: func(t *testing.T, _ string) error {
				sums := filepath.Join(tools, "kubernetes", "go.sum")
				t.Cleanup(func() { NewWithT(t).Expect(os.Remove(sums)).To(Succeed()) })
				return os.WriteFile(sums, []byte("example.test/unused v1.0.0 h1:47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\n"), 0o600)
			},
			says: "built before, but from other dependencies",
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			options := Options{ToolsDir: tools, CacheDir: t.TempDir()}
			path, _ := ensureKubectl(t, options)
			whole, err := os.ReadFile(path)
			g.Expect(err).NotTo(HaveOccurred())

			g.Expect(tt.harm(t, path)).To(Succeed())
			_, told := ensureKubectl(t, options)
			g.Expect(told).To(HavePrefix("kubectl v1.37.0: " + tt.says))
			now, err := os.ReadFile(path)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(now).To(Equal(whole))
			_, told = ensureKubectl(t, options)
			g.Expect(told).To(BeEmpty(), "and it stays")
		})
	}
}

func TestAFileWhoseTimeAloneChangedIsNotBuiltAgain(t *testing.T) {
	g := NewWithT(t)
	options := Options{ToolsDir: fakeTools(t), CacheDir: t.TempDir()}
	path, _ := ensureKubectl(t, options)
	g.Expect(os.Chtimes(path, time.Time{}, time.Now().Add(-time.Hour))).To(Succeed())

	_, told := ensureKubectl(t, options)
	g.Expect(told).To(BeEmpty())
	info, err := os.Stat(path)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(readRecord(path).ModTime).To(BeTemporally("==", info.ModTime()), "the next check is quick again")
}

func TestOfBuildsThatStartAtOnceOneBuildsAndTheOthersWait(t *testing.T) {
	g := NewWithT(t)
	options := Options{ToolsDir: fakeTools(t), CacheDir: t.TempDir(), Names: []string{"kubectl"}}
	shelf := filepath.Join(options.CacheDir, "kubernetes", "v1.37.0", platform())
	g.Expect(os.MkdirAll(shelf, 0o755)).To(Succeed())
	other := flock.New(filepath.Join(shelf, ".lock"))
	g.Expect(other.TryLock()).To(BeTrue())

	const builds = 3
	var done sync.WaitGroup
	var outs []*gbytes.Buffer
	for range builds {
		out := gbytes.NewBuffer()
		outs = append(outs, out)
		done.Go(func() {
			mine := options
			mine.Out = out
			_, err := Ensure(t.Context(), mine)
			if err != nil {
				t.Error(err)
			}
		})
	}
	for _, out := range outs {
		g.Eventually(out).WithTimeout(20 * time.Second).Should(gbytes.Say("kubectl v1.37.0: another process is building"))
	}
	g.Expect(filepath.Join(shelf, "kubectl")).NotTo(BeAnExistingFile())
	g.Expect(other.Unlock()).To(Succeed())
	done.Wait()
	built := 0
	for _, out := range outs {
		built += strings.Count(string(out.Contents()), "built in")
	}
	g.Expect(built).To(Equal(1))
}

func TestWaitingForAnotherBuildEndsWithTheContext(t *testing.T) {
	g := NewWithT(t)
	options := Options{ToolsDir: fakeTools(t), CacheDir: t.TempDir(), Names: []string{"kubectl"}}
	shelf := filepath.Join(options.CacheDir, "kubernetes", "v1.37.0", platform())
	g.Expect(os.MkdirAll(shelf, 0o755)).To(Succeed())
	other := flock.New(filepath.Join(shelf, ".lock"))
	g.Expect(other.TryLock()).To(BeTrue())
	defer func() { g.Expect(other.Unlock()).To(Succeed()) }()

	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	_, err := Ensure(ctx, options)
	g.Expect(err).To(MatchError(context.DeadlineExceeded))
}

func TestWhatAKilledBuildLeftIsRemoved(t *testing.T) {
	g := NewWithT(t)
	options := Options{ToolsDir: fakeTools(t), CacheDir: t.TempDir()}
	shelf := filepath.Join(options.CacheDir, "kubernetes", "v1.37.0", platform())
	writeFiles(t, filepath.Join(shelf, scratchPattern+"123"), map[string]string{"kubectl": "half of it"})

	ensureKubectl(t, options)
	entries, err := os.ReadDir(shelf)
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	g.Expect(names).To(ConsistOf(".lock", "kubectl", "kubectl.json"))
}
