package kind

import (
	"errors"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	"sigs.k8s.io/kind/pkg/apis/config/defaults"

	"github.com/rollcall-conformance/rollcall/framework/controlplane"
)

func TestWhichImagesAreLookedFor(t *testing.T) {
	for name, tt := range map[string]struct {
		image, version string
		want           []string
	}{
		"by default":         {"", "", []string{"rollcall.dev/node:" + controlplane.DefaultKubernetesVersion, defaults.Image}},
		"of a version":       {"", "v1.34.4", []string{"rollcall.dev/node:v1.34.4", "kindest/node:v1.34.4"}},
		"without the v":      {"", "1.34.4", []string{"rollcall.dev/node:v1.34.4", "kindest/node:v1.34.4"}},
		"a certain one only": {"example.test/node:x", "v1.34.4", []string{"example.test/node:x"}},
	} {
		t.Run(name, func(t *testing.T) {
			NewWithT(t).Expect(candidates(tt.image, tt.version)).To(Equal(tt.want))
		})
	}
}

func TestAMissingImageIsToldInOneLineWithWhatToDo(t *testing.T) {
	g := NewWithT(t)
	err := missingImage([]string{"rollcall.dev/node:v1.34.4", "kindest/node:v1.34.4"}, "v1.34.4", errors.New("docker pull: no such host"))
	g.Expect(strings.Count(err.Error(), "\n")).To(BeZero())
	for _, part := range []string{"rollcall.dev/node:v1.34.4", "kindest/node:v1.34.4", "no such host", "make node-image KUBERNETES_VERSION=1.34.4"} {
		g.Expect(err).To(MatchError(ContainSubstring(part)))
	}
	g.Expect(missingImage(nil, "", errors.New("x"))).To(MatchError(HaveSuffix("KUBERNETES_VERSION=" + strings.TrimPrefix(controlplane.DefaultKubernetesVersion, "v"))))
}
