package status

import (
	"slices"
	"strconv"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// standing is where a node is in a rollout, as far as it says whether the rollout can go on.
type standing int

const (
	// apart: the node is not eligible and has no pod.
	apart standing = iota
	// through: its only pod is updated and available, or will be when its minReadySeconds have run out.
	through
	// waiting: its only pod is old, and available in the same sense.
	waiting
	// stuckBeside: beside an available old pod it has an updated one that does not become Ready without help.
	stuckBeside
	// stuckAlone: it has such a pod, and no old one.
	stuckAlone
	// moving: anything else. Something is under way, or may be.
	moving
)

// rolling follows the rollout of one DaemonSet: whether it certainly cannot go on, and what conditions of the status said so.
type rolling struct {
	w         *judge.Workload
	standings map[*judge.Node]standing
	count     map[standing]int
	// stuck are the pods that do not become Ready without help.
	stuck map[*judge.Node]*judge.Pod
	// changes counts changes of a node's standing; from is the latest time at which a pod becomes available that is counted as such.
	changes int
	from    time.Time
	// template is when the one in force came, over the one whose rollout was seen to be over. rollout: the one in force is being rolled out. rest: a rollout was over.
	template, over time.Time
	rollout, rest  bool
	// before are the conditions when the one in force came, and rested those when the first one came since a rollout was over.
	before, rested []appsv1.DaemonSetCondition
	// reported are conditions that came with a stall and named it: of each type the latest with each status.
	reported []appsv1.DaemonSetCondition
}

// rollouts is an obligation about a rollout that cannot go on.
func rollouts(condition func(*rolling, *judge.Scene) (judge.Due, bool)) func(history.Header) judge.Observer {
	return func(header history.Header) judge.Observer {
		all := map[*judge.Workload]*rolling{}
		return judge.DueOnDaemonSets(func(s *judge.Scene, w *judge.Workload, _ *judge.Node) (judge.Due, bool) {
			r := all[w]
			if r == nil {
				r = &rolling{w: w, standings: map[*judge.Node]standing{}, count: map[standing]int{}, stuck: map[*judge.Node]*judge.Pod{}}
				all[w] = r
			}
			r.follow(s)
			due, owed := condition(r, s)
			if !owed {
				return judge.Due{}, false
			}
			due.About, due.From = strconv.Itoa(r.changes), r.from
			due.Done = func(s *judge.Scene) bool { return s.Status != nil && s.Status.Workload == w }
			return due, true
		})(header)
	}
}

// follow takes a step in.
func (r *rolling) follow(s *judge.Scene) {
	if since := r.w.Course().Since; !since.Equal(r.template) {
		r.before = r.w.Object.Status.Conditions
		// What one rollout says of a stall is not yet taken back when another one overtakes it.
		if !r.rollout || r.over.Equal(r.template) {
			r.rested = r.before
		}
		r.template = since
	}
	r.rollout = r.w.Course().Rollout
	for w, n := range s.TouchedNodes() {
		if w != r.w {
			continue
		}
		now, stuck := r.standingOf(s, n)
		if before := r.standings[n]; now == before && stuck == r.stuck[n] {
			continue
		}
		r.changes++
		r.count[r.standings[n]]--
		r.count[now]++
		r.standings[n] = now
		delete(r.stuck, n)
		if stuck != nil {
			r.stuck[n] = stuck
		}
	}
	if r.isOver() {
		r.over, r.rest = r.template, true
	}
	if r.isStuck() {
		words := r.words()
		came := history.StallConditions(r.before, r.w.Object.Status.Conditions, words)
		r.reported = history.AddConditions(r.reported, history.StallConditions(r.rested, came, words))
	}
}

// standingOf is the node's, and the pod that makes it stuck.
func (r *rolling) standingOf(s *judge.Scene, n *judge.Node) (standing, *judge.Pod) {
	live := n.LivePods(nil)
	switch {
	case !n.Eligible && len(n.Pods) == 0:
		return apart, nil
	case !n.Eligible, n.Ended > 0, len(live) != len(n.Pods), len(live) == 0, len(live) > 2:
		return moving, nil
	}
	var old, updated *judge.Pod
	for _, pod := range live {
		if s.Cluster.IsUpdated(pod.Object) {
			updated = pod
		} else {
			old = pod
		}
	}
	switch {
	case len(live) == 2 && (old == nil || updated == nil), old != nil && !r.available(old):
		return moving, nil
	case updated == nil:
		return waiting, nil
	case hindered(updated.Object) && old != nil:
		return stuckBeside, updated
	case hindered(updated.Object):
		return stuckAlone, updated
	case old == nil && r.available(updated):
		return through, nil
	}
	return moving, nil
}

// available reports whether the pod is available, or will be with time.
func (r *rolling) available(pod *judge.Pod) bool {
	from, ok := pod.AvailableFrom(r.w.Settings.MinReady)
	if ok && from.After(r.from) {
		r.from = from
	}
	return ok
}

// isOver reports whether no node is left to the rollout.
func (r *rolling) isOver() bool {
	return r.count[through] > 0 && r.count[waiting]+r.count[stuckBeside]+r.count[stuckAlone]+r.count[moving] == 0
}

// isEmpty reports whether no node is left that is to run a pod, or has one.
func (r *rolling) isEmpty() bool {
	return r.count[through]+r.count[waiting]+r.count[stuckBeside]+r.count[stuckAlone]+r.count[moving] == 0
}

// isStuck reports whether the rollout certainly cannot go on: nothing is under way, pods do not become Ready, and no other node may be begun with. That a pod
// breaks down once the rollout has been over is not about the rollout.
func (r *rolling) isStuck() bool {
	settings, limit, used := r.w.Settings, r.w.Settings.Unavailable, r.count[stuckAlone]
	if settings.Surging {
		limit, used = settings.Surge, r.count[stuckBeside]
	}
	switch {
	case !r.w.Course().Rollout || r.over.Equal(r.template) || !settings.Rolling || settings.InPlace || settings.Surging && settings.Yielding:
		return false
	case r.count[moving] > 0 || len(r.stuck) == 0 || !settings.Surging && r.count[stuckBeside] > 0:
		return false
	}
	return r.count[waiting] == 0 || used >= limit
}

// isReported reports whether a condition names what the rollout is stuck by. What one named before the rollout, with the same status, it does not report by that, unless
// it was left behind by a stall before.
func (r *rolling) isReported() bool {
	return slices.ContainsFunc(r.w.Object.Status.Conditions, func(condition appsv1.DaemonSetCondition) bool {
		words := r.words()
		isType := func(other appsv1.DaemonSetCondition) bool { return other.Type == condition.Type }
		if at := slices.IndexFunc(r.rested, isType); r.rest && at >= 0 && r.rested[at].Status == condition.Status && !slices.ContainsFunc(r.reported, isType) {
			words = slices.DeleteFunc(words, func(word string) bool {
				return len(history.StallConditions(nil, r.rested[at:at+1], []string{word})) > 0
			})
		}
		return len(history.StallConditions(nil, []appsv1.DaemonSetCondition{condition}, words)) > 0
	})
}

// words are those by which a condition can name what the rollout is stuck by.
func (r *rolling) words() []string {
	var words []string
	for _, pod := range r.stuck {
		words = append(words, history.Hindrances(pod.Object)...)
	}
	return words
}

// lasting are the reasons for which containers wait that do not pass by themselves.
var lasting = []string{
	"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed", "CrashLoopBackOff",
}

// hindered reports whether the pod says that it does not become Ready without help.
func hindered(pod *corev1.Pod) bool {
	if history.IsReady(pod) {
		return false
	}
	waits := func(container corev1.ContainerStatus) bool {
		return container.State.Waiting != nil && slices.Contains(lasting, container.State.Waiting.Reason)
	}
	return slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse && c.Reason == corev1.PodReasonUnschedulable
	}) || slices.ContainsFunc(pod.Status.InitContainerStatuses, waits) || slices.ContainsFunc(pod.Status.ContainerStatuses, waits)
}
