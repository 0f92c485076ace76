// Package united has the specs of UnitedDaemonSets: one DaemonSet that is different on subsets of the nodes. An implementation has to serve the kind
// UnitedDaemonSet of rollcall.dev.
package united

import (
	"context"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	api()
	subsets()
	edits()
	promoted()
	emptied()
	targetChanges()
	byHand()
	deletion()
	repelled()
	unwanted()
	surge()
	affinity()
	rivals()
	twins()
	missing()
	patches()
	paces()
	exchanges()
	cordoned()
	closing()
	joining()
	ended()
	restarts()
	crashes()
	suspended()
	withdrawn()
	hands()
	namesakes()
	longNames()
	sameTogether()
	hostnames()
	tolerations()
	turnedBack()
	leavingAgain()
	affinities()
	underWay()
	successors()
	orphaned()
	chosenMeanwhile()
	foreignNodes()
	anew()
}

// name is that of the scenarios' UnitedDaemonSet, target that of its target.
const (
	name   = "united"
	target = "daemon"
)

// zone is the label by which subsets select nodes.
const zone = "zone"

// silence is longer than a controller may be late.
const silence = 3 * time.Second

// kinds are what all specs record besides DaemonSets.
func kinds() spec.Kinds { return spec.Kinds{history.KindUnitedDaemonSet} }

// addNodes adds a node for each of the zones.
func addNodes(ctx context.Context, c *spec.Case, zones ...string) []string {
	first := 0
	c.Look(ctx, func(cluster *history.Cluster) { first = len(cluster.Nodes) })
	return c.AddNodes(ctx, len(zones), func(node *corev1.Node) {
		for i, in := range zones {
			if strings.HasSuffix(node.Name, "-"+digits(first+i)) {
				node.Labels[zone] = in
			}
		}
	})
}

func digits(n int) string { return string(rune('0' + n)) }

// relabel has the node change its zone.
func relabel(ctx context.Context, c *spec.Case, node, into string) {
	c.EditNode(ctx, history.LabelNode, node, func(node *corev1.Node) { node.Labels[zone] = into })
}

// placed waits until every node has the pod that it should have, until that is reported, and until nothing follows.
func placed(ctx context.Context, c *spec.Case) {
	c.Await(ctx, state.All(state.UnitedPlaced(name), state.UnitedObserved(name), state.UnitedReported(name)))
	c.Await(ctx, Quiet(time.Second))
}

// daemonSet returns the DaemonSet of that name; nil if there is none.
func daemonSet(cluster *history.Cluster, name string) *appsv1.DaemonSet {
	for _, ds := range cluster.DaemonSets {
		if ds.Name == name {
			return ds
		}
	}
	return nil
}
