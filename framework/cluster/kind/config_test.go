package kind

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/apimachinery/pkg/util/version"
	"sigs.k8s.io/kind/pkg/apis/config/v1alpha4"
)

func TestOnlyWhatAHostNeedsIsPatched(t *testing.T) {
	for name, tt := range map[string]struct {
		host  host
		files []string
	}{
		"a laptop": {
			host{kubernetes: version.MustParseSemantic("v1.37.0"), sysResource: true},
			[]string{"control-plane.yaml"},
		},
		"cgroup v1 with the first kubelet that refuses it": {
			host{kubernetes: version.MustParseSemantic("v1.35.0"), cgroupV1: true, sysResource: true},
			[]string{"control-plane.yaml", "kubelet-on-cgroup-v1.yaml"},
		},
		"cgroup v1 with the last kubelet that does not": {
			host{kubernetes: version.MustParseSemantic("v1.34.4"), cgroupV1: true, sysResource: true},
			[]string{"control-plane.yaml"},
		},
		"without CAP_SYS_RESOURCE": {
			host{kubernetes: version.MustParseSemantic("v1.37.0")},
			[]string{"control-plane.yaml", "containerd-without-sys-resource.toml"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			var files []string
			for i, p := range tt.host.patches() {
				files = append(files, p.file)
				if i == 0 {
					g.Expect(p.because).To(BeEmpty(), "what every cluster gets is not worth a line")
				} else {
					g.Expect(p.because).NotTo(BeEmpty(), "the user is told of %s", p.file)
				}
			}
			g.Expect(files).To(Equal(tt.files))
		})
	}
}

func TestAConfigurationIsTheFixturesWithThePatchesInTheirPlaces(t *testing.T) {
	g := NewWithT(t)
	config, err := configuration(0, host{kubernetes: version.MustParseSemantic("v1.37.0"), cgroupV1: true}.patches())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.Networking.DisableDefaultCNI).To(BeTrue())
	g.Expect(config.KubeadmConfigPatches).To(HaveExactElements(
		ContainSubstring("kube-api-qps"), ContainSubstring("failCgroupV1: false"), ContainSubstring("audit-log-path"),
	))
	g.Expect(config.ContainerdConfigPatches).To(HaveExactElements(ContainSubstring("restrict_oom_score_adj = true")))
}

func TestAClusterHasOneControlPlaneAndTheWorkersAskedFor(t *testing.T) {
	for asked, workers := range map[int]int{0: 4, 1: 1, 7: 7} {
		g := NewWithT(t)
		config, err := configuration(asked, nil)
		g.Expect(err).NotTo(HaveOccurred())
		roles := map[v1alpha4.NodeRole]int{}
		for _, node := range config.Nodes {
			roles[node.Role]++
		}
		g.Expect(roles).To(Equal(map[v1alpha4.NodeRole]int{v1alpha4.ControlPlaneRole: 1, v1alpha4.WorkerRole: workers}))
	}
	_, err := configuration(-1, nil)
	NewWithT(t).Expect(err).To(MatchError(ContainSubstring("negative")))
}

func TestTheBoundingSetTellsWhetherACapabilityCanBeHad(t *testing.T) {
	g := NewWithT(t)
	with, err := boundingSet("Name:\tcat\nCapBnd:\t000001ffffffffff\nCapAmb:\t0000000000000000\n")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(with & capSysResource).NotTo(BeZero())
	without, err := boundingSet("CapBnd:\t0000003ffeffffff\n")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(without & capSysResource).To(BeZero())
	_, err = boundingSet("Name:\tcat\n")
	g.Expect(err).To(HaveOccurred())
}
