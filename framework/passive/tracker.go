package passive

import (
	"cmp"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// tracker follows the rollouts of all DaemonSets through a replay.
type tracker struct {
	following map[types.UID]*following
	// began and ended are called when a rollout does.
	began, ended func(*Rollout)
}

func newTracker(began, ended func(*Rollout)) *tracker {
	return &tracker{following: map[types.UID]*following{}, began: began, ended: ended}
}

// underWay returns the rollouts that go on at a time, by name.
func (t *tracker) underWay(now time.Time) []*Rollout {
	var all []*Rollout
	for _, f := range t.following {
		if f.rollout != nil {
			all = append(all, f.seenBy(now))
		}
	}
	slices.SortFunc(all, func(a, b *Rollout) int { return cmp.Compare(a.Workload, b.Workload) })
	return all
}

// resume takes in a state of which is not known how it came about. A DaemonSet that is new there and has old pods is being rolled out.
func (t *tracker) resume(cluster *history.Cluster) {
	for uid, f := range t.following {
		if cluster.DaemonSets[uid] == nil {
			t.daemonSet(cluster, f.object, true)
		}
	}
	for uid, object := range cluster.DaemonSets {
		f := t.following[uid]
		if f != nil {
			f.forget(cluster)
			sameTemplate := equality.Semantic.DeepEqual(f.object.Spec.Template, object.Spec.Template)
			f.object, f.template = object, cluster.CurrentRevision(uid)
			t.lookEverywhere(cluster, f)
			if !sameTemplate {
				t.rollOut(cluster, f)
			}
			continue
		}
		f = t.follow(cluster, object)
		if len(f.old) > 0 && rolls(object) {
			t.began(f.begin(cluster.Time, true))
		}
	}
	t.pass(cluster)
}

// follow begins to follow a DaemonSet.
func (t *tracker) follow(cluster *history.Cluster, object *appsv1.DaemonSet) *following {
	f := newFollowing(object, cluster.CurrentRevision(object.UID))
	t.following[object.UID] = f
	t.lookEverywhere(cluster, f)
	return f
}

// see takes a step in.
func (t *tracker) see(cluster *history.Cluster, change history.Change) {
	switch object := change.Object.(type) {
	case *appsv1.DaemonSet:
		t.daemonSet(cluster, object, change.Type == watch.Deleted)
	case *corev1.Node:
		for _, f := range t.following {
			f.look(cluster, object.Name)
		}
	case *corev1.Pod:
		t.pod(cluster, change, object)
	default:
		return
	}
	t.pass(cluster)
}

// pass takes in that time has passed.
func (t *tracker) pass(cluster *history.Cluster) {
	for _, f := range t.following {
		for node := range f.ripening {
			f.look(cluster, node)
		}
		f.count(cluster)
		if f.rollout == nil || len(f.old) > 0 || len(f.unserved) > 0 || len(f.doubled) > 0 || state.NotRolledOut(cluster, f.object) != "" {
			continue
		}
		f.rollout.Ended = cluster.Time
		t.ended(f.end())
	}
}

func (t *tracker) daemonSet(cluster *history.Cluster, object *appsv1.DaemonSet, gone bool) {
	f := t.following[object.UID]
	if gone {
		if f != nil && f.rollout != nil {
			t.overtake(cluster, f)
		}
		delete(t.following, object.UID)
		return
	}
	if f == nil {
		t.follow(cluster, object)
		return
	}
	template, before := cluster.CurrentRevision(object.UID), f.object
	f.object = object
	if template != f.template {
		f.template = template
		t.lookEverywhere(cluster, f)
		t.rollOut(cluster, f)
	} else if before.Generation != object.Generation {
		t.lookEverywhere(cluster, f)
	}
}

// rollOut takes in another template.
func (t *tracker) rollOut(cluster *history.Cluster, f *following) {
	if f.rollout != nil {
		t.overtake(cluster, f)
	}
	if rolls(f.object) {
		t.began(f.begin(cluster.Time, false))
	}
}

// overtake ends a rollout that something else has put an end to.
func (t *tracker) overtake(cluster *history.Cluster, f *following) {
	over := f.seenBy(cluster.Time)
	over.Overtaken, over.Ended = true, cluster.Time
	f.end()
	t.ended(over)
}

// rolls reports whether pods are replaced without anybody deleting them.
func rolls(ds *appsv1.DaemonSet) bool {
	return ds.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType
}

func (t *tracker) lookEverywhere(cluster *history.Cluster, f *following) {
	for node := range cluster.Nodes {
		f.look(cluster, node)
	}
	for _, node := range cluster.NodesOf(f.object.UID) {
		f.look(cluster, node)
	}
}

func (t *tracker) pod(cluster *history.Cluster, change history.Change, pod *corev1.Pod) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil || t.following[owner.UID] == nil {
		return
	}
	f, node := t.following[owner.UID], history.NodeOf(pod)
	before, existed := change.Before.(*corev1.Pod)
	if r := f.rollout; r != nil {
		switch {
		case !existed && change.Type == watch.Added && cluster.IsUpdated(pod):
			f.waiting[pod.UID] = waiting{pod.Name, node, cluster.Time}
			if !slices.Contains(r.Order, node) {
				r.Order = append(r.Order, node)
			}
		case existed && before.DeletionTimestamp == nil && (pod.DeletionTimestamp != nil || change.Type == watch.Deleted):
			r.lost(change, pod)
		}
	}
	if change.Type == watch.Deleted {
		delete(f.waiting, pod.UID)
	}
	if existed && history.NodeOf(before) != node {
		f.look(cluster, history.NodeOf(before))
	}
	f.look(cluster, node)
}

// lost counts a pod that somebody deleted.
func (r *Rollout) lost(change history.Change, pod *corev1.Pod) {
	switch {
	case change.Author != nil && change.Author.Who == history.Implementation:
		r.Deleted++
	case history.IsEvicted(pod):
		r.Evicted++
	default:
		r.Unclaimed++
	}
}
