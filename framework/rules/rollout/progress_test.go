package rollout_test

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

func TestProgressWithMaxSurge(t *testing.T) {
	starts, on, unserved := rollout.SurgeStarts(), rollout.SurgeGoesOn(), rollout.SurgeUnserved()
	Omits(t, starts, Tell("the rollout never starts", func(b *Builder) {
		ds, _ := Running(b, 3, MaxSurge("1"))
		ds.Update("v2")
		b.After(late).Mark("end")
	}))
	Omits(t, on, Tell("the rollout stops after the first node", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("2"))
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		pods[0].Terminating().Gone()
		b.After(late).Mark("end")
	}))
	Omits(t, unserved, Tell("a node without an available pod holds the rollout back", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("1"))
		pods[0].Unready()
		ds.Update("v2").Pod("new-a", NodeName(0))
		b.After(late).Mark("end")
	}))
	Keeps(t, starts, Tell("late but within the bound", func(b *Builder) {
		ds, _ := Running(b, 3, MaxSurge("1"))
		ds.Update("v2")
		b.After(judge.Prompt)
		ds.Pod("new-a", NodeName(0))
	}))
	Keeps(t, on, Tell("one node at a time though more are allowed, in any order", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("3"))
		ds.Update("v2")
		for _, i := range []int{2, 0, 1} {
			b.After(judge.Prompt)
			ds.Pod("new-"+Letter(i), NodeName(i)).Ready()
			b.After(judge.Prompt)
			pods[i].Terminating()
			b.After(Long)
			pods[i].Gone()
		}
		b.After(Long).Mark("end")
	}))
	Keeps(t, unserved, Tell("the rollout goes on elsewhere", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("1"))
		pods[0].Unready()
		ds.Update("v2").Pod("new-a", NodeName(0))
		b.After(judge.Prompt)
		ds.Pod("new-b", NodeName(1))
	}))
	Keeps(t, on, Tell("an updated pod does not become available", func(b *Builder) {
		ds, _ := Running(b, 3, MaxSurge("3"))
		ds.Update("v2").Pod("new-a", NodeName(0))
		b.After(Long).Mark("end")
	}))
	Ignores(t, on,
		Tell("OnDelete", func(b *Builder) {
			ds, _ := Running(b, 3, OnDelete())
			ds.Update("v2")
			b.After(Long).Mark("end")
		}),
		Tell("the rollout is through", func(b *Builder) {
			Running(b, 3, MaxSurge("1"))
			b.After(Long).Mark("end")
		}),
	)
	Ignores(t, unserved, Tell("the old pod becomes available by the clock before the bound", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("1"), MinReadySeconds(5))
		pods[0].Ready()
		ds.Update("v2").Pod("new-a", NodeName(0))
		b.After(Long).Mark("end")
	}))
}

func TestProgressIsNotOwedWhileAPodTerminatesOnANodeThatIsNotEligible(t *testing.T) {
	goesOn := rollout.RollingGoesOn()
	closed := func(b *Builder) []*Pod {
		ds, pods := Running(b, 3, MaxUnavailable("1"))
		b.Node(NodeName(0)).Taint("closed", corev1.TaintEffectNoSchedule)
		pods[0].Terminating()
		b.After(Long)
		ds.Update("v2")
		return pods
	}
	Ignores(t, goesOn, Tell("it still terminates", func(b *Builder) {
		closed(b)
		b.After(late).Mark("end")
	}))
	Omits(t, goesOn, Tell("it is gone", func(b *Builder) {
		closed(b)[0].Gone()
		b.After(late).Mark("end")
	}))
}

func TestProgressIsNotOwedWhilePodsOfANodeThatIsGoneAreLeft(t *testing.T) {
	starts := rollout.SurgeStarts()
	Ignores(t, starts, Tell("nobody has removed the pod of a deleted node", func(b *Builder) {
		ds, _ := Running(b, 3, MaxSurge("1"))
		b.Node(NodeName(0)).Leave()
		ds.Update("v2")
		b.After(late).Mark("end")
	}))
	Omits(t, starts, Tell("the pod of a deleted node has been removed", func(b *Builder) {
		ds, pods := Running(b, 3, MaxSurge("1"))
		b.Node(NodeName(0)).Leave()
		pods[0].Terminating().Gone()
		ds.Update("v2")
		b.After(late).Mark("end")
	}))
}

