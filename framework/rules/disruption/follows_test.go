package disruption_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/disruption"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

const late = judge.Lag + judge.Prompt + 500*time.Millisecond

type limit = func(*policyv1.PodDisruptionBudgetSpec)

// web is a ReplicaSet of n replicas, with these owners, with n Ready pods.
func web(b *Builder, n int, owners ...metav1.OwnerReference) (*ReplicaSet, []*Pod) {
	b.Nodes(1)
	set := b.ReplicaSet("web", int32(n), owners...)
	pods := make([]*Pod, n)
	for i := range pods {
		pods[i] = set.Pod("web-"+Letter(i), NodeName(0)).Ready()
	}
	return set, pods
}

// guarded is web with a budget whose status says what the limit comes to.
func guarded(b *Builder, n int, with limit, allowed, desired int32, owners ...metav1.OwnerReference) (*Budget, *ReplicaSet, []*Pod) {
	set, pods := web(b, n, owners...)
	budget := b.Budget("guard", "web", with).Says(allowed, int32(n), desired, int32(n))
	b.After(judge.Prompt)
	return budget, set, pods
}

// keeper is the reference of a custom resource to what it controls.
func keeper() metav1.OwnerReference {
	return metav1.OwnerReference{APIVersion: "example.org/v1", Kind: "Keeper", Name: "keeper", UID: "keeper", Controller: ptr.To(true)}
}

