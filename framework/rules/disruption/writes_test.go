package disruption_test

import (
	"slices"
	"testing"
	"time"

	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/disruption"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestObserved(t *testing.T) {
	Breaks(t, disruption.Observed(),
		Tell("a generation that does not exist", func(b *Builder) {
			budget, _, _ := guarded(b, 2, MinAvailable("1"), 1, 1)
			budget.Status(func(status *policyv1.PodDisruptionBudgetStatus) { status.ObservedGeneration = 7 })
		}),
		Tell("numbers of the generation before", func(b *Builder) {
			budget, _, _ := guarded(b, 2, MinAvailable("1"), 1, 1)
			budget.Set(MinAvailable("2")).Says(1, 2, 1, 2)
		}),
		Tell("numbers of the maxUnavailable before", func(b *Builder) {
			budget, _, _ := guarded(b, 3, MaxDisrupted("2"), 2, 1)
			budget.Set(MaxDisrupted("0")).Says(2, 3, 1, 3)
		}),
		Tell("numbers of the share before", func(b *Builder) {
			budget, _, _ := guarded(b, 4, MinAvailable("50%"), 2, 2)
			budget.Set(MinAvailable("100%")).Says(2, 4, 2, 4)
		}))
	Keeps(t, disruption.Observed(),
		Tell("numbers of the maxUnavailable before, and its generation", func(b *Builder) {
			budget, _, _ := guarded(b, 3, MaxDisrupted("2"), 2, 1)
			budget.Set(MaxDisrupted("0")).Status(func(status *policyv1.PodDisruptionBudgetStatus) { status.DisruptionsAllowed = 1 }).Says(0, 3, 3, 3)
		}),
		Tell("more may be unavailable than are expected", func(b *Builder) {
			budget, _, _ := guarded(b, 3, MaxDisrupted("2"), 2, 1)
			budget.Set(MaxDisrupted("7")).Says(3, 3, 0, 3)
		}),
		Tell("the budget cannot be computed", func(b *Builder) {
			budget, _, _ := guarded(b, 3, MaxDisrupted("2"), 2, 1)
			budget.Set(MaxDisrupted("1")).SyncFailed("a scale cannot be read").Says(1, 3, 2, 3)
		}))
	Omits(t, disruption.Observed(), Tell("the generation before", func(b *Builder) {
		budget, _, _ := guarded(b, 2, MinAvailable("1"), 1, 1)
		budget.Set(MinAvailable("2"))
		b.After(late).Mark("end")
	}))
}

func TestCondition(t *testing.T) {
	Keeps(t, disruption.Condition(), Tell("each status has its condition", func(b *Builder) {
		budget, _, pods := guarded(b, 2, MinAvailable("1"), 1, 1)
		pods[0].Unready()
		budget.Says(0, 1, 1, 2)
	}))
	condition := func(edit func(*metav1.Condition)) func(b *Builder) {
		return func(b *Builder) {
			budget, _, _ := guarded(b, 2, MinAvailable("1"), 1, 1)
			budget.Status(func(status *policyv1.PodDisruptionBudgetStatus) {
				status.Conditions = append([]metav1.Condition{}, status.Conditions...)
				edit(&status.Conditions[0])
			})
		}
	}
	Breaks(t, disruption.Condition(),
		Tell("another status", condition(func(c *metav1.Condition) { c.Status = metav1.ConditionFalse })),
		Tell("another reason", condition(func(c *metav1.Condition) { c.Reason = policyv1.InsufficientPodsReason })),
		Tell("another generation", condition(func(c *metav1.Condition) { c.ObservedGeneration++ })),
		Tell("another type", condition(func(c *metav1.Condition) { c.Type = "Other" })))
}

