// Command nodeimage builds the Docker image of a kind node from source and from the machine's own Debian sources: no image registry is asked for
// anything. It needs a Docker engine, and root or user namespaces for the root file system.
//
// Every step is kept, by the versions and the contents that went into it, below the user's cache folder; what is there is not built again.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// imageRepository is the image's name without its tag, which is the version of Kubernetes.
const imageRepository = "rollcall.dev/node"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	version := flag.String("kubernetes-version", controlplane.DefaultKubernetesVersion, "`version` of Kubernetes, all three numbers")
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "node-image: unexpected argument %q: the version is a flag, -kubernetes-version\n", flag.Arg(0))
		os.Exit(2)
	}
	began := time.Now()
	image := imageRepository + ":v" + strings.TrimPrefix(*version, "v")
	if err := run(ctx, *version, image); err != nil {
		fmt.Fprintln(os.Stderr, "node-image:", err)
		os.Exit(1)
	}
	say("%s is there, after %s", image, time.Since(began).Round(time.Second))
}

func run(ctx context.Context, version, image string) error {
	if err := engineAnswers(ctx); err != nil {
		return err
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return fmt.Errorf("finding the folder for node images: %w (set XDG_CACHE_HOME or HOME)", err)
	}
	cache := filepath.Join(base, "rollcall", "node-image")
	if err := os.MkdirAll(cache, 0o755); err != nil {
		return err
	}
	lock := flock.New(filepath.Join(cache, ".lock"))
	if _, err := lock.TryLockContext(ctx, time.Second); err != nil {
		return fmt.Errorf("waiting for another build of a node image to end: %w", err)
	}
	// The lock ends with the process at the latest.
	defer func() { _ = lock.Close() }()

	kind, err := findKind(ctx)
	if err != nil {
		return err
	}
	sources, err := debianSources(ctx)
	if err != nil {
		return err
	}
	node, err := nodeRoot(sources).keep(ctx, cache)
	if err != nil {
		return err
	}
	proxy, err := proxyRoot(sources).keep(ctx, cache)
	if err != nil {
		return err
	}
	programs, err := buildPrograms(ctx, version, cache)
	if err != nil {
		return err
	}
	build := nodeImage{kind: kind, programs: programs, nodeRoot: node, proxyRoot: proxy, tag: image}
	return build.keep(ctx, cache)
}

// say tells the user what happens.
func say(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "node-image: "+format+"\n", args...)
}

// timed says what is being done, and how long it took.
func timed(what string, do func() error) error {
	say("%s", what)
	began := time.Now()
	if err := do(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	say("%s: done in %s", what, time.Since(began).Round(time.Second))
	return nil
}
