package judge

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Pod is what rules remember of one daemon pod.
type Pod struct {
	Object   *corev1.Pod
	Workload *Workload
	Node     *Node
	// outsideSurgeLimit: it was created beside no old pod that the implementation had to take for available, so its creation took nothing of maxSurge.
	outsideSurgeLimit bool
	// own: the implementation created it, as far as the recording shows.
	own bool
	// readySince is when the Ready condition became what it is.
	readySince time.Time
	// lostAt is when it last stopped being available, or being about to be; lostFrom is from when it was or would have been; lostToOthers that
	// this was not the implementation's doing.
	lostAt, lostFrom time.Time
	// lostMinReady is the minReadySeconds that lostFrom was counted with.
	lostMinReady int32
	lostToOthers bool
	// patchedAt is when the implementation last gave its containers other images; zero if it never did.
	patchedAt time.Time
	// relapsed: it stopped being Ready before its minReadySeconds had run out.
	relapsed bool
	// goneAt is when it ceased to exist, or to be the DaemonSet's; zero while it is there.
	goneAt time.Time
	// entered is the step by which it became known, later those that tell its life since, as far as a window has room for them.
	entered moment
	later   []moment
}

// AvailableFrom is history.AvailableFrom, but no earlier than the condition was seen.
func (p *Pod) AvailableFrom(minReady int32) (time.Time, bool) {
	if p.gone() {
		return time.Time{}, false
	}
	from, ok := history.AvailableFrom(p.Object, minReady)
	if ok && (minReady == 0 || from.Before(p.readySince)) {
		from = p.readySince
	}
	return from, ok
}

// Available reports whether it is available at the instant.
func (p *Pod) Available(minReady int32, now time.Time) bool {
	from, ok := p.AvailableFrom(minReady)
	return ok && !now.Before(from)
}

func (p *Pod) gone() bool { return !p.goneAt.IsZero() }

// Own reports whether the implementation created it for the DaemonSet that has it, as far as the recording shows.
func (p *Pod) Own() bool { return p.own }

// ReadySince is when the pod's Ready condition was seen to become what it is.
func (p *Pod) ReadySince() time.Time { return p.readySince }

// Restarting reports whether the implementation patched the pod, and it has not been Ready since.
func (p *Pod) Restarting() bool {
	return !p.gone() && !p.patchedAt.IsZero() && !p.readySince.After(p.patchedAt) && !history.IsReady(p.Object)
}

// PatchedAt is when the implementation last gave its containers other images; zero if it never did.
func (p *Pod) PatchedAt() time.Time { return p.patchedAt }

// Steady reports whether the implementation has to take it for available: it has been for Lag, or became so by an event from well before the template changed, of
// which has heard who knows the template, unless the harness makes its watches late. That minReadySeconds have passed nobody is told.
func (p *Pod) Steady(minReady int32, now time.Time) bool {
	from, ok := p.AvailableFrom(minReady)
	heard := !p.Workload.news.control.interrupted() && !from.After(p.readySince) && p.Workload.rolledAt.Sub(from) >= watchSkew
	return ok && (!p.Workload.news.lately(from, now) || heard)
}

// Undated reports whether the pod is Ready since no known time, and the time matters. No kubelet writes that. Such a pod is not available
// (AVAIL-006); other rules let the implementation take it for available.
func (p *Pod) Undated(minReady int32) bool {
	if p.gone() || minReady == 0 || !history.IsLive(p.Object) {
		return false
	}
	ready := history.Ready(p.Object)
	return ready != nil && ready.Status == corev1.ConditionTrue && ready.LastTransitionTime.IsZero()
}

// Believable reports whether the implementation may take it for available: it is, or would be by now, had somebody else not changed that less than
// Lag ago.
func (p *Pod) Believable(minReady int32, now time.Time) bool {
	return p.Available(minReady, now) || p.Undated(minReady) || p.LatelyAvailable(minReady, now)
}

// LatelyAvailable reports whether it would be available by now, had somebody else not changed that less than Lag ago.
func (p *Pod) LatelyAvailable(minReady int32, now time.Time) bool {
	// minReadySeconds may have been lowered since: the implementation may know of that, and not yet that the pod was lost.
	sooner := time.Duration(max(0, p.lostMinReady-minReady)) * time.Second
	return p.lostToOthers && p.Workload.news.lately(p.lostAt, now) && !now.Before(p.lostFrom.Add(-sooner))
}

// note has the step tell of the pod's life.
func (p *Pod) note(step moment) {
	if len(p.later) == windowLimit {
		p.later = append(p.later[:0], p.later[1:]...)
	}
	p.later = append(p.later, step)
}

// latest is the last step that tells of its life.
func (p *Pod) latest() moment {
	if len(p.later) == 0 {
		return p.entered
	}
	return p.later[len(p.later)-1]
}

// ByAge orders pods by when they became known.
func ByAge(a, b *Pod) int { return a.entered.index - b.entered.index }

// IsReady reports whether the pod looks available to someone who asks for nothing but Ready.
func IsReady(pod *Pod) bool {
	return !pod.gone() && !history.IsTerminal(pod.Object) && history.IsReady(pod.Object)
}
