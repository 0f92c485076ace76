package redact_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/redact"
)

func TestFoldersOfThisMachineAreNotNamed(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("TMPDIR", "/var/tmp")
	t.Chdir("/usr")
	folders := redact.Here(redact.Folder{Path: "/home/ada/results", Name: "ARTIFACTS"}, redact.Folder{Name: "NOWHERE"}, redact.Folder{Path: "/", Name: "ROOT"})
	for text, want := range map[string]string{
		"open /home/ada/results/logs/x.log: no such file": "open ARTIFACTS/logs/x.log: no such file",
		"in /home/ada/results.":                           "in ARTIFACTS.",
		"/home/ada/.cache/rollcall/work/run-1/kubeconfig": "CACHE/rollcall/work/run-1/kubeconfig",
		`{"config":"/home/ada/kubeconfig","n":1}`:         `{"config":"~/kubeconfig","n":1}`,
		"/home/ada:/home/ada":                             "~:~",
		"file:///home/ada/x and --dir=/var/tmp/y":         "file://~/x and --dir=TMPDIR/y",
		"/usr/src/main.go:7":                              "./src/main.go:7",
		"/home/adam and /mnt/home/ada and /home/ada-2":    "/home/adam and /mnt/home/ada and /home/ada-2",
		"/home/ada/results-2/x":                           "~/results-2/x",
		"/":                                               "/",
	} {
		if got := folders.Text(text); got != want {
			t.Errorf("%s: got %s, want %s", text, got, want)
		}
	}
	if got := folders.Texts([]string{"/home/ada", "x"}); len(got) != 2 || got[0] != "~" || got[1] != "x" {
		t.Errorf("got %q", got)
	}
}
