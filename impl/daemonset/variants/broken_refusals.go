package variants

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenRefusals do not get on with an API server that refuses their pods.
func brokenRefusals() []Variant {
	deaf := func(c client.Client) client.Client { return deafClient{c} }
	return []Variant{
		{Name: "takes-a-refusal-for-success", Says: "Does not try again to create a pod that the API server refused.",
			Breaks: []string{"RECOVERY-006"}, Writer: deaf},
		{Name: "tries-all-pods-at-once", Says: "Tries to create every missing pod each time, however many of them are refused.",
			Breaks: []string{"RECOVERY-006"}, Writer: deaf,
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if len(actions.CreatePods) > 0 {
					comeBack(actions, time.Second)
				}
			})},
		{Name: "tries-all-pods-at-once-after-a-success", Says: "Tries to create every missing pod each time, however many of them are refused, once it has created sixteen.",
			Breaks: []string{"RECOVERY-006"}, Writer: func(c client.Client) client.Client { return &confidentClient{Client: c} },
			Planner: doing(func(actions *plan.Actions, _ plan.State, _ time.Time) {
				if len(actions.CreatePods) > 0 {
					comeBack(actions, time.Second)
				}
			})},
		{Name: "notes-each-refusal-on-the-daemonset", Says: "Writes the API server's words about a pod that it refused into an annotation of the DaemonSet.",
			Breaks: []string{"RECOVERY-006"}, Writer: func(c client.Client) client.Client { return notingClient{c} }},
		{Name: "waits-for-pods-that-were-refused", Says: "Expects every pod that it tried to create for five minutes, also one that was refused.",
			Breaks: []string{"RECOVERY-006"}, Planner: remember(expectPods)},
		{Name: "gets-no-further-than-a-refused-pod", Says: "Tries the pods that were refused first again, before those of other nodes.",
			Breaks: []string{"RECOVERY-006"}, Planner: doing(refusedFirst)},
		{Name: "remembers-refusals-of-the-last-attempt", Says: "Tries the pods last that were refused in its last attempt, and not those that were before.",
			Breaks: []string{"RECOVERY-006"}, Planner: seeing(refusedLately)},
		{Name: "reports-the-node-refused-last", Says: "Names in the status the node whose pod was refused last, and tries the next node once the status has changed.",
			Breaks: []string{"RECOVERY-006"}, Planner: reporting(refusedLast)},
		{Name: "hides-that-pods-are-refused", Says: "Does not report that a rollout is stalled because its pods are refused.",
			Breaks:  []string{"COND-001", "COND-002"},
			Planner: seeing(func(state *plan.State, _ time.Time) { state.Refused = nil })},
		{Name: "refused-nodes-cost-nothing", Says: "Does not hold an empty node against maxUnavailable for which the API server refuses to create the pod.",
			Breaks: []string{"ROLLING-009"},
			Planner: lenient(maxUnavailable, func(n *node, state plan.State, _ time.Time) bool {
				if state.Refused == nil || !n.eligible || len(n.olds)+len(n.news)+len(n.leaving)+len(n.ended) > 0 {
					return false
				}
				_, refused := state.Refused.Nodes[n.name]
				return refused
			})},
		{Name: "tries-a-refused-pod-again-as-it-was", Says: "Tries to create a pod that was refused until it succeeds, though the template is another one by then.",
			Breaks: []string{"ROLLOVER-001"}, Planner: remember(tryAgainAsItWas)},
		{Name: "goes-on-trying-what-is-refused", Says: "Tries for some seconds to create a pod that is refused before it looks again what is to be done.",
			Breaks: []string{"ROLLOVER-001"}, Writer: func(c client.Client) client.Client { return stubbornClient{c} }},
	}
}

