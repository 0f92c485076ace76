package evict

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// quiet is longer than a controller may be late.
const quiet = 3 * time.Second

// tooMany is more than the disrupted pods that a budget may list for an eviction to be accepted.
const tooMany = 2001

// halted is the spec of statuses that no controller brings up to date.
func halted() {
	behind, crowded := map[string]string{"app": "behind"}, map[string]string{"app": "crowded"}
	spec.It("refuses evictions by a status that is behind the budget, or lists too many disrupted pods",
		spec.Decides("EVICT-011", "EVICT-012", "EVICT-013", "EVICT-034"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			healthy := pods(ctx, c, node, behind, []string{"healthy", "other"})[0]
			unready := pods(ctx, c, node, behind, []string{"unready"}, neverReady)[0]
			many := pods(ctx, c, node, crowded, []string{"many", "many-other"})[0]
			stale := guard(ctx, c, "stale", behind, 1, 2, MinAvailable("1"))
			full := guard(ctx, c, "full", crowded, 1, 2, MinAvailable("1"))
			c.Kill(ctx)
			// By the numbers, which nobody brings up to date, either eviction would be allowed.
			c.UpdateBudget(ctx, stale, MinAvailable("2"))
			_ = c.TryEvict(ctx, healthy)
			_ = c.TryEvict(ctx, unready)
			c.WriteBudgetStatus(ctx, full, disrupted(tooMany))
			_ = c.TryEvict(ctx, many)
			c.Restart(ctx)
		},
		func(j *spec.Checks) {
			j.Given(unattended("stale", "has its generation observed", func(after *policyv1.PodDisruptionBudget) bool {
				return after.Status.ObservedGeneration == after.Generation
			}))
			j.Decide("EVICT-012", Answers("evicting a healthy pod under a budget that was not observed", evicted("healthy"), causedByBudget()...), stays("healthy"))
			j.Decide("EVICT-011", Answers("evicting a healthy pod under a budget that was not observed", evicted("healthy"), causedByBudget(WithRetryAfter(10))...))
			j.Decide("EVICT-013", Answers("evicting a pod that is not Ready under a budget that was not observed", evicted("unready"), causedByBudget()...), stays("unready"))
			j.Decide("EVICT-034",
				Answers(fmt.Sprintf("evicting a pod under a budget that lists %d disrupted pods", tooMany), evicted("many"), WithCode(http.StatusForbidden)), stays("many"))
		}, budgets, spec.Alone{}, spec.SimulatedNodes{})
}

// unobserved is the spec of pods that a budget does not guard, while nobody has seen what it asks for.
func unobserved() {
	unguarded := []struct {
		id  requirements.ID
		pod string
	}{{"EVICT-017", "failed"}, {"EVICT-017", "succeeded"}, {"EVICT-019", "terminating"}, {"EVICT-018", "pending"}}
	spec.It("evicts pods that are finished, Pending or terminating also while the spec of their budget was not observed",
		spec.Decides("EVICT-017", "EVICT-018", "EVICT-019"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			all := pods(ctx, c, node, guarded, []string{"failed", "succeeded", "terminating", "healthy"})
			healthy, pending := all[3], pods(ctx, c, node, guarded, []string{"pending"}, nowhere)[0]
			c.Pods.Fail(ctx, all[0])
			c.Pods.Succeed(ctx, all[1])
			c.Pods.HoldTermination(ctx, all[2])
			c.DeletePod(ctx, all[2], time.Minute)
			budget := guard(ctx, c, "budget", guarded, 1, 1, MinAvailable("0"))
			c.Kill(ctx)
			c.UpdateBudget(ctx, budget, MinAvailable("1"))
			// By the numbers, which nobody brings up to date, it could go.
			_ = c.TryEvict(ctx, healthy)
			for _, pod := range append(all[:3:3], pending) {
				_ = c.TryEvict(ctx, pod)
			}
			c.Restart(ctx)
		},
		func(j *spec.Checks) {
			j.Given(unattended("budget", "has its generation observed", func(after *policyv1.PodDisruptionBudget) bool {
				return after.Status.ObservedGeneration == after.Generation
			}))
			j.Given(Answers("evicting a healthy pod under a budget that was not observed", evicted("healthy"), causedByBudget()...))
			for _, of := range unguarded {
				j.Decide(of.id,
					Answers("evicting a "+of.pod+" pod under a budget that was not observed", evicted(of.pod), WithCode(http.StatusCreated), WithSuccess()), gone(of.pod))
			}
		}, budgets, spec.Alone{}, spec.SimulatedNodes{})
}

// disrupted writes that many disrupted pods into a status.
func disrupted(count int) BudgetEdit {
	now := metav1.Now()
	return BudgetEdit{Says: fmt.Sprintf("%d disrupted pods", count), Apply: func(budget *policyv1.PodDisruptionBudget) {
		budget.Status.DisruptedPods = make(map[string]metav1.Time, count)
		for i := range count {
			budget.Status.DisruptedPods[fmt.Sprintf("p%d", i)] = now
		}
	}}
}

// races is how many pods change while they are evicted, of each kind.
const races = 15

