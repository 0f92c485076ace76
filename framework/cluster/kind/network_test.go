package kind

import (
	"encoding/json"
	"testing"

	. "github.com/onsi/gomega"
)

func TestANodeHasARouteToEveryOthersPods(t *testing.T) {
	networks := []machineNetwork{{"a", "172.18.0.2", "10.244.0.0/24"}, {"b", "172.18.0.3", "10.244.1.0/24"}, {"c", "172.18.0.4", "10.244.2.0/24"}}
	NewWithT(t).Expect(routes("b", networks)).To(Equal("route replace 10.244.0.0/24 via 172.18.0.2\nroute replace 10.244.2.0/24 via 172.18.0.4\n"))
}

func TestTheNetworkPluginsGetTheNodesOwnRange(t *testing.T) {
	g := NewWithT(t)
	text, err := conflist("10.244.1.0/24")
	g.Expect(err).NotTo(HaveOccurred())
	var parsed struct {
		Plugins []struct {
			IPAM struct {
				Ranges [][]struct{ Subnet string }
			}
		}
	}
	g.Expect(json.Unmarshal([]byte(text), &parsed)).To(Succeed())
	g.Expect(parsed.Plugins[0].IPAM.Ranges[0][0].Subnet).To(Equal("10.244.1.0/24"))
}
