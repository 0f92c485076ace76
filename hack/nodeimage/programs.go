package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

// ownPrograms are the commands below this one's folder.
const ownPrograms = "github.com/rollcall-conformance/rollcall/hack/nodeimage/"

// programs are all executables that go into the image and are not Debian's.
type programs struct {
	controlplane.Binaries
	pause, iptables string
}

func buildPrograms(ctx context.Context, version, cache string) (programs, error) {
	names := slices.Concat([]string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kubectl", "etcd"}, controlplane.NodeNames())
	built, err := controlplane.Ensure(ctx, controlplane.Options{Version: version, Names: names, Out: os.Stderr})
	if err != nil {
		return programs{}, err
	}
	p := programs{Binaries: built, pause: filepath.Join(cache, "programs", "pause"), iptables: filepath.Join(cache, "programs", "iptables")}
	for name, path := range map[string]string{"pause": p.pause, "iptables": p.iptables} {
		command := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-trimpath", "-ldflags=-s -w", "-o", path, ownPrograms+name)
		command.Env = append(command.Environ(), "CGO_ENABLED=0")
		if output, err := command.CombinedOutput(); err != nil {
			return programs{}, fmt.Errorf("building %s: %w: %s", name, err, output)
		}
	}
	return p, nil
}

// files are the paths of all programs, always in the same order.
func (p programs) files() []string {
	files := []string{p.pause, p.iptables}
	for _, name := range slices.Concat(controlplane.Names(), controlplane.NodeNames()) {
		if path := p.Path(name); path != "" {
			files = append(files, path)
		}
	}
	return files
}
