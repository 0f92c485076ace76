package controlplane

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/semver"
)

// rollcallModule is how rollcall's own checkout is recognised.
const rollcallModule = "github.com/rollcall-conformance/rollcall"

// firstWithoutProviders is the first version of Kubernetes that has no cloud providers, and no build tag to leave them out.
const firstWithoutProviders = "v1.31.0"

// generatedRecipe stands for a module that was generated, where another has the digest of its files.
const generatedRecipe = "generated"

// toolModule is a Go module from which programs are built.
type toolModule struct {
	name    string
	version string
	// dir is the module's folder; empty if the module is to be generated.
	dir string
	// recipe identifies what, beside the version, decides what is built.
	recipe string
	// tags are build tags, separated by commas.
	tags string
	// ldflags are for the linker: no symbol tables, and the version that the program shall say.
	ldflags string
}

// mainModule is the module path whose version is the version of the tool module's programs.
func mainModule(name string) string {
	return map[string]string{
		kubernetes:      "k8s.io/kubernetes",
		kubernetesTests: "k8s.io/kubernetes",
		etcd:            "go.etcd.io/etcd/server/v3",
		kwok:            "sigs.k8s.io/kwok",
		containerd:      "github.com/containerd/containerd/v2",
		coredns:         "github.com/coredns/coredns",
	}[name]
}

// toolModules decides for each of the named modules which version is built, and whether from the module in the tools folder or from a generated one.
func toolModules(options Options, names []string) (map[string]toolModule, error) {
	tools := options.ToolsDir
	if tools == "" {
		found, err := findToolsDir()
		if err != nil {
			return nil, err
		}
		tools = found
	}
	defaults := map[string]string{
		kubernetes: DefaultKubernetesVersion,
		etcd:       defaultEtcdVersion,
		kwok:       defaultKwokVersion,
		containerd: defaultContainerdVersion,
		coredns:    defaultCoreDNSVersion,
	}
	modules := map[string]toolModule{}
	for _, name := range names {
		modules[name] = toolModule{version: defaults[name], recipe: generatedRecipe}
		if tools != "" {
			module, err := committedModule(name, filepath.Join(tools, name))
			if err != nil {
				return nil, fmt.Errorf("reading the tool module for %s: %w", name, err)
			}
			modules[name] = module
		}
	}
	if options.Version != "" {
		version, err := ParseVersion(options.Version)
		if err != nil {
			return nil, err
		}
		if version != modules[kubernetes].version {
			modules[kubernetes] = toolModule{version: version, recipe: generatedRecipe}
		}
	}
	if tests, wanted := modules[kubernetesTests]; wanted && (tests.dir == "" || tests.version != modules[kubernetes].version) {
		return nil, fmt.Errorf("the tests of Kubernetes are built in rollcall's checkout alone, and for the version that hack/tools pins, not %s", modules[kubernetes].version)
	}
	for name, module := range modules {
		module.name = name
		module.tags, module.ldflags = tags(name, module.version), ldflags(name, module.version)
		modules[name] = module
	}
	return modules, nil
}

// ParseVersion returns a version of Kubernetes, given with or without the "v", with it. The error wraps ErrUnknownVersion.
func ParseVersion(text string) (string, error) {
	version := "v" + strings.TrimPrefix(text, "v")
	if !semver.IsValid(version) || semver.Canonical(version) != version || semver.Major(version) != "v1" {
		return "", fmt.Errorf("%w %q: give all three numbers of a version 1.x.y, as in %s", ErrUnknownVersion, text, DefaultKubernetesVersion)
	}
	if semver.Compare(version, OldestKubernetesVersion) < 0 {
		return "", fmt.Errorf("%w %s: rollcall takes %s and later", ErrUnknownVersion, version, OldestKubernetesVersion)
	}
	return version, nil
}

func tags(name, version string) string {
	switch {
	case name == containerd:
		return "no_btrfs,no_devmapper,no_zfs" // snapshotters that need C libraries or that no node here uses
	case name == kubernetes && semver.Compare(version, firstWithoutProviders) < 0:
		return "providerless" // no cloud is needed here, nor k8s.io/legacy-cloud-providers and the clouds' own modules
	default:
		return ""
	}
}

func ldflags(name, version string) string {
	flags := "-s -w"
	switch name {
	case containerd:
		return flags + " -X github.com/containerd/containerd/v2/version.Version=" + version
	case kubernetes, kubernetesTests:
	default:
		return flags
	}
	numbers := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	for _, pkg := range []string{"k8s.io/component-base/version", "k8s.io/client-go/pkg/version"} {
		flags += fmt.Sprintf(" -X %[1]s.gitVersion=%[2]s -X %[1]s.gitMajor=%[3]s -X %[1]s.gitMinor=%[4]s", pkg, version, numbers[0], numbers[1])
	}
	return flags
}

// committedModule reads a module whose go.mod and go.sum are somebody's responsibility.
func committedModule(name, dir string) (toolModule, error) {
	path := filepath.Join(dir, "go.mod")
	text, err := os.ReadFile(path)
	if err != nil {
		return toolModule{}, err
	}
	file, err := modfile.Parse(path, text, nil)
	if err != nil {
		return toolModule{}, err
	}
	sums, err := os.ReadFile(filepath.Join(dir, "go.sum"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return toolModule{}, err
	}
	// Some have a program of their own, which decides too what is built.
	program, err := os.ReadFile(filepath.Join(dir, "main.go"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return toolModule{}, err
	}
	for _, require := range file.Require {
		if require.Mod.Path == mainModule(name) {
			digest := sha256.Sum256(slices.Concat(text, sums, program))
			return toolModule{version: require.Mod.Version, dir: dir, recipe: hex.EncodeToString(digest[:])}, nil
		}
	}
	return toolModule{}, fmt.Errorf("%s does not require %s", path, mainModule(name))
}

// findToolsDir looks for hack/tools from the working directory upwards; nothing is found outside of rollcall's checkout. (The module
// cache would be of no use: modules inside a module are not part of what is published of it.)
func findToolsDir() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for the tool modules: %w", err)
	}
	for {
		text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		if err == nil && modfile.ModulePath(text) == rollcallModule {
			tools := filepath.Join(dir, "hack", "tools")
			if _, err := os.Stat(filepath.Join(tools, kubernetes, "go.mod")); err != nil {
				return "", nil
			}
			return tools, nil
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", nil
		}
		dir = parent
	}
}
