package kind

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/fixtures"
)

// fixture reads a file of fixtures/kind.
func fixture(name string) (string, error) {
	text, err := fs.ReadFile(fixtures.Files(), "kind/"+name)
	return string(text), err
}

// patch is one file of fixtures/kind that goes into a cluster's configuration.
type patch struct {
	file       string
	containerd bool
	// because is what the user is told; empty for what every cluster gets.
	because string
}

// patches are those that a cluster on this host needs.
func (h host) patches() []patch {
	needed := []patch{{file: "control-plane.yaml"}}
	if h.refusesCgroupV1() {
		needed = append(needed, patch{file: "kubelet-on-cgroup-v1.yaml", because: fmt.Sprintf("the engine's host has cgroup v1, which kubelet %s refuses", h.kubernetes)})
	}
	if !h.sysResource {
		needed = append(needed, patch{file: "containerd-without-sys-resource.toml", containerd: true, because: "the engine's host lacks CAP_SYS_RESOURCE"})
	}
	return needed
}

// configuration is fixtures/kind/cluster.yaml with this many workers (0: as many as there) and the patches, whose kube-apiserver keeps an audit log. kind's own pod network is left out: see
// network.go.
func configuration(workers int, patches []patch) (*v1alpha4.Cluster, error) {
	text, err := fixture("cluster.yaml")
	if err != nil {
		return nil, err
	}
	config := &v1alpha4.Cluster{}
	if err := yaml.UnmarshalStrict([]byte(text), config); err != nil {
		return nil, fmt.Errorf("read fixtures/kind/cluster.yaml: %w", err)
	}
	if workers < 0 {
		return nil, errors.New("a kind cluster cannot have a negative number of workers")
	}
	if workers > 0 {
		isWorker := func(node v1alpha4.Node) bool { return node.Role == v1alpha4.WorkerRole }
		worker := slices.IndexFunc(config.Nodes, isWorker)
		if worker < 0 {
			return nil, errors.New("fixtures/kind/cluster.yaml has no worker")
		}
		template := config.Nodes[worker]
		config.Nodes = append(slices.DeleteFunc(config.Nodes, isWorker), slices.Repeat([]v1alpha4.Node{template}, workers)...)
	}
	config.Networking.DisableDefaultCNI = true
	for _, p := range patches {
		text, err := fixture(p.file)
		if err != nil {
			return nil, err
		}
		if p.containerd {
			config.ContainerdConfigPatches = append(config.ContainerdConfigPatches, text)
		} else {
			config.KubeadmConfigPatches = append(config.KubeadmConfigPatches, text)
		}
	}
	audit, err := auditPatch()
	if err != nil {
		return nil, err
	}
	config.KubeadmConfigPatches = append(config.KubeadmConfigPatches, audit)
	return config, nil
}