// TestTheStatusFollows changes the state, and then has the status written that follows from it: in time, late, or wrong.
func TestTheStatusFollows(t *testing.T) {
	delete := func(b *Builder, pod *Pod) {
		b.Stimulus(history.DeletePod, pod)
		pod.Terminating()
	}
	for name, with := range map[string]struct {
		rule   judge.Rule
		begin  func(b *Builder) (*Budget, *ReplicaSet, []*Pod)
		change func(b *Builder, budget *Budget, set *ReplicaSet, pods []*Pod)
		// right and wrong are allowed, healthy, desired and expected.
		right, wrong [4]int32
	}{
		"an integer minAvailable, a pod more": {disruption.IntegerMinAvailable(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 3, MinAvailable("2"), 1, 2) },
			func(_ *Builder, _ *Budget, set *ReplicaSet, _ []*Pod) { set.Pod("web-x", NodeName(0)).Ready() },
			[4]int32{2, 4, 2, 4}, [4]int32{2, 4, 2, 3},
		},
		"a share of three, rounded up": {disruption.PercentageMinAvailable(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 2, MinAvailable("50%"), 1, 1) },
			func(_ *Builder, _ *Budget, set *ReplicaSet, pods []*Pod) { scale(set, pods, 3) },
			[4]int32{0, 2, 2, 3}, [4]int32{1, 2, 1, 3},
		},
		"an integer maxUnavailable of fewer": {disruption.IntegerMaxUnavailable(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 3, MaxDisrupted("1"), 1, 2) },
			func(_ *Builder, _ *Budget, set *ReplicaSet, pods []*Pod) { scale(set, pods, 2) },
			[4]int32{2, 3, 1, 2}, [4]int32{1, 3, 2, 2},
		},
		"a share that may be disrupted, rounded up": {disruption.PercentageMaxUnavailable(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 4, MaxDisrupted("30%"), 2, 2) },
			func(_ *Builder, budget *Budget, _ *ReplicaSet, _ []*Pod) { budget.Set(MaxDisrupted("60%")) },
			[4]int32{3, 4, 1, 4}, [4]int32{2, 4, 2, 4},
		},
		"all have to be available": {disruption.NoneAllowed(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 2, MinAvailable("50%"), 1, 1) },
			func(_ *Builder, budget *Budget, _ *ReplicaSet, _ []*Pod) { budget.Set(MinAvailable("100%")) },
			[4]int32{0, 2, 2, 2}, [4]int32{1, 2, 1, 2},
		},
		"no pod matches": {disruption.AllowedRange(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 1, MinAvailable("0"), 1, 0) },
			func(b *Builder, _ *Budget, _ *ReplicaSet, pods []*Pod) {
				b.Stimulus(history.DeletePod, pods[0])
				pods[0].Gone()
			}, [4]int32{0, 0, 0, 0}, [4]int32{1, 0, 0, 0},
		},
		"a workload more": {disruption.ExpectedScale(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 2, MaxDisrupted("1"), 1, 1) },
			func(_ *Builder, _ *Budget, set *ReplicaSet, pods []*Pod) { scale(set, pods, 5) },
			[4]int32{0, 2, 4, 5}, [4]int32{0, 2, 4, 2},
		},
		"a workload more, which a custom resource controls": {disruption.ExpectedScale(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) {
				return guarded(b, 2, MaxDisrupted("1"), 1, 1, keeper())
			},
			func(_ *Builder, _ *Budget, set *ReplicaSet, pods []*Pod) { scale(set, pods, 5) },
			[4]int32{0, 2, 4, 5}, [4]int32{0, 2, 4, 2},
		},
		"a workload more, whose Deployment is gone": {disruption.ExpectedScale(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) {
				deployment := b.Deployment("above", 2)
				budget, set, pods := guarded(b, 2, MaxDisrupted("1"), 1, 1, deployment.Owner())
				deployment.Gone()
				return budget, set, pods
			},
			func(_ *Builder, _ *Budget, set *ReplicaSet, pods []*Pod) { scale(set, pods, 5) },
			[4]int32{0, 2, 4, 5}, [4]int32{0, 2, 4, 2},
		},
		"a pod terminates": {disruption.Terminating(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 3, MinAvailable("1"), 2, 1) },
			func(b *Builder, _ *Budget, _ *ReplicaSet, pods []*Pod) { delete(b, pods[1]) },
			[4]int32{1, 2, 1, 3}, [4]int32{2, 3, 1, 3},
		},
		"a pod is not Ready any more": {disruption.Unready(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 3, MinAvailable("1"), 2, 1) },
			func(_ *Builder, _ *Budget, _ *ReplicaSet, pods []*Pod) { pods[0].Unready() },
			[4]int32{1, 2, 1, 3}, [4]int32{2, 3, 1, 3},
		},
		"a pod is relabelled": {disruption.Relabelled(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 3, MinAvailable("1"), 2, 1) },
			func(_ *Builder, _ *Budget, _ *ReplicaSet, pods []*Pod) {
				pods[0].Edit(func(pod *corev1.Pod) { pod.Labels = map[string]string{"app": "other"} })
			}, [4]int32{1, 2, 1, 2}, [4]int32{2, 3, 1, 3},
		},
		"the budget is changed": {disruption.Follows(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 3, MinAvailable("1"), 2, 1) },
			func(_ *Builder, budget *Budget, _ *ReplicaSet, _ []*Pod) { budget.Set(MinAvailable("2")) },
			[4]int32{1, 3, 2, 3}, [4]int32{},
		},
		"fewer are allowed by an integer maxUnavailable": {disruption.Follows(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 4, MaxDisrupted("1"), 1, 3) },
			func(_ *Builder, _ *Budget, _ *ReplicaSet, pods []*Pod) { pods[0].Unready() },
			[4]int32{0, 3, 3, 4}, [4]int32{1, 3, 3, 4},
		},
		"more are healthy than a share that may be disrupted lets be counted": {disruption.Follows(),
			func(b *Builder) (*Budget, *ReplicaSet, []*Pod) { return guarded(b, 4, MaxDisrupted("30%"), 2, 2) },
			func(_ *Builder, _ *Budget, set *ReplicaSet, _ []*Pod) { set.Pod("web-x", NodeName(0)).Ready() },
			[4]int32{3, 5, 2, 4}, [4]int32{2, 4, 2, 4},
		},
	} {
		say := func(budget *Budget, numbers [4]int32) { budget.Says(numbers[0], numbers[1], numbers[2], numbers[3]) }
		Omits(t, with.rule, Tell(name+", and nothing is written", func(b *Builder) {
			budget, set, pods := with.begin(b)
			with.change(b, budget, set, pods)
			b.After(late).Mark("end")
		}))
		if with.wrong != [4]int32{} {
			Omits(t, with.rule, Tell(name+", and the wrong numbers are written", func(b *Builder) {
				budget, set, pods := with.begin(b)
				with.change(b, budget, set, pods)
				say(budget, with.wrong)
				b.After(late).Mark("end")
			}))
		}
		Keeps(t, with.rule,
			Tell(name+", and the status follows in time", func(b *Builder) {
				budget, set, pods := with.begin(b)
				with.change(b, budget, set, pods)
				b.After(judge.Prompt)
				say(budget, with.right)
				b.After(Long).Mark("end")
			}),
			Tell(name+" while the implementation is halted", func(b *Builder) {
				budget, set, pods := with.begin(b)
				b.Stimulus(history.KillImplementation, Object("", "")).Done()
				with.change(b, budget, set, pods)
				b.After(Long)
				b.Stimulus(history.RestartImplementation, Object("", "")).Done()
				b.After(judge.Prompt)
				say(budget, with.right)
			}),
		)
	}
}

