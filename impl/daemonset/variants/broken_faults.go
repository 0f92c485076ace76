package variants

import (
	"bytes"
	"context"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/rollcall-conformance/rollcall/impl/around"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// brokenFaults do not get on with a network and an API server that fail them.
func brokenFaults() []Variant {
	sure := func(c client.Client) client.Client { return sureClient{c} }
	return []Variant{
		{Name: "takes-no-answer-for-a-refusal", Says: "Takes a pod for not created when the answer to its creation is lost.",
			Breaks: []string{"RECOVERY-008"}, Writer: sure},
		{Name: "takes-a-timeout-for-a-refusal", Says: "Takes a pod for not created when the API server says that the request did not complete in time.",
			Breaks: []string{"RECOVERY-008"}, Writer: func(c client.Client) client.Client { return impatientClient{c} }},
		{Name: "takes-another-node-without-an-answer", Says: "Deletes the pod of another node when the answer to a deletion is lost.",
			Breaks: []string{"RECOVERY-009"}, Writer: sure, Planner: remember(avoidTried)},
		{Name: "takes-a-failed-status-write-for-done", Says: "Does not write a status again whose write failed.",
			Breaks: []string{"RECOVERY-010"},
			Writer: func(c client.Client) client.Client { return statusAround{c, dropFailure} }},
		{Name: "writes-a-status-twice-at-most", Says: "Does not write a status again whose write has failed twice in a row, for another reason than a conflict.",
			Breaks: []string{"RECOVERY-010"},
			Writer: func(c client.Client) client.Client { return statusAround{c, dropSecondFailure} }},
		{Name: "does-not-wait-as-long-as-it-is-told", Says: "Gives up a write of the status after 100 ms, and begins it again.",
			Breaks: []string{"RECOVERY-011"},
			Writer: func(c client.Client) client.Client { return statusAround{c, hurry} }},
		{Name: "compares-one-cache-with-another", Says: "Asks the API server for any state, not for the latest, when it looks whether its own caches are up to date.",
			Breaks: []string{"RECOVERY-012"}, Live: func(r client.Reader) client.Reader { return anyState{r} }},
		{Name: "compares-its-cache-of-pods-alone", Says: "Looks whether its cache of pods is up to date after a write without an answer, and not whether that of histories is.",
			Breaks: []string{"HISTORY-003"}, Live: func(r client.Reader) client.Reader { return withoutRevisions{r} }},
		{Name: "recreates-pods-whose-patch-failed", Says: "Deletes a pod whose patch met an error of the API server.", Breaks: []string{"INPLACE-003"},
			Writer: func(c client.Client) client.Client { return failedPatchEnder{c} }},
		{Name: "insists-on-what-is-refused", Says: "Sends patches and deletions of pods that the API server refuses again and again, without a pause.", Breaks: []string{"INPLACE-037", "RECOVERY-015"},
			Writer: around.Insistent},
		{Name: "waits-for-a-pod-that-never-shows", Says: "Creates no second pod on a node before it has seen the first one.",
			Breaks: []string{"RECOVERY-013"}, Planner: remember(createOnce)},
	}
}

// sureClient takes a write of a pod that was not answered for one that was refused.
type sureClient struct{ client.Client }

func (c sureClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	return c.refused(object, c.Client.Create(ctx, object, options...))
}

func (c sureClient) Delete(ctx context.Context, object client.Object, options ...client.DeleteOption) error {
	return c.refused(object, c.Client.Delete(ctx, object, options...))
}

func (sureClient) refused(object client.Object, err error) error {
	if _, isPod := object.(*corev1.Pod); isPod && err != nil && apierrors.ReasonForError(err) == "" {
		return apierrors.NewBadRequest(err.Error())
	}
	return err
}

// impatientClient takes a creation that did not complete in time for one that was refused.
type impatientClient struct{ client.Client }

func (c impatientClient) Create(ctx context.Context, object client.Object, options ...client.CreateOption) error {
	err := c.Client.Create(ctx, object, options...)
	if apierrors.IsTimeout(err) {
		return apierrors.NewBadRequest(err.Error())
	}
	return err
}

// failedPatchEnder deletes the pod whose images could not be patched.
type failedPatchEnder struct{ client.Client }

func (c failedPatchEnder) Patch(ctx context.Context, object client.Object, patch client.Patch, options ...client.PatchOption) error {
	err := c.Client.Patch(ctx, object, patch, options...)
	raw, dataErr := patch.Data(object)
	if dataErr == nil && apierrors.IsInternalError(err) && bytes.Contains(raw, []byte(`"image"`)) {
		// Where that fails, it is tried again with the patch.
		_ = c.Client.Delete(ctx, object)
	}
	return err
}

// avoidTried deletes no pod that a pass before was to delete, but one on another node.
func avoidTried(m *memory[map[types.UID]bool]) Around {
	return doing(func(actions *plan.Actions, state plan.State, now time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		tried := m.of(state)
		if *tried == nil {
			*tried = map[types.UID]bool{}
		}
		again := 0
		withoutDeletions(actions, func(d plan.PodDeletion) bool {
			if (*tried)[d.Pod.UID] && d.Pod.DeletionTimestamp == nil {
				again++
				return true
			}
			(*tried)[d.Pod.UID] = true
			return false
		})
		for _, n := range nodes(state) {
			for _, pod := range n.olds {
				if again > 0 && !(*tried)[pod.UID] && available(state, []*corev1.Pod{pod}, now) {
					(*tried)[pod.UID] = true
					remove(actions, pod, plan.ReasonOutdated)
					again--
				}
			}
		}
	})
}

// anyState lists whatever the API server has at hand.
type anyState struct{ client.Reader }

func (r anyState) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	return r.Reader.List(ctx, list, append(options, &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: "0"}})...)
}

