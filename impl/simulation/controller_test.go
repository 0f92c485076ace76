package simulation

import (
	"errors"
	"maps"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/variants"
)

// controller is the process around the planner, in the manner of package daemonset: it looks at its cache, asks the planner, and carries out the
// answer, one write after the other, while the cluster goes on.
type controller struct {
	clock  *clock
	api    *apiServer
	chance chance
	faults *faults
	lag    time.Duration
	// around wraps plan.Plan, once for every process.
	around variants.Around
	// surgeDisabled: the feature gate of the next process is off.
	surgeDisabled bool
	// unwelcome: the API server refuses its pods; unpatchable: their updates.
	unwelcome, unpatchable bool
	// unwelcomeOn are the nodes for which it refuses pods.
	unwelcomeOn map[string]bool
	// keptOn are the nodes whose pods it refuses to delete.
	keptOn map[string]bool
	// events counts those that it has recorded, by reason.
	events map[string]int
	// cleared counts the pods that it has deleted after they ended, on nodes that they might have stayed on, by their phases.
	cleared map[corev1.PodPhase]int

	// process is nil while there is none.
	process *process
	// started counts processes, passes calls of the planner.
	started, passes int
}

// process is what dies with the controller.
type process struct {
	plan plan.Planner
	// surgeDisabled: its feature gate is off.
	surgeDisabled bool
	cache         *cache
	expected      *expectations
	backoff       map[string]plan.Backoff
	// refused is what the API server answered to its last creations.
	refused *plan.Refusal
	// refusedUpdates is what it answered to the last update in place on each node.
	refusedUpdates map[string]plan.Refusal
	// refusedDeletions is what it answered to the last deletions, by node.
	refusedDeletions map[string]plan.Refusal
	// generation is the one that all of these are about.
	generation int64
	// trusted is the DaemonSet for which the cache was compared with the API server: see observe.Handover.
	trusted types.UID
	// busy while writes are under way; woken if something happened meanwhile.
	busy, woken bool
	next        *timer
	outcome     outcome
	failures    int
}

// Pauses before a pass is repeated.
const (
	staleRetry    = 100 * time.Millisecond
	handoverRetry = 50 * time.Millisecond
	firstRetry    = 20 * time.Millisecond
	lastRetry     = 30 * time.Second
)

func newController(clock *clock, api *apiServer, chance chance, lag time.Duration, around variants.Around) *controller {
	return &controller{unwelcomeOn: map[string]bool{}, keptOn: map[string]bool{}, events: map[string]int{}, cleared: map[corev1.PodPhase]int{}, clock: clock, api: api, chance: chance, faults: &faults{chance: chance}, lag: lag, around: around}
}

// start begins a new process, with nothing in mind.
func (c *controller) start() {
	c.kill()
	c.started++
	p := &process{plan: c.around(plan.Plan), surgeDisabled: c.surgeDisabled, expected: newExpectations(), backoff: map[string]plan.Backoff{}, refusedUpdates: map[string]plan.Refusal{}}
	p.cache = newCache(c.clock, c.api, c.chance, c.lag, func(before history.Object, entry history.Entry) {
		p.expected.seen[entry.Kind] = entry.ResourceVersion
		if concerns(entry.Object) || before != nil && concerns(before) {
			c.wake(p, 0)
		}
	})
	c.process = p
	c.wake(p, 0)
}

// concerns reports whether an event about object makes the controller look. One that is somebody else's must not, lest it stand in for a timer.
func concerns(object history.Object) bool {
	if _, isPod := object.(*corev1.Pod); !isPod {
		return true
	}
	owner := metav1.GetControllerOfNoCopy(object)
	return owner != nil && owner.Name == daemonSetName || owner == nil && object.GetLabels()[appLabel] == daemonSetName
}

// kill ends the process at once, between any two of its writes.
func (c *controller) kill() {
	if c.process != nil {
		c.process.cache.closed = true
		c.process.next.stop()
		c.process = nil
	}
}

// wake makes sure that there is a pass no later than after wait. It forgets a later one: a planner must announce again what it still wants.
func (c *controller) wake(p *process, wait time.Duration) {
	if p.busy {
		p.woken = true
		return
	}
	at := c.clock.now.Add(wait)
	if p.next != nil && !p.next.at.After(at) {
		return
	}
	p.next.stop()
	p.next = c.clock.after(wait+c.chance.between(0, 20*time.Millisecond, "queue", c.clock.serial), func() {
		p.next = nil
		if c.process == p {
			c.pass(p)
		}
	})
}

// pass is one look, one plan, and the writes that follow.
func (c *controller) pass(p *process) {
	ds := lookUp[*appsv1.DaemonSet](p.cache.objects, history.KindDaemonSet, daemonSetName)
	if ds == nil {
		return
	}
	if ds.Generation != p.generation {
		p.generation, p.backoff, p.refused, p.refusedUpdates = ds.Generation, map[string]plan.Backoff{}, nil, map[string]plan.Refusal{}
		p.refusedDeletions = nil
	}
	state := c.observe(p, ds)
	wait := c.waitForCache(p, state)
	state.AwaitingOwnWrites = wait > 0
	c.passes++
	actions := c.planned(p, state)
	if actions.Err != nil {
		panic(actions.Err)
	}
	for _, event := range actions.Events {
		c.events[event.Reason]++
	}
	p.busy, p.woken, p.outcome = true, false, outcome{}
	c.carryOut(p, c.writes(p, ds, actions), func() {
		p.busy = false
		p.tried(c.clock.now, actions)
		if p.woken {
			c.wake(p, 0)
		}
		switch {
		case p.outcome.failed:
			p.failures++
			retry := min(firstRetry<<min(p.failures, 12), lastRetry)
			if actions.RequeueAfter > 0 {
				retry = min(retry, actions.RequeueAfter)
			}
			c.wake(p, retry)
			return
		case p.outcome.stale:
			c.wake(p, staleRetry)
			return
		}
		p.failures = 0
		for _, again := range []time.Duration{wait, actions.RequeueAfter} {
			if again > 0 {
				c.wake(p, again)
			}
		}
	})
}

