package controlplane

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// goTool is the go command. Its build cache and module cache are the user's own.
type goTool struct {
	path    string
	version string
}

func findGo(ctx context.Context) (goTool, error) {
	path, err := exec.LookPath("go")
	if err != nil {
		return goTool{}, fmt.Errorf("the control-plane programs are built from source on first use, and there is no go command: "+
			"install Go from https://go.dev/dl and put it into PATH (%w)", err)
	}
	output, err := exec.CommandContext(ctx, path, "env", "GOVERSION").Output()
	if err != nil {
		return goTool{}, fmt.Errorf("asking %s for its version: %w", path, err)
	}
	return goTool{path: path, version: strings.TrimSpace(string(output))}, nil
}

// GoVersion is the version of the go command that builds the programs, such as "go1.26.0". The error says how to get one.
func GoVersion(ctx context.Context) (string, error) {
	found, err := findGo(ctx)
	return found.version, err
}

// buildEnv makes a build independent of the user's settings for builds of their own.
func buildEnv() []string { return []string{"CGO_ENABLED=0", "GOWORK=off", "GOFLAGS="} }

// build compiles one program of the module in dir into the file at output. What the compiler says goes to the log. The compiler ends
// with the harness, as everything does that the harness starts.
func (g goTool) build(ctx context.Context, dir string, p program, module toolModule, output, log string) error {
	mod := "-mod=readonly" // what go.sum does not vouch for is not built
	if module.dir == "" {
		mod = "-mod=mod"
	}
	compiler, err := process.Start(ctx, process.Options{
		Name: "go build", Path: g.path, Dir: dir, Env: buildEnv(), LogPath: log,
		Args: []string{"build", mod, "-buildvcs=false", "-trimpath", "-tags", module.tags, "-ldflags", module.ldflags, "-o", output, p.pkg},
	})
	if err != nil {
		return err
	}
	select {
	case <-compiler.Exited():
	case <-ctx.Done():
		return errors.Join(fmt.Errorf("building %s: %w", p.name, context.Cause(ctx)), compiler.Kill())
	}
	if status := compiler.ExitStatus(); status != "exit status 0" {
		said := strings.Join(compiler.LogTail(20), "\n    ")
		return g.explain(ctx, p.pkg, module.version, fmt.Errorf("go build: %s:\n    %s", status, said))
	}
	return nil
}

// downloaded is what the go command says about a module it has fetched.
type downloaded struct {
	GoMod, Dir, Error string
}

func (g goTool) download(ctx context.Context, module, version string) (downloaded, error) {
	command := exec.CommandContext(ctx, g.path, "mod", "download", "-json", module+"@"+version)
	command.Env = append(command.Environ(), buildEnv()...)
	command.Dir = os.TempDir() // no module of the user's shall have a say
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, runErr := command.Output()
	var result downloaded
	if err := json.Unmarshal(output, &result); err != nil {
		return downloaded{}, fmt.Errorf("go mod download %s@%s: %w: %s", module, version, errors.Join(runErr, err), stderr.String())
	}
	if result.Error != "" {
		return downloaded{}, g.explain(ctx, module, version, errors.New(result.Error))
	}
	return result, nil
}

var (
	// The go command has no exit codes for these; its words, and those of proxies, are all there is.
	notReached = regexp.MustCompile(`dial tcp|no such host|i/o timeout|TLS handshake|connection re(fused|set)|network is unreachable|` +
		`module lookup disabled by GOPROXY=off|proxyconnect|unexpected EOF`)
	notThere = regexp.MustCompile(`unknown revision|invalid version|40[34] [A-Z]|410 Gone|no such file or directory|not found`)
)

// explain says what an error of the go command means for whoever wanted this version.
func (g goTool) explain(ctx context.Context, module, version string, err error) error {
	text := err.Error()
	switch {
	case notReached.MatchString(text):
		return fmt.Errorf("no module proxy could be reached to fetch %s %s: connect this machine to the network for the first build, or set GOPROXY to a proxy it can reach: %w",
			module, version, err)
	case module == mainModule(kubernetes) && notThere.MatchString(text):
		return fmt.Errorf("%w %s: the module proxy does not have it%s: %w", ErrUnknownVersion, version, g.suggest(ctx, version), err)
	default:
		return fmt.Errorf("building %s %s: %w", module, version, err)
	}
}

// suggest names released versions next to one that does not exist: those of the same minor, or else the newest of each of the last minors.
func (g goTool) suggest(ctx context.Context, version string) string {
	command := exec.CommandContext(ctx, g.path, "list", "-m", "-f", `{{join .Versions " "}}`, "-versions", mainModule(kubernetes))
	command.Env = append(command.Environ(), buildEnv()...)
	command.Dir = os.TempDir()
	output, err := command.Output()
	if err != nil {
		return "" // a hint less
	}
	var same []string
	newest := map[string]string{}
	for _, known := range strings.Fields(string(output)) {
		if semver.Prerelease(known) != "" {
			continue
		}
		minor := semver.MajorMinor(known)
		if minor == semver.MajorMinor(version) {
			same = append(same, known)
		}
		newest[minor] = known
	}
	if len(same) > 0 {
		return "; of this minor version it has " + strings.Join(same[max(0, len(same)-5):], ", ")
	}
	var latest []string
	for _, known := range newest {
		latest = append(latest, known)
	}
	if len(latest) == 0 {
		return ""
	}
	slices.SortFunc(latest, semver.Compare)
	return "; it has " + strings.Join(latest[max(0, len(latest)-5):], ", ")
}

// moduleFolder returns the folder to build in: the committed module, or a generated one below scratch.
func (g goTool) moduleFolder(ctx context.Context, module toolModule, scratch string) (string, error) {
	if module.dir != "" {
		return module.dir, nil
	}
	dir := filepath.Join(scratch, "module")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	return dir, generate(ctx, g, dir, module)
}
