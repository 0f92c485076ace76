package kind

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/version"
)

// host is what decides which work-arounds a node needs.
type host struct {
	// kubernetes is the version in the nodes' image.
	kubernetes *version.Version
	// cgroupV1: the engine's host has the old kind of cgroups.
	cgroupV1 bool
	// sysResource: a privileged container has CAP_SYS_RESOURCE.
	sysResource bool
}

// firstWithoutCgroupV1 is the version from which on kubelet refuses to start on cgroup v1 unless told not to.
var firstWithoutCgroupV1 = version.MustParseGeneric("1.35")

// examine looks into a container of the nodes' image. The engine's host need not be this machine, so nothing here can say.
func (e engine) examine(ctx context.Context, image string) (host, error) {
	told, err := docker(ctx, "run", "--rm", "--privileged", "--network=none", "--entrypoint=sh", image,
		"-c", "cat /kind/version; echo; cat /proc/self/status")
	if err != nil {
		return host{}, fmt.Errorf("run %s: %w", image, err)
	}
	first, status, _ := strings.Cut(told, "\n")
	kubernetes, err := version.ParseSemantic(strings.TrimSpace(first))
	if err != nil {
		return host{}, fmt.Errorf("%s is no image of a kind node: read its Kubernetes version: %w", image, err)
	}
	bounding, err := boundingSet(status)
	if err != nil {
		return host{}, fmt.Errorf("read the capabilities of a container: %w", err)
	}
	return host{kubernetes: kubernetes, cgroupV1: e.CgroupVersion == "1", sysResource: bounding&capSysResource != 0}, nil
}

// capSysResource is CAP_SYS_RESOURCE in a set of capabilities, see capabilities(7).
const capSysResource = 1 << 24

// boundingSet finds the capabilities that a process can have in its /proc/PID/status.
func boundingSet(status string) (uint64, error) {
	_, after, _ := strings.Cut(status, "CapBnd:")
	set, _, _ := strings.Cut(after, "\n")
	return strconv.ParseUint(strings.TrimSpace(set), 16, 64)
}

// refusesCgroupV1 reports whether the kubelet would not start.
func (h host) refusesCgroupV1() bool { return h.cgroupV1 && h.kubernetes.AtLeast(firstWithoutCgroupV1) }
