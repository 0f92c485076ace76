package plan

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	daemons "github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// Plan is the reference's Planner.
func Plan(state State, now time.Time) Actions {
	set := state.Set
	if set.DeletionTimestamp != nil {
		return Actions{}
	}
	p := &pass{set: set, now: now}
	p.arrange(state.Pods)
	p.history = p.keepHistory(state)
	if p.actions.Err != nil {
		return Actions{Err: p.actions.Err}
	}
	p.actions.ProvePods = inplace.Proofs(state.Pods, now)
	p.scale()
	p.update()
	p.status()
	return p.actions
}

// pass is one run of Plan.
type pass struct {
	set *appsv1.StatefulSet
	now time.Time
	// members are the pods that the StatefulSet asks for, by ordinal from its first on; nil for one that there is not.
	members []*corev1.Pod
	// condemned are its other pods, the largest ordinal first.
	condemned []*corev1.Pod
	history   history
	actions   Actions
}

// available reports whether the pod can be counted on, as anybody would who knows of updates in place: see inplace.Believe.
func (p *pass) available(pod *corev1.Pod) bool {
	return pod != nil && daemons.IsAvailable(pod, p.set.Spec.MinReadySeconds, p.now)
}

// believe returns the pod with what is known better than its status says, and asks for another pass when time will make a difference.
func (p *pass) believe(pod *corev1.Pod) *corev1.Pod {
	believed, lapse := inplace.Believe(pod, p.now)
	p.comeBack(lapse)
	if at, known := daemons.AvailableAt(believed, p.set.Spec.MinReadySeconds); known {
		p.comeBack(at)
	}
	return believed
}

// comeBack asks for another pass at a time, unless it is over.
func (p *pass) comeBack(at time.Time) {
	if wait := at.Sub(p.now); wait > 0 && (p.actions.RequeueAfter == 0 || wait < p.actions.RequeueAfter) {
		p.actions.RequeueAfter = wait
	}
}

// scale creates the pods that are missing, deletes those that have ended or are too many, one after the other if the StatefulSet asks for that.
func (p *pass) scale() {
	ordered := p.set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement
	for i, pod := range p.members {
		switch {
		case pod == nil:
			p.create(i)
		case daemons.HasEnded(pod) && pod.DeletionTimestamp == nil:
			p.actions.DeletePods = append(p.actions.DeletePods, pod)
		case p.available(pod):
			continue
		}
		if ordered {
			return
		}
	}
	for _, pod := range p.condemned {
		if pod.DeletionTimestamp == nil {
			p.actions.DeletePods = append(p.actions.DeletePods, pod)
		}
		if ordered {
			return
		}
	}
}

// update replaces one old pod: that with the largest ordinal, once those above it are updated and available. One that is available waits until there are
// all pods, too; one that is not is nothing to wait for, so that an image that does not start can be repaired (INPLACE-035).
func (p *pass) update() {
	if p.set.Spec.UpdateStrategy.Type != appsv1.RollingUpdateStatefulSetStrategyType {
		return
	}
	for i := len(p.members) - 1; i >= p.partition(); i-- {
		pod := p.members[i]
		switch {
		case pod == nil || pod.DeletionTimestamp != nil || daemons.HasEnded(pod):
			continue
		case pod.Labels[RevisionLabel] == p.history.update.Name:
			if !p.available(pod) {
				return
			}
			continue
		case p.available(pod) && !p.othersServe(i):
			return
		}
		p.replace(pod)
		return
	}
}

// othersServe reports whether all pods but the one at the index run and, where they are in order, those that are updated are available. An old one that is not
// waits for its own update, which may be what repairs it; so does a missing one that is created only after that one is available.
// Below the partition there is no update to wait for.
func (p *pass) othersServe(index int) bool {
	ordered := p.set.Spec.PodManagementPolicy != appsv1.ParallelPodManagement
	waiting := false
	for i, pod := range p.members {
		switch {
		case i == index:
		case pod == nil:
			if !waiting {
				return false
			}
		case pod.DeletionTimestamp != nil || daemons.HasEnded(pod):
			return false
		case ordered && !p.available(pod):
			if pod.Labels[RevisionLabel] == p.history.update.Name {
				return false
			}
			waiting = waiting || i >= p.partition()
		}
	}
	return true
}

// replace makes the pod an updated one, in place if the StatefulSet asks for that and the pod can be.
func (p *pass) replace(pod *corev1.Pod) {
	template := &p.set.Spec.Template
	from := daemons.StoredTemplate(p.history.byName[pod.Labels[RevisionLabel]])
	if !inplace.Wanted(p.set) || !inplace.Runs(pod) || !inplace.OnlyImagesDiffer(from, template) {
		p.actions.DeletePods = append(p.actions.DeletePods, pod)
		return
	}
	images := inplace.Images(pod, from, template)
	record, err := inplace.RecordOf(pod, images, p.now)
	if err != nil {
		p.actions.Err = err
		return
	}
	p.actions.UpdatePods = append(p.actions.UpdatePods, PodUpdate{
		Pod: pod, Images: images,
		Labels: map[string]string{RevisionLabel: p.history.update.Name}, Annotations: map[string]string{inplace.Record: record},
	})
}

// partition is the index of the first member that an update concerns.
func (p *pass) partition() int {
	rolling := p.set.Spec.UpdateStrategy.RollingUpdate
	if rolling == nil || rolling.Partition == nil {
		return 0
	}
	return max(0, int(*rolling.Partition)-first(p.set))
}
