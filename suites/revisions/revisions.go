// Package history has the specs of the history objects: which there are, whose they are, and when they go.
package history

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/expect"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// Specs registers the family.
func Specs() {
	spec.It("takes over the pods and the history that a DaemonSet of the same template left behind",
		spec.Decides("HISTORY-026"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			left := c.Deploy(ctx, MaxUnavailable("2"))
			c.RollOut(ctx, left, Image("v2"))
			c.Require(ctx, "the rollout has come to rest", Quiet(time.Second))
			orphan(ctx, c, left)
			again := c.Create(ctx, c.NewDaemonSet("daemon", MaxUnavailable("2"), Image("v2")))
			c.Await(ctx, Steady(again))
			c.Await(ctx, func(cluster *history.Cluster) bool { return allControlledBy(again, cluster) == nil })
			c.Await(ctx, Quiet(time.Second))
			recreated := Nth(2, StimulusIs("create DaemonSet"))
			c.Decide("HISTORY-026",
				Never(After(PodDeleted(), recreated)), Never(After(PodCreated(), recreated)), Exactly(2, RevisionCreated()), Never(RevisionDeleted()),
				HoldsAtEnd("the new DaemonSet controls every pod and history object", func(cluster *history.Cluster) error {
					return allControlledBy(again, cluster)
				}),
				expect.RolledOut())
		})
}

// orphan deletes the DaemonSet without cascade and waits until it has let go of what it controlled.
func orphan(ctx context.Context, c *spec.Case, daemonSet *appsv1.DaemonSet) {
	c.Note(history.Stimulus{
		Lever: "delete DaemonSet", Kind: history.KindDaemonSet, Namespace: daemonSet.Namespace, Name: daemonSet.Name, UID: daemonSet.UID,
		Detail: "without cascade",
	})
	options := metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationOrphan)}
	if err := c.Client().AppsV1().DaemonSets(daemonSet.Namespace).Delete(ctx, daemonSet.Name, options); err != nil {
		c.CannotDecide(fmt.Sprintf("harness: delete DaemonSet %s: %v", daemonSet.Name, err))
	}
	c.Require(ctx, "the deleted DaemonSet is gone", func(cluster *history.Cluster) bool { return cluster.DaemonSets[daemonSet.UID] == nil })
}

func allControlledBy(daemonSet *appsv1.DaemonSet, cluster *history.Cluster) error {
	for _, pod := range cluster.Pods {
		if !metav1.IsControlledBy(pod, daemonSet) {
			return fmt.Errorf("pod %s is not controlled by DaemonSet %s", pod.Name, daemonSet.Name)
		}
	}
	for _, revision := range cluster.Revisions {
		if !metav1.IsControlledBy(revision, daemonSet) {
			return fmt.Errorf("ControllerRevision %s is not controlled by DaemonSet %s", revision.Name, daemonSet.Name)
		}
	}
	return nil
}
