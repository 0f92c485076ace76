package api

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// settled is when the controller has seen an update and nothing more happened.
const settled history.Mark = "settled"

// strategy are the specs of the update strategy and of the fields beside it.
func strategy() {
	spec.It("defaults the parameters of RollingUpdate, and has none of them apply to OnDelete",
		spec.Decides("API-010"),
		func(ctx context.Context, c *spec.Case) {
			create(ctx, c, "rolling", strategyTyped("RollingUpdate"))

			c.AddNodes(ctx, 2)
			daemonSet := create(ctx, c, "daemon", MaxSurge("1"), strategyTyped("OnDelete"))
			if daemonSet == nil {
				return
			}
			c.Require(ctx, "the first pods are available", Steady(daemonSet))
			c.Require(ctx, "the controller has seen the update", Processed(c.Update(ctx, daemonSet, Image("v2"))))
			c.Await(ctx, Quiet(time.Second))
			c.Mark(settled)
		},
		func(j *spec.Checks) {
			const what = "a rollingUpdate block with OnDelete"
			j.Decide("API-010",
				Stored("the rollingUpdate block of RollingUpdate without one", "there", created("rolling"), func(d *appsv1.DaemonSet) string {
					if d.Spec.UpdateStrategy.RollingUpdate == nil {
						return "not there"
					}
					return "there"
				}),
				OneOf(
					Refused(what, created("daemon")),
					All(
						Accepted(what, created("daemon")),
						NeverBetween(Began(history.UpdateDaemonSet), Marked(settled), PodCreated(OfVersion("v2"))),
						NeverBetween(Began(history.UpdateDaemonSet), Marked(settled), PodDeleted()))))
		}, spec.AppsV1{})

	spec.It("has limits that cannot be read apply to OnDelete no more than others, where they can be stored",
		spec.Decides("API-010"),
		func(ctx context.Context, c *spec.Case) {
			c.AddNodes(ctx, 2)
			daemonSet := create(ctx, c, "daemon", strategyOf("many", "-1"), strategyTyped("OnDelete"))
			if daemonSet == nil {
				return
			}
			if !c.Await(ctx, Steady(daemonSet)) {
				return
			}
			daemonSet = c.Update(ctx, daemonSet, Image("v2"))
			c.Await(ctx, Processed(daemonSet))
			c.DeletePod(ctx, c.LivePods(ctx, daemonSet)[0], 0)
			c.Await(ctx, UpdatedOn(1, daemonSet))
		},
		func(j *spec.Checks) {
			const what = "a rollingUpdate block with OnDelete that cannot be read"
			j.Decide("API-010",
				OneOf(
					Refused(what, created("daemon")),
					All(Accepted(what, created("daemon")), OnEveryNode(AtLeast(1, PodCreated(OfVersion("v1")))), AtLeast(1, PodCreated(OfVersion("v2"))))))
		}, spec.AppsV1{})

	known, unknown := []string{"RollingUpdate", "OnDelete"}, []string{"Recreate", "rollingupdate", "Surging"}
	spec.It("accepts the strategies RollingUpdate and OnDelete, and no other",
		spec.Decides("API-011", "API-012"),
		func(ctx context.Context, c *spec.Case) {
			for i, name := range known {
				create(ctx, c, fmt.Sprintf("known-%d", i), strategyTyped(name))
			}
			for i, name := range unknown {
				create(ctx, c, fmt.Sprintf("unknown-%d", i), strategyTyped(name))
			}
			create(ctx, c, "none", strategyTyped(""))
		},
		func(j *spec.Checks) {
			for i, name := range known {
				j.Decide("API-011", Stored("the stored strategy", name, created(fmt.Sprintf("known-%d", i)), strategyType))
			}
			for i, name := range unknown {
				j.Decide("API-011", Rejected("strategy "+name, "updateStrategy", created(fmt.Sprintf("unknown-%d", i))))
			}
			j.Decide("API-012", Stored("the default strategy", "RollingUpdate", created("none"), strategyType))
		}, spec.AppsV1{})

	spec.It("defaults minReadySeconds and revisionHistoryLimit, and rejects negative ones",
		spec.Decides("API-013", "API-014"),
		func(ctx context.Context, c *spec.Case) {
			create(ctx, c, "defaults")
			create(ctx, c, "given", MinReadySeconds(7), historyLimit(0))
			create(ctx, c, "negative-seconds", MinReadySeconds(-1))
			create(ctx, c, "negative-limit", historyLimit(-1))
		},
		func(j *spec.Checks) {
			j.Decide("API-013",
				Stored("the default minReadySeconds", "0", created("defaults"), minReadySeconds),
				Stored("the stored minReadySeconds", "7", created("given"), minReadySeconds),
				Rejected("minReadySeconds -1", "minReadySeconds", created("negative-seconds")))
			j.Decide("API-014",
				Stored("the default revisionHistoryLimit", "10", created("defaults"), revisionHistoryLimit),
				Stored("the stored revisionHistoryLimit", "0", created("given"), revisionHistoryLimit),
				Rejected("revisionHistoryLimit -1", "revisionHistoryLimit", created("negative-limit")))
		}, spec.AppsV1{})
}

// strategyTyped sets the strategy's type and leaves its parameters.
func strategyTyped(name string) Edit {
	return set("type "+name, func(d *appsv1.DaemonSet) { d.Spec.UpdateStrategy.Type = appsv1.DaemonSetUpdateStrategyType(name) })
}

func historyLimit(limit int32) Edit {
	return set(fmt.Sprintf("revisionHistoryLimit %d", limit), func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = &limit })
}
