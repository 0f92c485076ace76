package passive

import (
	"cmp"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Rollout is what was seen of one: from another pod template, or from the beginning of the watch where old pods were there already, until every eligible node
// has one pod, which is updated and available.
type Rollout struct {
	// Workload is namespace and name of the DaemonSet.
	Workload string
	// Underway: it had begun before the watch did.
	Underway bool
	// Overtaken: another template came before it was over, or the DaemonSet went.
	Overtaken bool
	// Began and Ended are when it did, by the cluster's clock; Ended is zero while it goes on.
	Began, Ended time.Time
	// Nodes is how many nodes the DaemonSet was to run on at the end.
	Nodes int
	// Order has the nodes in the order in which updated pods were created there.
	Order []string
	// Unavailable is how many eligible nodes were without an available pod at once, at most, and UnavailableAtFirst how many were when it began; Surged how many
	// had two live pods at once. Limits are maxUnavailable and maxSurge, scaled.
	Unavailable, UnavailableAtFirst, Surged int
	Limits                                  Limits
	// Took is how long each updated pod took from its creation until it was available, of many the last 10,000 or more. Waiting are those that were not yet, and since when they exist.
	Took    []Took
	Waiting []Took
	// Deleted counts the pods that the controller deleted, as its Events say; Evicted those that somebody evicted; Unclaimed those that nobody said they deleted.
	Deleted, Evicted, Unclaimed int
}

// Took is how long a pod took, or has taken so far.
type Took struct {
	Pod, Node string
	Time      time.Duration
}

// tookKept is how many a rollout holds: one that never ends may make pods for ever.
const tookKept = 20_000

func (r *Rollout) took(one Took) {
	if len(r.Took) == tookKept {
		r.Took = slices.Delete(r.Took, 0, tookKept/2)
	}
	r.Took = append(r.Took, one)
}

// Limits of a rollout, in nodes.
type Limits struct{ Unavailable, Surge int }

// Lasted is how long the rollout took, or has taken by a time.
func (r *Rollout) Lasted(now time.Time) time.Duration {
	if !r.Ended.IsZero() {
		now = r.Ended
	}
	return now.Sub(r.Began)
}

// Slow returns the pods that took more than twice as long as half of them did, the slowest first, and those that were not available in the end.
func (r *Rollout) Slow() []Took {
	all := slices.Clone(r.Took)
	slices.SortFunc(all, func(a, b Took) int { return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(a.Pod, b.Pod)) })
	var slow []Took
	for _, took := range all {
		if took.Time > 2*all[len(all)/2].Time && took.Time > notable {
			slow = append(slow, took)
		}
	}
	return slow
}

// notable is the shortest time that makes a pod slow.
const notable = 5 * time.Second

// following is what is known of one DaemonSet.
type following struct {
	object   *appsv1.DaemonSet
	template int
	rollout  *Rollout
	// unserved are the eligible nodes without an available pod, doubled the nodes with two live ones, ripening those that time alone may serve.
	unserved, doubled, ripening map[string]bool
	// old are the nodes with a live old pod.
	old map[string]bool
	// waiting are the updated pods of the rollout that are not available yet.
	waiting map[types.UID]waiting
}

type waiting struct {
	name, node string
	since      time.Time
}

func newFollowing(object *appsv1.DaemonSet, template int) *following {
	return &following{
		object: object, template: template, unserved: map[string]bool{}, doubled: map[string]bool{}, ripening: map[string]bool{}, old: map[string]bool{},
		waiting: map[types.UID]waiting{},
	}
}

// begin begins a rollout.
func (f *following) begin(now time.Time, underway bool) *Rollout {
	f.rollout = &Rollout{
		Workload: f.object.Namespace + "/" + f.object.Name, Underway: underway, Began: now, UnavailableAtFirst: len(f.unserved),
	}
	return f.rollout
}

// end ends the rollout, which it returns.
func (f *following) end() *Rollout {
	over := f.rollout
	f.rollout = nil
	clear(f.waiting)
	return over
}

// forget drops what was counted: a state follows of which is not known how it came about.
func (f *following) forget(cluster *history.Cluster) {
	clear(f.unserved)
	clear(f.doubled)
	clear(f.ripening)
	clear(f.old)
	maps.DeleteFunc(f.waiting, func(uid types.UID, _ waiting) bool { return cluster.Pods[uid] == nil })
}

// look counts a node anew.
func (f *following) look(cluster *history.Cluster, node string) {
	minReady := f.object.Spec.MinReadySeconds
	live, old, served, ripening := 0, false, false, false
	for _, pod := range cluster.PodsOn(f.object.UID, node) {
		if history.IsLive(pod) {
			live++
			old = old || !cluster.IsUpdated(pod)
		}
		available := history.IsAvailable(pod, minReady, cluster.Time)
		served = served || available
		ripening = ripening || !available && history.IsLive(pod) && history.IsReady(pod)
		if begun, waits := f.waiting[pod.UID]; waits && available {
			delete(f.waiting, pod.UID)
			f.rollout.took(Took{begun.name, begun.node, cluster.Time.Sub(begun.since)})
		}
	}
	mark(f.doubled, node, live > 1)
	mark(f.old, node, old)
	mark(f.ripening, node, ripening)
	mark(f.unserved, node, !served && cluster.Eligibility(f.object.UID, node).ShouldRun)
}

// count takes the numbers of an instant in.
func (f *following) count(cluster *history.Cluster) {
	if f.rollout == nil {
		return
	}
	f.rollout.Unavailable = max(f.rollout.Unavailable, len(f.unserved))
	f.rollout.Surged = max(f.rollout.Surged, len(f.doubled))
	f.rollout.Nodes = cluster.Desired(f.object.UID)
	f.rollout.Limits = limitsOf(f.object, f.rollout.Nodes)
}

// seenBy returns the rollout with the pods that wait at a time.
func (f *following) seenBy(now time.Time) *Rollout {
	seen := *f.rollout
	for _, waits := range f.waiting {
		seen.Waiting = append(seen.Waiting, Took{waits.name, waits.node, now.Sub(waits.since)})
	}
	slices.SortFunc(seen.Waiting, func(a, b Took) int { return cmp.Compare(a.Pod, b.Pod) })
	return &seen
}

func mark(set map[string]bool, key string, is bool) {
	if is {
		set[key] = true
	} else {
		delete(set, key)
	}
}