func TestProgressIsNotOwedWhileNothingTellsWhetherAPatchThatWasTakenBackTookEffect(t *testing.T) {
	goesOn := rollout.RollingGoesOn()
	takenBack := func(b *Builder, observed func(*Pod)) {
		ds, pods := Running(b, 2, MaxUnavailable("1"), InPlace())
		for _, pod := range pods {
			pod.Started()
			observed(pod)
		}
		b.After(Long)
		ds.Update("v2")
		pods[0].Patch("v2")
		ds.Update("v1")
		pods[0].Patch("v1")
		observed(pods[0])
		b.After(time.Second)
		ds.Update("v3")
		b.After(late).Mark("end")
	}
	// The patch itself was prompt.
	Keeps(t, goesOn, Tell("the kubelet does not tell what it has seen", func(b *Builder) {
		takenBack(b, func(pod *Pod) { pod.Edit(func(object *corev1.Pod) { object.Status.ObservedGeneration = 0 }) })
	}))
	Omits(t, goesOn, Tell("the kubelet has seen it", func(b *Builder) { takenBack(b, func(pod *Pod) { pod.Observed() }) }))
}

func TestTheHistoryOfATemplateIsTheFirstStepOfItsRollout(t *testing.T) {
	goesOn := rollout.RollingGoesOn()
	recorded := func(b *Builder) (*DaemonSet, []*Pod) {
		ds, pods := Running(b, 3, MaxUnavailable("1"))
		ds.Update("v2")
		b.After(judge.Prompt)
		ds.Revision("v2", 2)
		b.After(judge.Prompt)
		return ds, pods
	}
	Keeps(t, goesOn, Tell("each step is prompt", func(b *Builder) {
		_, pods := recorded(b)
		pods[0].Terminating()
	}))
	Omits(t, goesOn, Tell("another history follows, and nothing else", func(b *Builder) {
		ds, _ := recorded(b)
		ds.Revision("v3", 3)
		b.After(2 * time.Second).Mark("end")
	}))
}

func TestTheHistoryOfATemplateComesBeforeThePodsThatItShutsOut(t *testing.T) {
	leaves := func(after time.Duration) func(*Builder) {
		return func(b *Builder) {
			ds, pods := Running(b, 2)
			ds.Set(onHost(1))
			b.After(judge.Prompt)
			ds.Revision("v2", 2)
			b.After(after)
			pods[0].Terminating()
		}
	}
	Keeps(t, rollout.TargetLabels(), Tell("each step is prompt", leaves(judge.Prompt)))
	Omits(t, rollout.TargetLabels(), Tell("the second is not", leaves(late)))
}

func TestRollingGoesOn(t *testing.T) {
	j := rollout.RollingGoesOn()
	Omits(t, j,
		Tell("the rollout never starts", func(b *Builder) {
			ds, _ := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			b.After(late).Mark("end")
		}),
		Tell("a pod that is gone is not replaced", func(b *Builder) {
			ds, pods := Running(b, 3, MaxUnavailable("1"))
			ds.Update("v2")
			pods[0].Terminating().Gone()
			b.After(late).Mark("end")
		}),
	)
	Keeps(t, j, Tell("one at a time though all are allowed", func(b *Builder) {
		ds, pods := Running(b, 3, MaxUnavailable("3"))
		ds.Update("v2")
		for i, pod := range pods {
			b.After(judge.Prompt)
			pod.Terminating()
			b.After(Long)
			pod.Gone()
			b.After(judge.Prompt)
			ds.Pod("new-"+Letter(i), NodeName(i))
			b.After(Long)
		}
	}))
	Ignores(t, j, Tell("more pods are unavailable than maxUnavailable", func(b *Builder) {
		ds, pods := Running(b, 3, MaxUnavailable("1"))
		pods[0].Unready()
		pods[1].Unready()
		ds.Update("v2")
		b.After(Long).Mark("end")
	}))
}