// raced is the spec of pods that change between the check of their eviction and their deletion. No controller is at work, so what the budgets allow stays.
func raced() {
	const becoming, moving = "becoming-", "moving-"
	spec.It("ties an eviction to the state of the pod that was checked",
		spec.Decides("EVICT-023", "EVICT-024"),
		func(ctx context.Context, c *spec.Case) {
			node := c.AddNodes(ctx, 1)[0]
			strict, lax := map[string]string{"app": "strict"}, map[string]string{"app": "lax"}
			met := map[string]string{"app": "met"}
			pods(ctx, c, node, strict, []string{"strict"})
			pods(ctx, c, node, met, []string{"met"})
			idle := standIns(ctx, c, becoming, met)
			movers := standIns(ctx, c, moving, lax)
			guard(ctx, c, "strict", strict, 0, 1, MinAvailable("1"))
			guard(ctx, c, "met", met, 0, 1, MinAvailable("1"))
			ample := c.CreateBudget(ctx, "lax", MinAvailable("0"), Selecting(lax))
			for _, pod := range movers {
				written(c, setReady(ctx, c, pod))
			}
			c.Require(ctx, "the budget allows them all to go", Allows(ample, races))
			c.Kill(ctx)
			for _, pod := range idle {
				written(c, besideEviction(ctx, c, pod, func() error { return setReady(ctx, c, pod) }))
			}
			for _, pod := range movers {
				written(c, besideEviction(ctx, c, pod, func() error { return relabel(ctx, c, pod, strict) }))
			}
			c.Restart(ctx)
		},
		func(j *spec.Checks) {
			for _, budget := range []string{"met", "strict"} {
				j.Given(unattended(budget, "allows disruptions", func(after *policyv1.PodDisruptionBudget) bool { return after.Status.DisruptionsAllowed > 0 }))
			}
			for _, race := range []struct {
				id     requirements.ID
				prefix string
				wrong  Event
			}{
				{"EVICT-023", becoming, PodGone().Where("that was Ready, under a budget that allows nothing", readyNamed(becoming))},
				{"EVICT-024", moving, PodGone().Where("that another budget guards, which allows nothing", guardedBy(moving, "strict"))},
			} {
				refusals := EvictionAnswered(race.prefix).Where("refused by a budget", func(m Moment) bool { return m.Exchange.Code == http.StatusTooManyRequests })
				j.Decide(race.id, Never(race.wrong), Tested(AtLeast(1, refusals)))
			}
		}, budgets, spec.Alone{}, spec.SimulatedNodes{})
}

// standIns are pods that no node runs: the harness writes their status itself, so that they change when it says so. They run without being Ready.
func standIns(ctx context.Context, c *spec.Case, prefix string, labels map[string]string) []*corev1.Pod {
	made := pods(ctx, c, "", labels, named(prefix+"pod", races), nowhere)
	for _, pod := range made {
		written(c, writeStatus(ctx, c, pod, history.RunPod, `{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"False"}]}}`))
	}
	return made
}

// setReady makes a stand-in Ready, relabel gives it other labels. One that is gone stays so.
func setReady(ctx context.Context, c *spec.Case, pod *corev1.Pod) error {
	return writeStatus(ctx, c, pod, history.BecomeReady, `{"status":{"conditions":[{"type":"Ready","status":"True"}]}}`)
}

func relabel(ctx context.Context, c *spec.Case, pod *corev1.Pod, labels map[string]string) error {
	return patch(ctx, c, pod, history.LabelPod, fmt.Sprintf(`{"metadata":{"labels":{"app":%q}}}`, labels["app"]))
}

func writeStatus(ctx context.Context, c *spec.Case, pod *corev1.Pod, act history.Act, body string) error {
	return patch(ctx, c, pod, act, body, "status")
}

func patch(ctx context.Context, c *spec.Case, pod *corev1.Pod, act history.Act, body string, subresources ...string) error {
	stimulus := history.Stimulus{Act: act, Kind: history.KindPod, Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID}
	err := c.Do(ctx, stimulus, func(ctx context.Context) error {
		_, err := c.Client().CoreV1().Pods(pod.Namespace).Patch(ctx, pod.Name, types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{}, subresources...)
		return err
	})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("harness: %s, pod %s: %w", act, pod.Name, err)
	}
	return nil
}

// written ends the scenario if the harness could not write what it wanted to.
func written(c *spec.Case, err error) {
	if err != nil {
		c.CannotDecide(err.Error())
	}
}

// besideEviction does something while an eviction of the pod is under way, whose answer is recorded.
func besideEviction(ctx context.Context, c *spec.Case, pod *corev1.Pod, do func() error) error {
	var eviction sync.WaitGroup
	eviction.Go(func() { _ = c.TryEvict(ctx, pod) })
	defer eviction.Wait()
	return do()
}

// unattended asks that, while the implementation is down, no write of the budget does what only a controller would: that somebody else is at work in its place.
func unattended(budget, does string, is func(after *policyv1.PodDisruptionBudget) bool) Matcher {
	return NeverBetween(Done(history.KillImplementation), Began(history.RestartImplementation),
		BudgetChanged(budget, does, func(_, after *policyv1.PodDisruptionBudget) bool { return is(after) }))
}

// readyNamed picks pods that were Ready when they went, guardedBy those that the labels of that budget's pods were given to.
func readyNamed(prefix string) func(Moment) bool {
	return func(m Moment) bool { return strings.HasPrefix(m.Pod().Name, prefix) && history.IsReady(m.Pod()) }
}

func guardedBy(prefix, app string) func(Moment) bool {
	return func(m Moment) bool { return strings.HasPrefix(m.Pod().Name, prefix) && m.Pod().Labels["app"] == app }
}
