package stress

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/framework/state"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// player carries a schedule out.
type player struct {
	*spec.Case

	daemonSet *appsv1.DaemonSet
	// form are the edits that write it in the schedule's form.
	form []Edit
	// templates are those that the DaemonSet has had; the first is healthy.
	templates []corev1.PodTemplateSpec
	// nodes are those that there are, closed those of them that are tainted, cordoned those that are cordoned.
	nodes, closed, cordoned []string
	// joined counts the nodes, made what else was made under a name of its own.
	joined, made int
	// unready are the pods that were made not Ready, held those whose termination is.
	unready, held []*corev1.Pod
	// inPlace: the DaemonSet asks for updates in place.
	inPlace bool
	// refusing: the API server refuses pods.
	refusing bool
	// late: the implementation hears late of something.
	late bool
	// killed: the implementation does not run. gateOff: it surges no more, by its feature gate.
	killed, gateOff bool
	// restarting is held while the implementation is killed and started again.
	restarting sync.Mutex
}

// act does something to what a and b choose, or nothing where there is nothing to do it to.
type act func(ctx context.Context, p *player, a, b int)

// acts are what may happen, by the names that schedules have for it.
func acts() map[string]act {
	all := map[string]act{}
	for _, some := range []map[string]act{templateActs(), podActs(), nodeActs(), revisionActs(), controllerActs()} {
		maps.Copy(all, some)
	}
	return all
}

// play begins with the nodes and the DaemonSet, and carries the schedule out.
func (p *player) play(ctx context.Context, s schedule.Schedule) {
	p.setFaults(ctx, s.Faults)
	if s.Late.By > 0 {
		p.late = true
		p.DelayWatches(ctx, s.Late.By, s.Late.Resources...)
	}
	p.join(ctx, s.Nodes)
	p.form = in(s.Form)
	p.daemonSet = p.Deploy(ctx, append([]Edit{p.strategy(s.Strategy), MinReadySeconds(int32(s.MinReadySeconds))}, p.form...)...)
	p.templates = []corev1.PodTemplateSpec{p.daemonSet.Spec.Template}
	all := acts()
	for _, step := range s.Steps {
		p.Await(ctx, Past(time.Now().Add(step.Wait)))
		all[step.Act](ctx, p, step.A, step.B)
	}
	p.calm(ctx)
}

// calm undoes what would keep a rollout from its end, and begins the last one.
func (p *player) calm(ctx context.Context) {
	if p.late {
		p.EndWatchDelay(ctx)
	}
	for len(p.cordoned) > 0 {
		back(ctx, p.Uncordon, &p.cordoned, 0)
	}
	for len(p.closed) > 0 {
		back(ctx, p.open, &p.closed, 0)
	}
	p.admit(ctx)
	p.start(ctx, false)
	p.heal(ctx, len(p.unready))
	p.release(ctx, len(p.held))
	if p.daemonSet.Spec.UpdateStrategy.Type == appsv1.OnDeleteDaemonSetStrategyType {
		p.edit(ctx, MaxUnavailable("1"))
	}
	p.update(ctx, Healthy(), p.nextImage(), onEveryPool())
	// A pod may have been created for a node when that was already gone.
	p.Await(ctx, state.Any(RolledOut(p.daemonSet), Quiet(spec.Prompt)))
	var gone []string
	p.Look(ctx, func(cluster *history.Cluster) { gone = without(cluster.NodesOf(p.daemonSet.UID), p.nodes) })
	for _, node := range gone {
		p.clear(ctx, node)
	}
}

// move does something to one of the nodes, and puts that into the list.
func move(ctx context.Context, do func(context.Context, string), to *[]string, from []string, choice int) {
	if len(from) == 0 {
		return
	}
	node := from[choice%len(from)]
	do(ctx, node)
	*to = append(*to, node)
}

// back undoes that for one of the list.
func back(ctx context.Context, undo func(context.Context, string), list *[]string, choice int) {
	if len(*list) == 0 {
		return
	}
	node := (*list)[choice%len(*list)]
	undo(ctx, node)
	*list = without(*list, []string{node})
}

// without are those of all that are not among the others.
func without(all, others []string) []string {
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(others, name) })
}
