// Package controlplane provides the programs of a Kubernetes control plane with simulated nodes, and on request those of real nodes: it builds
// them from their Go modules on first use and keeps them in a cache, by version.
//
// It knows nothing about how they are run.
package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// The versions that are built when nothing else is asked for and no tool modules are at hand to say. They are those of hack/tools.
const (
	DefaultKubernetesVersion = "v1.37.0"
	defaultEtcdVersion       = "v3.7.3"
	defaultKwokVersion       = "v0.8.0"
	defaultContainerdVersion = "v2.3.7"
	defaultCoreDNSVersion    = "v1.14.7"
)

// OldestKubernetesVersion is the first version whose kube-controller-manager knows its controllers by the names that implementation files have, such as
// daemonset-controller. Its scheduler knows kubescheduler.config.k8s.io/v1, with which it is started, and maxSurge of DaemonSets cannot be switched off.
const OldestKubernetesVersion = "v1.28.0"

// The errors of Ensure that the user can correct, not the harness's own: they are wrapped.
var (
	// ErrUnknownVersion: there is no such version of Kubernetes, or it is older than OldestKubernetesVersion.
	ErrUnknownVersion = errors.New("unknown Kubernetes version")
	// ErrNoCacheDir: Options.CacheDir is empty and the environment says no home folder either.
	ErrNoCacheDir = errors.New("no folder for control-plane programs")
)

// Options says which programs are wanted, and from where.
type Options struct {
	// Version is the Kubernetes version, all three numbers, with or without the "v". Default: the one that the tool modules pin,
	// or DefaultKubernetesVersion. Versions of everything else are always the pinned ones.
	Version string
	// CacheDir is where the programs are kept. Default: the folder "rollcall" in os.UserCacheDir.
	CacheDir string
	// ToolsDir holds the modules kubernetes, etcd, kwok and so on, whose go.sum files pin what is built. Default: hack/tools of
	// rollcall's own checkout when the working directory is inside one. Without it, for whoever uses rollcall as a dependency,
	// equivalent modules are generated and the checksum database vouches for them.
	ToolsDir string
	// Out gets a line before and after whatever takes long. Default: none.
	Out io.Writer
	// Names selects programs; see Names and NodeNames. Default: all of Names.
	Names []string
}

// Binaries are programs that are built and verified.
type Binaries struct {
	// Dir is a folder with a link to each of them, under its name.
	Dir string
	// KubernetesVersion is the version of Kubernetes' own programs, with the "v".
	KubernetesVersion string

	paths map[string]string
}

// Path is the program's file in the cache; empty if it was not among Options.Names.
func (b Binaries) Path(name string) string { return b.paths[name] }

// Names lists the programs of a control plane with simulated nodes.
func Names() []string { return namesOf(programs()) }

func namesOf(programs []program) []string {
	var names []string
	for _, p := range programs {
		names = append(names, p.name)
	}
	return names
}

// Ensure returns the programs asked for, building those that the cache lacks or holds in another state than they were built in. It may be
// called from many processes at once: one builds, the others wait. Without anything to build it needs neither network nor Go.
//
// The error wraps ErrUnknownVersion or ErrNoCacheDir where the user asked for what cannot be, and otherwise says what to install or to reach.
func Ensure(ctx context.Context, options Options) (Binaries, error) {
	wanted, err := selected(options.Names)
	if err != nil {
		return Binaries{}, err
	}
	if options.Out == nil {
		options.Out = io.Discard
	}
	cache, err := cacheDir(options.CacheDir)
	if err != nil {
		return Binaries{}, err
	}
	modules, err := toolModules(options, moduleNames(wanted))
	if err != nil {
		return Binaries{}, err
	}

	binaries := Binaries{KubernetesVersion: modules[kubernetes].version, paths: map[string]string{}}
	for _, name := range moduleNames(wanted) {
		module := modules[name]
		ofModule := slices.DeleteFunc(slices.Clone(wanted), func(p program) bool { return p.module != name })
		shelf := shelfOf(cache, module, options.Out)
		if err := shelf.fill(ctx, ofModule); err != nil {
			return Binaries{}, err
		}
		for _, p := range ofModule {
			binaries.paths[p.name] = shelf.path(p)
		}
	}
	binaries.Dir = filepath.Join(cache, "bin", fmt.Sprintf("kubernetes-%s_etcd-%s_kwok-%s_%s",
		modules[kubernetes].version, modules[etcd].version, modules[kwok].version, platform()))
	if err := linkAll(binaries.Dir, binaries.paths); err != nil {
		return Binaries{}, fmt.Errorf("linking the control-plane programs into %s: %w", binaries.Dir, err)
	}
	return binaries, nil
}

func platform() string { return runtime.GOOS + "-" + runtime.GOARCH }

func cacheDir(given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("%w: set XDG_CACHE_HOME or HOME: %w", ErrNoCacheDir, err)
	}
	return filepath.Join(base, "rollcall"), nil
}

// linkAll makes dir hold a symbolic link for every program. A link that is right is left alone, since others may be using it.
func linkAll(dir string, targets map[string]string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for name, target := range targets {
		link := filepath.Join(dir, name)
		if now, err := os.Readlink(link); err == nil && now == target {
			continue
		}
		fresh, err := os.MkdirTemp(dir, ".link-")
		if err != nil {
			return err
		}
		err = os.Symlink(target, filepath.Join(fresh, name))
		if err == nil {
			err = os.Rename(filepath.Join(fresh, name), link)
		}
		if err := errors.Join(err, os.RemoveAll(fresh)); err != nil {
			return err
		}
	}
	return nil
}