// TestAFailureEndsInTheCondition has a budget fail for a pod without a controller, and has the pod go: one more of its pods is not Ready, so that it allows nothing
// after that either.
func TestAFailureEndsInTheCondition(t *testing.T) {
	recovers := func(then func(*Budget)) func(b *Builder) {
		return func(b *Builder) {
			budget, _, pods := guarded(b, 2, MaxDisrupted("1"), 1, 1)
			bare := b.Stranger("bare", NodeName(0), map[string]string{"app": "web"})
			budget.SyncFailed("pod bare has no controller")
			b.After(judge.Prompt)
			pods[0].Unready()
			b.Stimulus(history.DeletePod, bare)
			bare.Gone()
			then(budget)
			b.After(late).Mark("end")
		}
	}
	Keeps(t, disruption.Condition(), Tell("the reason is InsufficientPods again", recovers(func(budget *Budget) { budget.Says(0, 1, 1, 2) })))
	Omits(t, disruption.Condition(), Tell("the reason stays SyncFailed beside numbers that are right", recovers(func(budget *Budget) {
		budget.Says(0, 1, 1, 2).SyncFailed("pod bare has no controller")
	})))
}

func TestForeignConditions(t *testing.T) {
	write := func(b *Builder) *Budget {
		budget, _, pods := guarded(b, 2, MinAvailable("1"), 1, 1)
		b.Stimulus(history.WriteStatus, budget)
		budget.Status(func(status *policyv1.PodDisruptionBudgetStatus) {
			status.Conditions = append(status.Conditions, metav1.Condition{Type: "Mine", Status: metav1.ConditionTrue, Reason: "Mine"})
		})
		b.Done().After(2 * judge.Lag)
		pods[0].Unready()
		return budget
	}
	Keeps(t, disruption.ForeignConditions(), Tell("it stays", func(b *Builder) { write(b).Says(0, 1, 1, 2) }))
	own := func(b *Builder, then func(*Budget)) {
		budget, _, pods := guarded(b, 2, MinAvailable("1"), 1, 1)
		budget.Status(counted("2"))
		pods[0].Unready()
		then(budget)
	}
	Ignores(t, disruption.ForeignConditions(),
		Tell("it changes a condition of its own", func(b *Builder) { own(b, func(budget *Budget) { budget.Says(0, 1, 1, 2).Status(counted("1")) }) }),
		Tell("it takes a condition of its own away", func(b *Builder) {
			own(b, func(budget *Budget) {
				budget.Status(func(status *policyv1.PodDisruptionBudgetStatus) { status.Conditions = status.Conditions[:1] })
			})
		}))
	Breaks(t, disruption.ForeignConditions(), Tell("it changes one of its own that somebody has written since", func(b *Builder) {
		own(b, func(budget *Budget) {
			b.Stimulus(history.WriteStatus, budget)
			budget.Status(counted("by the harness"))
			b.Done().After(2 * judge.Lag)
			budget.Says(0, 1, 1, 2).Status(counted("1"))
		})
	}))
	Breaks(t, disruption.ForeignConditions(), Tell("it is taken away", func(b *Builder) {
		write(b).Status(func(status *policyv1.PodDisruptionBudgetStatus) {
			status.DisruptionsAllowed, status.Conditions = 0, nil
		})
	}))
}

// counted has the status tell a number in a condition of its own.
func counted(number string) func(*policyv1.PodDisruptionBudgetStatus) {
	return func(status *policyv1.PodDisruptionBudgetStatus) {
		status.Conditions = slices.Clone(status.Conditions)
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: "Counted", Status: metav1.ConditionTrue, Reason: "Counted", Message: number})
	}
}

func TestWritesOnChange(t *testing.T) {
	Breaks(t, disruption.WritesOnChange(), Tell("nothing but a time is written", func(b *Builder) {
		budget, _, _ := guarded(b, 2, MinAvailable("1"), 1, 1)
		b.After(time.Minute)
		budget.Says(1, 2, 1, 2)
	}))
	Keeps(t, disruption.WritesOnChange(), Tell("a number is written", func(b *Builder) {
		budget, _, pods := guarded(b, 2, MinAvailable("1"), 1, 1)
		pods[0].Unready()
		budget.Says(0, 1, 1, 2)
	}))
}

