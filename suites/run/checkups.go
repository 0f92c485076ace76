package run

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kwok"
	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// What runs take, roughly: 10 specs at once on embedded, some of them on a control plane of their own, 4 workers on kind. A build takes disk for the build cache of Go, too.
var (
	diskToBuild    = resource.MustParse("6Gi")
	diskToRun      = resource.MustParse("1Gi")
	embeddedMemory = resource.MustParse("4Gi")
	kindMemory     = resource.MustParse("4Gi")
)

// Kubelets and their containers' runtimes watch many files: see kind's known issues.
const (
	inotifyInstances = 512
	inotifyWatches   = 65536
)

func embeddedCheckups(ctx context.Context, version string) ([]checkup, error) {
	missing, err := controlplane.Missing(controlplane.Options{Version: version})
	if err != nil {
		return nil, err
	}
	return append([]checkup{system(), programs(missing), goCommand(ctx, missing), disk(missing), memory(embeddedMemory)}, loopback(), clock()), nil
}

func kindCheckups(ctx context.Context, version string) []checkup {
	missing, err := controlplane.Missing(controlplane.Options{Version: version, Names: []string{kwok.Name}})
	if err != nil {
		return []checkup{{what: "programs", found: err.Error(), fix: "see above"}}
	}
	engine := checkup{what: "Docker engine", found: "answers"}
	image := checkup{what: "node image"}
	if err := kind.EngineAnswers(ctx); err != nil {
		// The error says what to do, behind the colon.
		engine.found, engine.fix, _ = strings.Cut(err.Error(), ": ")
		image.found, image.fix, image.warning = "not looked for without an engine", "start one", true
	} else if image.found = kind.ImageHere(ctx, version); image.found == "" {
		image.found, image.fix, image.warning = "the engine has none", "it will be pulled; where no registry can be reached, build one on Debian: make node-image", true
	}
	return []checkup{system(), engine, image, programs(missing), goCommand(ctx, missing), disk(missing), memory(kindMemory),
		limit("max_user_instances", inotifyInstances), limit("max_user_watches", inotifyWatches), clock()}
}

func system() checkup {
	c := checkup{what: "system", found: runtime.GOOS + "/" + runtime.GOARCH}
	if runtime.GOOS != "linux" {
		c.fix = "run it on Linux, in a virtual machine if need be"
	}
	return c
}

func programs(missing []string) checkup {
	if len(missing) == 0 {
		return checkup{what: "programs of the control plane", found: "built"}
	}
	return checkup{what: "programs of the control plane", found: "not built: " + strings.Join(missing, ", "), fix: "the first run builds them, or `rollcall build`", warning: true}
}

func goCommand(ctx context.Context, missing []string) checkup {
	version, err := controlplane.GoVersion(ctx)
	if err == nil {
		return checkup{what: "Go", found: version}
	}
	return checkup{what: "Go", found: "no go command", fix: "install Go from https://go.dev/dl and put it into PATH: programs are built with it, and implementations", warning: len(missing) == 0}
}

// disk looks at the file system of the cache.
func disk(missing []string) checkup {
	c := checkup{what: "disk"}
	folder, err := controlplane.CacheDir()
	if err != nil {
		c.found, c.fix = "no folder for the cache", "set HOME or XDG_CACHE_HOME"
		return c
	}
	wanted := diskToRun
	if len(missing) > 0 {
		wanted = diskToBuild
	}
	if err := writable(existingParent(folder)); err != nil {
		c.found, c.fix = folder+": "+err.Error(), "set XDG_CACHE_HOME to a folder that you can write to"
		return c
	}
	free, err := freeDisk(existingParent(folder))
	if err != nil {
		c.found, c.fix, c.warning = err.Error(), "it takes "+wanted.String(), true
		return c
	}
	return enough(c.what, free, wanted, "free some in "+folder+", or set XDG_CACHE_HOME to a larger disk", false)
}

// existingParent is the folder, or the nearest one above it that exists.
func existingParent(folder string) string {
	for {
		if _, err := os.Stat(folder); !errors.Is(err, os.ErrNotExist) || folder == filepath.Dir(folder) {
			return folder
		}
		folder = filepath.Dir(folder)
	}
}

func memory(wanted resource.Quantity) checkup {
	size, err := memorySize()
	if err != nil {
		return checkup{what: "memory", found: err.Error(), fix: "it takes " + wanted.String(), warning: true}
	}
	return enough("memory", size, wanted, "take a larger machine, or fewer specs at once (-procs)", true)
}

func enough(what string, bytes int64, wanted resource.Quantity, fix string, warning bool) checkup {
	c := checkup{what: what, found: fmt.Sprintf("%.1f GiB, %.0f GiB needed", gibibytes(bytes), gibibytes(wanted.Value())), warning: warning}
	if bytes < wanted.Value() {
		c.fix = fix
	}
	return c
}

func gibibytes(bytes int64) float64 { return float64(bytes) / (1 << 30) }

func loopback() checkup {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return checkup{what: "loopback", found: err.Error(), fix: "bring the interface lo up: the control plane listens on it"}
	}
	address := listener.Addr()
	if err := listener.Close(); err != nil {
		return checkup{what: "loopback", found: err.Error(), fix: "allow sockets on " + address.String()}
	}
	return checkup{what: "loopback", found: "ports can be had"}
}

// limit looks at one of the kernel's limits on inotify.
func limit(name string, wanted int) checkup {
	c := checkup{what: "fs.inotify." + name, warning: true}
	text, err := os.ReadFile("/proc/sys/fs/inotify/" + name)
	if err != nil {
		c.found, c.fix = err.Error(), fmt.Sprintf("kubelets take %d", wanted)
		return c
	}
	c.found = strings.TrimSpace(string(text))
	if there, err := strconv.Atoi(c.found); err != nil || there < wanted {
		c.fix = fmt.Sprintf("raise it: sysctl fs.inotify.%s=%d", name, wanted)
	}
	return c
}

// clock asks the kernel whether something keeps the clock right: one that is set while a run goes on spoils measurements.
func clock() checkup {
	kept, err := clockKept()
	switch {
	case err != nil:
		return checkup{what: "clock", found: err.Error(), fix: "see that nothing sets it during a run", warning: true}
	case !kept:
		return checkup{what: "clock", found: "nothing keeps it synchronized", fix: "see that nothing sets it during a run", warning: true}
	}
	return checkup{what: "clock", found: "synchronized"}
}
