package controlplane

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"
)

// The modules that programs come from, which are also folders of hack/tools and of the cache.
const (
	kubernetes = "kubernetes"
	etcd       = "etcd"
	kwok       = "kwok"
)

// kubernetesTests has a program of its own for Kubernetes' end-to-end tests, and is therefore never generated. Were it in the module kubernetes, every change of
// its dependencies would build the control plane anew.
const kubernetesTests = "e2e"

// versionPatience is more than any program needs to print its version.
const versionPatience = 30 * time.Second

// program is one executable that can be built.
type program struct {
	name string
	// module is where it comes from: kubernetes, e2e, etcd, kwok, containerd or coredns.
	module string
	// pkg is its main package.
	pkg string
	// cold is how long the first build took on 2 cores with an empty Go build cache, in the order of Names. It is told to the user
	// who waits, nothing depends on it.
	cold time.Duration
	// versionArgs make it print its version, which then must contain versionText followed by the number.
	versionArgs []string
	versionText string
}

func programs() []program {
	return []program{
		{
			name: "kube-apiserver", module: kubernetes, pkg: "k8s.io/kubernetes/cmd/kube-apiserver", cold: 210 * time.Second,
			versionArgs: []string{"--version"}, versionText: "Kubernetes v",
		},
		{
			name: "kube-controller-manager", module: kubernetes, pkg: "k8s.io/kubernetes/cmd/kube-controller-manager", cold: 75 * time.Second,
			versionArgs: []string{"--version"}, versionText: "Kubernetes v",
		},
		{
			name: "kube-scheduler", module: kubernetes, pkg: "k8s.io/kubernetes/cmd/kube-scheduler", cold: 15 * time.Second,
			versionArgs: []string{"--version"}, versionText: "Kubernetes v",
		},
		{
			name: "kubectl", module: kubernetes, pkg: "k8s.io/kubernetes/cmd/kubectl", cold: 20 * time.Second,
			versionArgs: []string{"version", "--client"}, versionText: "Client Version: v",
		},
		{
			name: "etcd", module: etcd, pkg: "go.etcd.io/etcd/server/v3", cold: 20 * time.Second,
			versionArgs: []string{"--version"}, versionText: "etcd Version: ",
		},
		{
			name: "kwok", module: kwok, pkg: "sigs.k8s.io/kwok/cmd/kwok", cold: time.Minute,
			versionArgs: []string{"--version"}, versionText: "kwok version v",
		},
	}
}

func selected(names []string) ([]program, error) {
	if len(names) == 0 {
		return programs(), nil
	}
	all := slices.Concat(programs(), nodePrograms(), testPrograms())
	known := namesOf(all)
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no control-plane program %q: there are %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all, func(p program) bool { return !slices.Contains(names, p.name) }), nil
}

// moduleNames are the modules that programs come from. Those of the control plane are always among them: the folder with the links is named
// after their versions.
func moduleNames(wanted []program) []string {
	names := []string{kubernetes, etcd, kwok}
	for _, p := range wanted {
		if !slices.Contains(names, p.module) {
			names = append(names, p.module)
		}
	}
	return names
}

// checkVersion runs a freshly built program: one that cannot run, or that takes itself for another version, must not get into the cache.
func (p program) checkVersion(ctx context.Context, path, version string) error {
	ctx, cancel := context.WithTimeout(ctx, versionPatience)
	defer cancel()
	output, err := exec.CommandContext(ctx, path, p.versionArgs...).CombinedOutput()
	got := strings.TrimSpace(string(output))
	if err != nil {
		return fmt.Errorf("asking the new %s for its version: %w: %s", p.name, err, got)
	}
	_, after, found := strings.Cut(got, p.versionText)
	said, _, _ := strings.Cut(after, "\n")
	said, _, _ = strings.Cut(said, " ")
	if want := strings.TrimPrefix(version, "v"); !found || said != want {
		return fmt.Errorf("the new %s was built as version %s but says %q", p.name, version, got)
	}
	return nil
}
