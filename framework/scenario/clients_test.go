package scenario

import (
	"testing"

	. "github.com/onsi/gomega"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/workload"
)

func TestClientsSpeakOfTheWorkloadInJSONAndOfDaemonSetsAsTheyAre(t *testing.T) {
	g := NewWithT(t)
	given := &rest.Config{Host: "https://127.0.0.1:1"}
	config, err := Environment{Config: given}.config()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.ContentType).To(BeEmpty())
	g.Expect(config.WrapTransport).To(BeNil())

	daemons := workload.Workload{Group: "rollcall.dev", Version: "v1alpha1", Kind: "Daemon", Resource: "daemons"}
	config, err = Environment{Config: given, Workload: daemons}.config()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.ContentType).To(Equal("application/json"))
	g.Expect(config.AcceptContentTypes).To(Equal("application/json"))
	g.Expect(config.WrapTransport).NotTo(BeNil())
	g.Expect(given.WrapTransport).To(BeNil(), "others use the config too")

	daemons.Codec = "magic"
	_, err = Environment{Config: given, Workload: daemons}.config()
	g.Expect(err).To(MatchError(ContainSubstring(`no codec "magic"`)))
}
