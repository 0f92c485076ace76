package gobuild_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/gobuild"
)

// module is a folder with a program that compiles and one that does not.
func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{
		"go.mod":       "module example.test/mine\n\ngo 1.21\n",
		"good/main.go": "package main\n\nfunc main() {}\n",
		"bad/main.go":  "package main\n\nimport _ \"example.test/mine/lib\"\n\nfunc main() { undefinedName() }\n",
		"lib/lib.go":   "package lib\n",
		"lost/main.go": "package main\n\nimport _ \"example.test/nowhere\"\n\nfunc main() {}\n",
	} {
		NewWithT(t).Expect(os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755)).To(Succeed())
		NewWithT(t).Expect(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600)).To(Succeed())
	}
	return dir
}

func TestAProgramIsBuilt(t *testing.T) {
	g := NewWithT(t)
	output := filepath.Join(t.TempDir(), "good")
	g.Expect(gobuild.Build(t.Context(), gobuild.Options{Package: "./good", Dir: module(t), Output: output})).To(Succeed())
	g.Expect(output).To(BeAnExistingFile())
	g.Expect(output + ".build.log").To(BeAnExistingFile())
}

func TestTheErrorHasWhatTheCompilerSaidAndNotWhatItCompiled(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	dir := module(t)
	err := gobuild.Build(t.Context(), gobuild.Options{Package: "./bad", Dir: dir, Output: filepath.Join(t.TempDir(), "bad"), Out: &out})
	g.Expect(err).To(MatchError("go build ./bad: exit status 1:\n    # example.test/mine/bad\n    bad/main.go:5:15: undefined: undefinedName"))
	err = gobuild.Build(t.Context(), gobuild.Options{Package: "./lost", Dir: dir, Output: filepath.Join(t.TempDir(), "lost"), Out: &out})
	g.Expect(err).To(MatchError(ContainSubstring("example.test/nowhere")))
}

func TestABuildWithoutGoSaysWhatToInstall(t *testing.T) {
	dir := module(t)
	t.Setenv("PATH", t.TempDir())
	err := gobuild.Build(t.Context(), gobuild.Options{Package: "./good", Dir: dir, Output: filepath.Join(t.TempDir(), "good")})
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("https://go.dev/dl")))
}
