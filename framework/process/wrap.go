package process

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"text/template"

	"al.essio.dev/pkg/shellescape"
)

// shell runs the scripts.
const shell = "/bin/sh"

// Two scripts do the same: by request to the kernel, at once; or, where that cannot be asked for, by looking once a second.
var (
	//go:embed wrap_setpriv.sh.tmpl
	setprivScript string
	//go:embed wrap_watch.sh.tmpl
	watchScript string
)

// WrapForDeath writes a shell script into dir, under the base name of the executable at path, that runs this executable in its own place
// (same process ID, same arguments) and has it killed when the calling process dies, even of SIGKILL. It returns the script's path.
//
// It is for programs that somebody else's library starts, in a way that leaves no room for this package: envtest and its etcd and
// kube-apiserver. The script only works for the process that wrote it, and refuses to run for another.
//
// On Linux the kernel does the killing, asked through setpriv (util-linux; without it, as on other systems, a background shell looks
// once a second whether the harness is alive). The kernel's request is tied to the thread that forked; see begin for what that asks of the
// rest of the harness: no goroutine may return while locked to its thread.
//
// Where there is no /bin/sh, as in the image of `rollcall job`, it returns the executable itself, which then ends with its container.
func WrapForDeath(path, dir string) (string, error) {
	if _, err := os.Stat(shell); errors.Is(err, os.ErrNotExist) {
		return exec.LookPath(path)
	}
	setpriv := findSetpriv()
	script, err := writeWrapper(path, dir, setpriv)
	if err != nil {
		return "", fmt.Errorf("wrapping %s so that it ends with the harness: %w", path, err)
	}
	return script, nil
}

// findSetpriv returns a setpriv that can set the parent-death signal (that of busybox cannot), or nothing.
func findSetpriv() string {
	path, err := exec.LookPath("setpriv")
	if err != nil {
		return ""
	}
	help, err := exec.Command(path, "--help").CombinedOutput()
	if err != nil || !bytes.Contains(help, []byte("--pdeathsig")) {
		return ""
	}
	return path
}

func writeWrapper(path, dir, setpriv string) (string, error) {
	executable, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if info, err := os.Stat(executable); err != nil {
		return "", err
	} else if info.IsDir() || info.Mode()&0o111 == 0 {
		return "", fmt.Errorf("%s is not executable", executable)
	}
	script, err := filepath.Abs(filepath.Join(dir, filepath.Base(executable)))
	if err != nil {
		return "", err
	}
	if script == executable {
		return "", fmt.Errorf("the script would overwrite it: use another folder than %s", dir)
	}
	source := watchScript
	if setpriv != "" {
		source = setprivScript
	}
	parsed, err := template.New("wrapper").Parse(source)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = parsed.Execute(&text, map[string]any{
		"Harness": os.Getpid(), "Executable": shellescape.Quote(executable), "Setpriv": shellescape.Quote(setpriv), "Script": shellescape.Quote(script),
	})
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return script, os.WriteFile(script, text.Bytes(), 0o755)
}
