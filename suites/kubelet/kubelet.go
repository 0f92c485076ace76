// Package kubelet has the specs of what only real nodes can show: readiness probes, crashing containers, images that cannot be pulled, signals, machines
// that go away, and clients that count what they lose.
package kubelet

// Specs registers the family.
func Specs() {
	readiness()
	broken()
	signals()
	machines()
	controller()
	clients()
}

// otherThan returns the first node that is not the one given.
func otherThan(node string, nodes []string) string {
	for _, other := range nodes {
		if other != node {
			return other
		}
	}
	return ""
}