// withoutRevisions says of histories that there are none.
type withoutRevisions struct{ client.Reader }

func (r withoutRevisions) List(ctx context.Context, list client.ObjectList, options ...client.ListOption) error {
	if list.GetObjectKind().GroupVersionKind().Kind == "ControllerRevisionList" {
		return nil
	}
	return r.Reader.List(ctx, list, options...)
}

// createOnce creates a pod on a node again only where it has seen the one before.
func createOnce(m *memory[map[string]bool]) Around {
	return doing(func(actions *plan.Actions, state plan.State, _ time.Time) {
		if state.AwaitingOwnWrites {
			return
		}
		tried := m.of(state)
		if *tried == nil {
			*tried = map[string]bool{}
		}
		for _, pod := range state.Pods {
			delete(*tried, plan.TargetNode(pod)+pod.Labels[plan.HashLabel])
		}
		withoutCreations(actions, func(c plan.PodCreation) bool {
			again := (*tried)[c.Node+c.Hash]
			(*tried)[c.Node+c.Hash] = true
			return again
		})
	})
}

// statusAround does something around each write of a DaemonSet's status.
type statusAround struct {
	client.Client
	around func(ctx context.Context, write func(context.Context) error) error
}

func (c statusAround) Status() client.SubResourceWriter {
	return statusWriteAround{c.Client.Status(), c.around}
}

type statusWriteAround struct {
	client.SubResourceWriter
	around func(ctx context.Context, write func(context.Context) error) error
}

func (w statusWriteAround) Update(ctx context.Context, object client.Object, options ...client.SubResourceUpdateOption) error {
	if _, isDaemonSet := object.(*appsv1.DaemonSet); !isDaemonSet {
		return w.SubResourceWriter.Update(ctx, object, options...)
	}
	return w.around(ctx, func(ctx context.Context) error { return w.SubResourceWriter.Update(ctx, object, options...) })
}

// dropFailure hears of no failure.
func dropFailure(ctx context.Context, write func(context.Context) error) error {
	// What it says is just what is not heard.
	_ = write(ctx)
	return nil
}

// dropSecondFailure tries once more after a failure, and hears of no other.
func dropSecondFailure(ctx context.Context, write func(context.Context) error) error {
	err := write(ctx)
	if err == nil || apierrors.IsConflict(err) || apierrors.IsNotFound(err) {
		return err
	}
	return dropFailure(ctx, write)
}

// hurry begins anew what takes long.
func hurry(ctx context.Context, write func(context.Context) error) error {
	for {
		brief, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		err := write(brief)
		gaveUp := brief.Err() != nil && ctx.Err() == nil
		cancel()
		if !gaveUp {
			return err
		}
	}
}