// waitForCache says how long to wait for a cache that can be planned on: zero if this one can.
func (c *controller) waitForCache(p *process, state plan.State) time.Duration {
	waits, doubtful := p.expected.pending(c.clock.now, state)
	if waits {
		return ownWriteTimeout
	}
	if doubtful {
		p.trusted = ""
	}
	ds := state.DaemonSet.UID
	if p.cache.current(history.KindPod) && p.cache.current(history.KindControllerRevision) {
		p.trusted = ds
	}
	if p.trusted != ds {
		return handoverRetry
	}
	return 0
}

// observe is what the cache shows of the DaemonSet.
func (c *controller) observe(p *process, ds *appsv1.DaemonSet) plan.State {
	mayBeIts := func(object metav1.Object) bool {
		owner := metav1.GetControllerOfNoCopy(object)
		return owner == nil || owner.UID == ds.UID
	}
	state := plan.State{DaemonSet: ds, Backoff: p.backoff, Refused: p.refused, RefusedUpdates: p.refusedUpdates, RefusedDeletions: p.refusedDeletions, SurgeDisabled: p.surgeDisabled}
	state.Nodes = listOf[*corev1.Node](p.cache.objects, history.KindNode)
	// Those of others may be among them. A cache lists objects in another order each time; of nodes alone the reference asks for one.
	state.Pods = inAnyOrder(c.chance, c.passes, listOf[*corev1.Pod](p.cache.objects, history.KindPod))
	revisions := inAnyOrder(c.chance, c.passes, listOf[*appsv1.ControllerRevision](p.cache.objects, history.KindControllerRevision))
	for _, revision := range revisions {
		if mayBeIts(revision) {
			state.Revisions = append(state.Revisions, revision)
		}
	}
	others := plan.OtherRevisions(state)
	for _, revision := range revisions {
		if slices.Contains(others, revision.Name) {
			state.Revisions = append(state.Revisions, revision)
		}
	}
	return state
}

// refuses reports whether the API server refuses pods for the node.
func (c *controller) refuses(node string) bool { return c.unwelcome || c.unwelcomeOn[node] }

// outcome is what became of a pass's writes.
type outcome struct {
	// stale: some were refused since the plan was outdated; failed: some met with worse.
	stale, failed bool
	// unprepared: claiming or history failed, no pod is touched then; uncreated: a creation failed.
	unprepared, uncreated bool
	// unwelcome are the nodes for which the API server refused a pod.
	unwelcome []string
	// kept are the nodes on which it refused to delete a pod.
	kept []string
}

// tried takes note of how the creations and the deletions went.
func (p *process) tried(now time.Time, actions plan.Actions) {
	before := p.refusedDeletions
	p.refusedDeletions = map[string]plan.Refusal{}
	for _, deletion := range actions.PutOff {
		p.refusedDeletions[deletion.Node] = before[deletion.Node]
	}
	for _, node := range p.outcome.kept {
		since := now
		if known, again := before[node]; again {
			since = known.Since
		}
		p.refusedDeletions[node] = plan.Refusal{Since: since, Words: errKept.Error()}
	}
	switch {
	case len(p.outcome.unwelcome) == 0 && (len(actions.CreatePods) == 0 || !p.outcome.uncreated):
		p.refused = nil
	case len(p.outcome.unwelcome) > 0:
		refused := plan.Refusal{Since: now, Words: "exceeded quota", Nodes: map[string]time.Time{}}
		if p.refused != nil {
			refused.Since = p.refused.Since
			maps.Copy(refused.Nodes, p.refused.Nodes)
		}
		for _, node := range p.outcome.unwelcome {
			refused.Nodes[node] = now
		}
		p.refused = &refused
	}
}

// carryOut does the writes one after the other, each a little later.
func (c *controller) carryOut(p *process, writes []write, done func()) {
	if len(writes) == 0 {
		done()
		return
	}
	next, rest := writes[0], writes[1:]
	if p.outcome.unprepared && next.stage < report || p.outcome.uncreated && next.stage == creation {
		c.carryOut(p, rest, done)
		return
	}
	c.clock.after(c.chance.between(time.Millisecond, 8*time.Millisecond, "write", c.clock.serial), func() {
		if c.process != p {
			return
		}
		err := c.faults.through(next.do)
		switch {
		case err != nil:
			p.note(next.stage, err)
		case next.learn != nil:
			next.learn(p.expected)
		}
		c.carryOut(p, rest, done)
	})
}

// note takes note of a write that failed.
func (p *process) note(stage stage, err error) {
	stale := errors.Is(err, errConflict) || errors.Is(err, errNotFound) || errors.Is(err, errExists)
	o := &p.outcome
	o.stale, o.failed = o.stale || stale, o.failed || !stale
	o.unprepared, o.uncreated = o.unprepared || stage == preparation, o.uncreated || stage == creation
	// Whether it took effect only the API server can tell.
	if errors.Is(err, errNoReply) {
		p.trusted = ""
	}
}