// scale changes the number of replicas, and then a pod, by which a controller notices.
func scale(set *ReplicaSet, pods []*Pod, replicas int32) {
	set.Scale(replicas)
	pods[0].Edit(func(pod *corev1.Pod) { pod.Annotations = map[string]string{"note": "x"} })
}

func TestThePodsOfABudget(t *testing.T) {
	Ignores(t, disruption.Follows(),
		Tell("a budget that takes a scale which the recording does not tell", func(b *Builder) {
			b.Nodes(1)
			b.Stranger("web-a", NodeName(0), map[string]string{"app": "web"}).Ready()
			b.Budget("guard", "web", MaxDisrupted("1"))
			b.After(Long).Mark("end")
		}))
	Keeps(t, disruption.Follows(), Tell("a workload is scaled, and no pod changes", func(b *Builder) {
		_, set, _ := guarded(b, 2, MaxDisrupted("1"), 1, 1)
		set.Scale(5)
		b.After(Long).Mark("end")
	}))
	onTheWayOut := func(expected int32) func(b *Builder) {
		return func(b *Builder) {
			budget, _, pods := guarded(b, 4, MinAvailable("1"), 3, 1)
			pods[0].Failed()
			b.Stimulus(history.DeletePod, pods[1])
			pods[1].Terminating()
			budget.Says(1, 2, 1, expected)
			b.After(late).Mark("end")
		}
	}
	Keeps(t, disruption.IntegerMinAvailable(),
		Tell("a pod that has ended and one that terminates are expected", onTheWayOut(4)),
		Tell("a pod that has ended is not expected, or one that terminates", onTheWayOut(3)),
		Tell("neither is expected", onTheWayOut(2)))
	Omits(t, disruption.IntegerMinAvailable(), Tell("one that is healthy is not expected either", onTheWayOut(1)))
	Keeps(t, disruption.Follows(), Tell("the harness writes a status", func(b *Builder) {
		budget, _, _ := guarded(b, 2, MinAvailable("1"), 1, 1)
		b.Stimulus(history.WriteStatus, budget)
		budget.Says(7, 7, 7, 7)
		b.Done().After(Long).Mark("end")
	}))
	Keeps(t, disruption.Unmanaged(), Tell("a pod without a controller, and 0 are allowed", func(b *Builder) {
		budget, _, _ := guarded(b, 3, MaxDisrupted("1"), 1, 2)
		b.Stranger("bare", NodeName(0), map[string]string{"app": "web"}).Ready()
		budget.Says(0, 4, 2, 3)
		b.After(Long).Mark("end")
	}))
	surplus := func(b *Builder) {
		budget, _, _ := guarded(b, 3, MaxDisrupted("1"), 1, 2)
		b.Stranger("bare", NodeName(0), map[string]string{"app": "web"}).Ready()
		b.After(time.Second)
		budget.Says(2, 4, 2, 3)
		b.After(late).Mark("end")
	}
	Omits(t, disruption.Unmanaged(), Tell("a pod without a controller, and 1 is allowed", surplus))
	Omits(t, disruption.Mixed(), Tell("a pod without a controller counts as healthy, and not as expected", surplus))

	ended := func(write func(b *Builder, budget *Budget, bare *Pod)) func(b *Builder) {
		return func(b *Builder) {
			budget, _, _ := guarded(b, 3, MaxDisrupted("1"), 1, 2)
			bare := b.Stranger("bare", NodeName(0), map[string]string{"app": "web"}).Ready()
			budget.SyncFailed("pod bare has no controller")
			b.After(judge.Prompt)
			bare.Failed()
			write(b, budget, bare)
			b.After(late).Mark("end")
		}
	}
	for _, rule := range []judge.Rule{disruption.Follows(), disruption.Condition(), disruption.IntegerMaxUnavailable()} {
		Keeps(t, rule, Tell("a pod without a controller ends, and the budget goes on allowing nothing until it is gone", ended(func(b *Builder, budget *Budget, bare *Pod) {
			b.After(Long)
			b.Stimulus(history.DeletePod, bare)
			bare.Gone()
			budget.Says(1, 3, 2, 3)
		})))
		Keeps(t, rule, Tell("a pod without a controller ends, and is left out", ended(func(_ *Builder, budget *Budget, _ *Pod) { budget.Says(1, 3, 2, 3) })))
	}
	Omits(t, disruption.IntegerMaxUnavailable(), Tell("a pod without a controller ends, and the others' numbers are wrong", ended(func(_ *Builder, budget *Budget, _ *Pod) {
		budget.Says(2, 3, 1, 3)
	})))

	daemons := func(b *Builder, write func(*Budget)) {
		ds, _ := Running(b, 2)
		write(b.Budget("guard", ds.Object().Name, MaxDisrupted("1")))
		b.After(Long).Mark("end")
	}
	Keeps(t, disruption.Unscaled(), Tell("a DaemonSet's pods, and the status says that it failed", func(b *Builder) {
		daemons(b, func(budget *Budget) { budget.SyncFailed("daemonsets.apps does not implement the scale subresource") })
	}))
	Omits(t, disruption.Unscaled(),
		Tell("a DaemonSet's pods, and one is allowed", func(b *Builder) {
			daemons(b, func(budget *Budget) { budget.Says(1, 2, 1, 2) })
		}),
		Tell("a DaemonSet's pods, and none is allowed without saying why", func(b *Builder) {
			daemons(b, func(budget *Budget) { budget.Says(0, 2, 2, 2) })
		}))

	Ignores(t, disruption.Unscaled(), Tell("pods of another group's DaemonSet, which may have a scale", func(b *Builder) {
		b.Nodes(1)
		controls := true
		b.Stranger("web-a", NodeName(0), map[string]string{"app": "web"},
			metav1.OwnerReference{APIVersion: "apps.example.org/v1", Kind: "DaemonSet", Name: "web", UID: "web", Controller: &controls}).Ready()
		b.Budget("guard", "web", MaxDisrupted("1")).Says(1, 1, 0, 1)
		b.After(Long).Mark("end")
	}))

	shared := func(b *Builder, write func(*Budget)) {
		set, _ := web(b, 2)
		first, second := b.Budget("first", "web", MinAvailable("1")), b.Budget("second", "web", MinAvailable("1"))
		for _, budget := range []*Budget{first, second} {
			budget.Says(1, 2, 1, 2)
		}
		set.Pod("web-x", NodeName(0)).Ready()
		first.Says(2, 3, 1, 3)
		write(second)
		b.After(late).Mark("end")
	}
	Keeps(t, disruption.Shared(), Tell("both budgets of a pod follow", func(b *Builder) {
		shared(b, func(second *Budget) { second.Says(2, 3, 1, 3) })
	}))
	Omits(t, disruption.Shared(), Tell("one of both budgets of a pod follows", func(b *Builder) { shared(b, func(*Budget) {}) }))
}