func refusedFirst(actions *plan.Actions, state plan.State, _ time.Time) {
	if state.Refused == nil {
		return
	}
	wasRefused := func(c plan.PodCreation) int {
		if _, refused := state.Refused.Nodes[c.Node]; refused {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(actions.CreatePods, func(a, b plan.PodCreation) int { return cmp.Compare(wasRefused(a), wasRefused(b)) })
}

// refusedLately leaves of the nodes whose pods were refused those of the last attempt.
func refusedLately(state *plan.State, _ time.Time) {
	if state.Refused == nil {
		return
	}
	refused, last := *state.Refused, time.Time{}
	for _, at := range refused.Nodes {
		if at.After(last) {
			last = at
		}
	}
	refused.Nodes = maps.Clone(refused.Nodes)
	maps.DeleteFunc(refused.Nodes, func(_ string, at time.Time) bool { return at.Before(last) })
	state.Refused = &refused
}

// refusedLast rewrites the message of a stall.
func refusedLast(status *appsv1.DaemonSetStatus, state plan.State, _ time.Time) {
	if state.Refused == nil || len(state.Refused.Nodes) == 0 {
		return
	}
	last := slices.MaxFunc(slices.Sorted(maps.Keys(state.Refused.Nodes)), func(a, b string) int {
		return state.Refused.Nodes[a].Compare(state.Refused.Nodes[b])
	})
	status.Conditions = slices.Clone(status.Conditions)
	for i, condition := range status.Conditions {
		if condition.Reason == plan.StalledCreationRefused {
			status.Conditions[i].Message = fmt.Sprintf("the pod for node %s cannot be created", last)
		}
	}
}

// notingClient writes on the DaemonSet why its last pod was refused, which is a change of the DaemonSet, and so a reason to look at it at once.
type notingClient struct{ client.Client }

func (c notingClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	err := c.Client.Create(ctx, object, options...)
	owner := metav1.GetControllerOf(object)
	if _, isPod := object.(*corev1.Pod); !isPod || apierrors.ReasonForError(err) == "" || owner == nil {
		return err
	}
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: object.GetNamespace(), Name: owner.Name}}
	body, failed := json.Marshal(map[string]any{"metadata": map[string]any{"annotations": map[string]string{"example.org/last-refusal": err.Error()}}})
	return errors.Join(err, failed, c.Patch(ctx, ds, client.RawPatch(types.MergePatchType, body)))
}

// deafClient does not hear that a pod was refused.
type deafClient struct{ client.Client }

func (c deafClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	err := c.Client.Create(ctx, object, options...)
	if _, isPod := object.(*corev1.Pod); isPod && apierrors.ReasonForError(err) != "" {
		return nil
	}
	return err
}

// confidentClient is deaf once it has created confidence pods.
type confidentClient struct {
	client.Client
	created atomic.Int64
}

const confidence = 16

func (c *confidentClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	if _, isPod := object.(*corev1.Pod); !isPod {
		return c.Client.Create(ctx, object, options...)
	}
	if c.created.Load() >= confidence {
		return deafClient{c.Client}.Create(ctx, object, options...)
	}
	err := c.Client.Create(ctx, object, options...)
	if err == nil {
		c.created.Add(1)
	}
	return err
}

// expected are the pods that were to be created, by node and revision, with the time of the first attempt.
type expected map[string]time.Time

func expectPods(m *memory[expected]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		since, wanted := m.of(state), expected{}
		withoutCreations(actions, func(c plan.PodCreation) bool {
			key := c.Node + c.Hash
			first, known := (*since)[key]
			if !known {
				first = now
			}
			wanted[key] = first
			return known && now.Before(first.Add(5*time.Minute))
		})
		*since = wanted
	})
}

// tried are the creations of the last pass that could create any, by their nodes.
type tried struct{ creations map[string]plan.PodCreation }

// tryAgainAsItWas repeats a creation that is wanted again in the next pass: then it has not succeeded.
func tryAgainAsItWas(m *memory[tried]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if state.AwaitingOwnWrites || actions.CreateRevision != nil {
			return
		}
		last, wanted := m.of(state), map[string]plan.PodCreation{}
		actions.CreatePods = slices.Clone(actions.CreatePods)
		for i, creation := range actions.CreatePods {
			if before, again := last.creations[creation.Node]; again {
				actions.CreatePods[i] = before
			}
			wanted[creation.Node] = actions.CreatePods[i]
		}
		last.creations = wanted
	})
}

// stubbornClient tries to create a pod again that is refused, as it is.
type stubbornClient struct{ client.Client }

func (c stubbornClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	err := c.Client.Create(ctx, object, options...)
	for _, pause := range []time.Duration{500 * time.Millisecond, time.Second, 2 * time.Second} {
		if _, isPod := object.(*corev1.Pod); !isPod || !apierrors.IsForbidden(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
		err = c.Client.Create(ctx, object, options...)
	}
	return err
}
