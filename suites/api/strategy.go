package api

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/utils/ptr"

	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	. "github.com/rollcall-conformance/rollcall/framework/scenario"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// strategy are the specs of the update strategy and of the fields beside it.
func strategy() {
	spec.It("gives RollingUpdate its parameters, and OnDelete no use for them",
		spec.Decides("API-010"),
		func(ctx context.Context, c *spec.Case) {
			stored := c.Create(ctx, c.NewDaemonSet("rolling", set("type RollingUpdate", func(d *appsv1.DaemonSet) {
				d.Spec.UpdateStrategy.Type = appsv1.RollingUpdateDaemonSetStrategyType
			})))
			c.Answer("API-010", stored.Spec.UpdateStrategy.RollingUpdate != nil, "RollingUpdate has its parameters, given or defaulted", "no rollingUpdate block")

			c.AddNodes(ctx, 2)
			withBlock := MaxSurge("1")
			daemonSet, err := c.TryCreate(ctx, c.NewDaemonSet("daemon", withBlock, set("type OnDelete", func(d *appsv1.DaemonSet) {
				d.Spec.UpdateStrategy.Type = appsv1.OnDeleteDaemonSetStrategyType
			})))
			if err != nil {
				refused(c, "API-010", "a rollingUpdate block with OnDelete, unless it is ignored,", err)
				return
			}
			c.Require(ctx, "the first pods are available", Steady(daemonSet))
			c.Require(ctx, "the controller has seen the update", Processed(c.Update(ctx, daemonSet, Image("v2"))))
			c.Await(ctx, Quiet(time.Second))
			c.Decide("API-010", Never(PodCreated(OfVersion("v2"))), Never(PodDeleted()))
		})

	spec.It("knows the strategies RollingUpdate and OnDelete, and no other",
		spec.Decides("API-011", "API-012"),
		func(ctx context.Context, c *spec.Case) {
			for i, name := range []string{"RollingUpdate", "OnDelete", "", "Recreate", "rollingupdate", "Surging"} {
				stored, err := c.TryCreate(ctx, c.NewDaemonSet(fmt.Sprintf("type-%d", i), set("type "+name, func(d *appsv1.DaemonSet) {
					d.Spec.UpdateStrategy.Type = appsv1.DaemonSetUpdateStrategyType(name)
				})))
				switch name {
				case "RollingUpdate", "OnDelete":
					if accepted(c, "API-011", "strategy "+name, err) {
						equal(c, "API-011", "the stored strategy", name, string(stored.Spec.UpdateStrategy.Type))
					}
				case "":
					if accepted(c, "API-012", "no strategy", err) {
						equal(c, "API-012", "the default strategy", "RollingUpdate", string(stored.Spec.UpdateStrategy.Type))
					}
				default:
					rejected(c, "API-011", "strategy "+name, "updateStrategy", err)
				}
			}
		})

	spec.It("defaults minReadySeconds and revisionHistoryLimit, and rejects negative ones",
		spec.Decides("API-013", "API-014"),
		func(ctx context.Context, c *spec.Case) {
			stored := c.Create(ctx, c.NewDaemonSet("defaults"))
			equal(c, "API-013", "the default minReadySeconds", int32(0), stored.Spec.MinReadySeconds)
			equal(c, "API-014", "the default revisionHistoryLimit", int32(10), ptr.Deref(stored.Spec.RevisionHistoryLimit, -1))

			stored = c.Create(ctx, c.NewDaemonSet("given", MinReadySeconds(7), historyLimit(0)))
			equal(c, "API-013", "the stored minReadySeconds", int32(7), stored.Spec.MinReadySeconds)
			equal(c, "API-014", "the stored revisionHistoryLimit", int32(0), ptr.Deref(stored.Spec.RevisionHistoryLimit, -1))

			_, err := c.TryCreate(ctx, c.NewDaemonSet("negative", MinReadySeconds(-1)))
			rejected(c, "API-013", "minReadySeconds -1", "minReadySeconds", err)
			_, err = c.TryCreate(ctx, c.NewDaemonSet("negative", historyLimit(-1)))
			rejected(c, "API-014", "revisionHistoryLimit -1", "revisionHistoryLimit", err)
		})
}

func historyLimit(limit int32) Edit {
	return set(fmt.Sprintf("revisionHistoryLimit %d", limit), func(d *appsv1.DaemonSet) { d.Spec.RevisionHistoryLimit = &limit })
}
