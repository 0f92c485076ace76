package plan

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// Planner is Plan, or a function in its place.
type Planner func(state State, now time.Time) Actions

// Plan says what to do about the DaemonSet of state at now. now is compared with the timestamps in pods' Ready
// conditions, with State.Backoff, and with the creation of a DaemonSet whose predecessor's history is still there.
func Plan(state State, now time.Time) Actions {
	ds := state.DaemonSet
	if ds.DeletionTimestamp != nil {
		// Its history may be gone already; any status or pod decided without it could only be wrong (STATUS-015).
		return Actions{}
	}
	selector, err := metav1.LabelSelectorAsSelector(ds.Spec.Selector)
	if err != nil {
		return Actions{Err: fmt.Errorf("spec.selector: %w", err)}
	}
	if selector.Empty() {
		return Actions{Err: fmt.Errorf("spec.selector selects every pod; give it a label")}
	}

	p := &pass{ds: ds, now: now, state: state, onlyImages: map[string]bool{}}
	pods := p.claim(selector, p.believe(state.Pods))
	var collisions *int32
	p.history, collisions = planHistory(state, selector, pods, now, &p.actions)
	views, stranded := p.viewNodes(state.Nodes, pods)
	desired := 0
	for _, view := range views {
		if view.eligible {
			desired++
		}
	}
	how, err := strategyOf(ds, desired, state.SurgeDisabled)
	if err != nil {
		return Actions{Err: err}
	}
	if p.actions.Err != nil {
		return Actions{Err: p.actions.Err}
	}

	status := p.status(views, collisions)
	p.watchClocks(pods)
	if until := p.history.patience; !until.IsZero() {
		p.comeBack(until)
	}
	p.actions.RolloutInProgress = rolloutInProgress(views)
	if state.AwaitingOwnWrites {
		return Actions{Status: p.changed(status), RequeueAfter: p.actions.RequeueAfter, RolloutInProgress: p.actions.RolloutInProgress}
	}
	p.actions.ProvePods = inplace.Proofs(pods, now)
	if p.history.established {
		p.adoptLabels(pods)
		p.run(how, views, stranded, desired)
		if p.actions.Err != nil {
			return Actions{Err: p.actions.Err}
		}
		if !p.retreats() {
			status.ObservedGeneration = ds.Generation
		}
		p.reportStall(&status, views)
	}
	p.actions.Status = p.changed(status)
	return p.actions
}

// pass is one call of Plan.
type pass struct {
	ds      *appsv1.DaemonSet
	now     time.Time
	state   State
	history history
	// onlyImages says of revisions, by their label values, whether their pods can be updated in place; those that were asked for.
	onlyImages map[string]bool
	actions    Actions
}

// run decides about pods: first what is true under every strategy, then the update. views are the nodes as they are, and stay so.
func (p *pass) run(how strategy, views []*nodeView, stranded []*corev1.Pod, desired int) {
	for _, pod := range stranded {
		p.delete(TargetNode(pod), pod, ReasonIneligible)
	}
	kept := make([]*nodeView, len(views))
	for i, view := range views {
		kept[i] = p.tidy(how, *view)
	}
	how.update(p, views, kept, desired)
	p.refusedLast()
	p.actions.DeletePods = p.actions.DeletePods[:min(len(p.actions.DeletePods), Burst)]
	p.actions.UpdatePods = p.actions.UpdatePods[:min(len(p.actions.UpdatePods), Burst)]
	p.actions.CreatePods = p.actions.CreatePods[:min(len(p.actions.CreatePods), Burst)]
}

// retreats reports whether an updated pod goes and leaves an old one. The numbers, which count pods as they are, may say that the rollout is over, which the
// next pass knows better: until then they are those of the generation before (STATUS-016). Where the deletion is refused it is no news.
func (p *pass) retreats() bool {
	return slices.ContainsFunc(p.actions.DeletePods, func(deletion PodDeletion) bool {
		_, refused := p.state.RefusedDeletions[deletion.Node]
		return deletion.Reason == ReasonDuplicate && !refused && p.history.updated(p.ds, deletion.Pod)
	})
}

// claim returns the pods of the DaemonSet, those included that it adopts in this pass (SURGE-014: else they would be
// created a second time), in the order of their names.
func (p *pass) claim(selector labels.Selector, pods []*corev1.Pod) []*corev1.Pod {
	var mine []*corev1.Pod
	for _, pod := range pods {
		switch relationOf(p.ds, selector, pod) {
		case owned:
			mine = append(mine, pod)
		case adoptive:
			mine = append(mine, pod)
			p.actions.patch(pod).Adopt = true
		case lost:
			p.actions.patch(pod).Release = true
		}
	}
	slices.SortFunc(mine, func(a, b *corev1.Pod) int { return cmp.Compare(a.Name, b.Name) })
	return mine
}

// adoptLabels gives the current hash to pods that only their template generation shows to be of the current
// template (HISTORY-023).
func (p *pass) adoptLabels(pods []*corev1.Pod) {
	for _, pod := range pods {
		if pod.Labels[HashLabel] == "" && p.history.updated(p.ds, pod) {
			p.actions.relabel(pod, p.history.hash)
		}
	}
}

func (p *pass) available(pod *corev1.Pod) bool {
	return pod != nil && IsAvailable(pod, p.ds.Spec.MinReadySeconds, p.now)
}

func (p *pass) delete(node string, pod *corev1.Pod, reason Reason) {
	p.actions.DeletePods = append(p.actions.DeletePods, PodDeletion{Pod: pod, Node: node, Reason: reason})
}

// remove deletes pod from view, which gets no new pod in this pass then.
func (p *pass) remove(view *nodeView, pod *corev1.Pod, reason Reason) {
	view.deleting = true
	p.delete(view.name, pod, reason)
}

func (p *pass) create(view *nodeView, reason Reason) {
	p.actions.CreatePods = append(p.actions.CreatePods, PodCreation{
		Node: view.name, Hash: p.history.hash, Reason: reason, Pod: NewPod(p.ds, p.history.hash, view.name),
	})
}

// comeBack makes sure that there is a pass at the given time.
func (p *pass) comeBack(at time.Time) {
	// Never zero, which would mean "no need".
	wait := max(at.Sub(p.now), time.Millisecond)
	if p.actions.RequeueAfter == 0 || wait < p.actions.RequeueAfter {
		p.actions.RequeueAfter = wait
	}
}

// watchClocks asks for a pass when the next pod, old or updated, becomes available by the passing of time. Nothing
// else tells: no object changes, and a timer that an earlier pass set dies with its process (AVAIL-005, RECOVERY-003).
func (p *pass) watchClocks(pods []*corev1.Pod) {
	if p.ds.Spec.MinReadySeconds <= 0 {
		return
	}
	for _, pod := range pods {
		if at, known := AvailableAt(pod, p.ds.Spec.MinReadySeconds); known && at.After(p.now) {
			p.comeBack(at)
		}
	}
}

func (a *Actions) patch(pod *corev1.Pod) *PodPatch {
	for i := range a.PatchPods {
		if a.PatchPods[i].Pod == pod {
			return &a.PatchPods[i]
		}
	}
	a.PatchPods = append(a.PatchPods, PodPatch{Pod: pod})
	return &a.PatchPods[len(a.PatchPods)-1]
}

func (a *Actions) relabel(pod *corev1.Pod, hash string) { a.patch(pod).Hash = hash }