func TestDisruptedPods(t *testing.T) {
	evicting := func(b *Builder, then func(*Budget, *Pod)) {
		budget, _, pods := guarded(b, 3, MinAvailable("2"), 1, 2)
		b.Stimulus(history.EvictPod, pods[0])
		budget.Disrupts(pods[0])
		b.After(2 * judge.Lag)
		then(budget, pods[0])
	}
	Keeps(t, disruption.DisruptedKept(), Tell("it is dropped once it terminates", func(b *Builder) {
		evicting(b, func(budget *Budget, pod *Pod) {
			pod.Evicted().Terminating()
			budget.Says(0, 2, 2, 3)
		})
	}))
	Breaks(t, disruption.DisruptedKept(), Tell("it is dropped before it terminates", func(b *Builder) {
		evicting(b, func(budget *Budget, _ *Pod) { budget.Says(1, 3, 2, 3) })
	}))
	Omits(t, disruption.DisruptedDropped(), Tell("it stays listed", func(b *Builder) {
		evicting(b, func(_ *Budget, pod *Pod) {
			pod.Evicted().Terminating()
			b.After(late).Mark("end")
		})
	}))
	Ignores(t, disruption.DisruptedDropped(), Tell("it stays listed while the budget cannot be computed", func(b *Builder) {
		evicting(b, func(budget *Budget, pod *Pod) {
			budget.SyncFailed("timeout")
			pod.Evicted().Terminating()
			b.After(late).Mark("end")
		})
	}))
	Keeps(t, disruption.DisruptedDropped(), Tell("it is listed no more", func(b *Builder) {
		evicting(b, func(budget *Budget, pod *Pod) {
			pod.Evicted().Terminating()
			b.After(judge.Prompt)
			budget.Says(0, 2, 2, 3)
			b.After(Long).Mark("end")
		})
	}))
	Keeps(t, disruption.Disrupted(), Tell("a listed pod counts no more", func(b *Builder) {
		evicting(b, func(budget *Budget, _ *Pod) {
			budget.Status(func(status *policyv1.PodDisruptionBudgetStatus) { status.CurrentHealthy = 2 })
		})
	}))
	Omits(t, disruption.Disrupted(), Tell("a listed pod counts on", func(b *Builder) {
		evicting(b, func(*Budget, *Pod) { b.After(late).Mark("end") })
	}))
}

func TestOverdrawn(t *testing.T) {
	evict := func(b *Builder, budget *Budget, pod *Pod) {
		b.Stimulus(history.EvictPod, pod)
		budget.Disrupts(pod)
		pod.Evicted()
	}
	Keeps(t, disruption.Overdrawn(),
		Tell("as many as are allowed", func(b *Builder) {
			budget, _, pods := guarded(b, 4, MinAvailable("2"), 2, 2)
			evict(b, budget, pods[0])
			evict(b, budget, pods[1])
		}),
		Tell("another pod was lost a moment before", func(b *Builder) {
			budget, _, pods := guarded(b, 3, MinAvailable("2"), 1, 2)
			pods[2].Unready()
			evict(b, budget, pods[0])
		}),
		Tell("the budget was raised a moment before", func(b *Builder) {
			budget, _, pods := guarded(b, 3, MinAvailable("2"), 1, 2)
			budget.Set(MinAvailable("3"))
			evict(b, budget, pods[0])
		}))
	Breaks(t, disruption.Overdrawn(),
		Tell("one more than is allowed", func(b *Builder) {
			budget, _, pods := guarded(b, 4, MinAvailable("3"), 1, 3)
			evict(b, budget, pods[0])
			evict(b, budget, pods[1])
		}),
		Tell("another pod was lost long before", func(b *Builder) {
			budget, _, pods := guarded(b, 3, MinAvailable("2"), 1, 2)
			pods[2].Unready()
			b.After(Long)
			evict(b, budget, pods[0])
		}))
	Ignores(t, disruption.Overdrawn(),
		Tell("the pod was not healthy", func(b *Builder) {
			budget, _, pods := guarded(b, 2, MinAvailable("2"), 0, 2)
			pods[0].Unready()
			evict(b, budget, pods[0])
		}),
		Tell("the controller is down", func(b *Builder) {
			budget, _, pods := guarded(b, 3, MinAvailable("2"), 1, 2)
			b.Stimulus(history.KillImplementation, Object("", "")).Done()
			pods[2].Unready()
			b.After(Long)
			evict(b, budget, pods[0])
		}))
}
