package status_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/rules/status"
)

const late = judge.Lag + 3*judge.Prompt + 500*time.Millisecond

// reporting is a DaemonSet with maxSurge whose pods of v1 run on two nodes, and whose status says so.
func reporting(b *Builder, options ...Option) (*DaemonSet, []*Pod) {
	ds := b.Nodes(2).DaemonSet("agent", append([]Option{MaxSurge("1")}, options...)...)
	pods := []*Pod{ds.Pod("old-a", NodeName(0)).Ready(), ds.Pod("old-b", NodeName(1)).Ready()}
	ds.Counts(2, 2, 2, 0, 2).Observed()
	b.After(time.Duration(ds.Object().Spec.MinReadySeconds) * time.Second)
	ds.Counts(2, 2, 2, 2, 2)
	return ds, pods
}

func edit(ds *DaemonSet, edit func(*appsv1.DaemonSetStatus)) {
	ds.Status(func(status *appsv1.DaemonSetStatus) {
		edit(status)
		status.NumberUnavailable = status.DesiredNumberScheduled - status.NumberAvailable
	})
}

// TestTheStatusFollows changes the state, and then writes the status that follows from it: in time, or not at all.
func TestTheStatusFollows(t *testing.T) {
	for _, with := range []struct {
		j      judge.Rule
		change func(b *Builder, ds *DaemonSet, pods []*Pod)
		write  func(*appsv1.DaemonSetStatus)
	}{
		{status.StatusDesired(), func(b *Builder, _ *DaemonSet, _ []*Pod) { b.Node("node-9").Join() }, func(status *appsv1.DaemonSetStatus) { status.DesiredNumberScheduled = 3 }},
		{status.StatusNodeLeft(), func(b *Builder, _ *DaemonSet, pods []*Pod) {
			b.Node(NodeName(1)).Leave()
			b.Stimulus(history.DeletePod, pods[1])
			pods[1].Gone()
		}, func(status *appsv1.DaemonSetStatus) {
			*status = appsv1.DaemonSetStatus{
				DesiredNumberScheduled: 1, CurrentNumberScheduled: 1, NumberReady: 1, NumberAvailable: 1, UpdatedNumberScheduled: 1,
				ObservedGeneration: status.ObservedGeneration,
			}
		}},
		{status.StatusNodeLeft(), func(b *Builder, ds *DaemonSet, pods []*Pod) {
			b.Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
			edit(ds, func(status *appsv1.DaemonSetStatus) {
				*status = appsv1.DaemonSetStatus{
					DesiredNumberScheduled: 1, CurrentNumberScheduled: 1, NumberReady: 1, NumberAvailable: 1, UpdatedNumberScheduled: 1, NumberMisscheduled: 1,
					ObservedGeneration: status.ObservedGeneration,
				}
			})
			b.Node(NodeName(1)).Leave()
		}, func(status *appsv1.DaemonSetStatus) { status.NumberMisscheduled = 0 }},
		{status.StatusCurrent(), func(b *Builder, _ *DaemonSet, pods []*Pod) {
			b.Stimulus(history.DeletePod, pods[1])
			pods[1].Gone()
		}, func(status *appsv1.DaemonSetStatus) {
			status.CurrentNumberScheduled, status.NumberReady, status.NumberAvailable, status.UpdatedNumberScheduled = 1, 1, 1, 1
		}},
		{status.StatusMisscheduled(), func(b *Builder, _ *DaemonSet, _ []*Pod) {
			b.Node(NodeName(1)).Taint("dedicated", corev1.TaintEffectNoSchedule)
		}, func(status *appsv1.DaemonSetStatus) {
			status.NumberMisscheduled = 1
		}},
		{status.StatusReady(), func(_ *Builder, _ *DaemonSet, pods []*Pod) { pods[1].Unready() }, func(status *appsv1.DaemonSetStatus) {
			status.NumberReady, status.NumberAvailable = 1, 1
		}},
		{status.StatusAvailable(), func(_ *Builder, _ *DaemonSet, pods []*Pod) { pods[1].Unready() }, func(status *appsv1.DaemonSetStatus) {
			status.NumberReady, status.NumberAvailable = 1, 1
		}},
		{status.StatusAvailable(), func(_ *Builder, ds *DaemonSet, _ []*Pod) { ds.Set(MinReadySeconds(3600)) }, func(status *appsv1.DaemonSetStatus) {
			status.NumberAvailable = 0
		}},
		{status.StatusUpdated(), func(_ *Builder, ds *DaemonSet, _ []*Pod) { ds.Update("v2") }, func(status *appsv1.DaemonSetStatus) {
			status.UpdatedNumberScheduled = 0
		}},
		{status.StatusTerminating(), func(b *Builder, _ *DaemonSet, pods []*Pod) {
			b.Stimulus(history.DeletePod, pods[1])
			pods[1].Terminating()
		}, func(status *appsv1.DaemonSetStatus) { status.NumberReady, status.NumberAvailable = 1, 1 }},
		{status.StatusReady(), func(b *Builder, ds *DaemonSet, pods []*Pod) {
			pods[0].Unready()
			edit(ds, func(status *appsv1.DaemonSetStatus) { status.NumberReady, status.NumberAvailable = 1, 1 })
			b.Node(NodeName(1)).Leave()
			b.Stimulus(history.DeletePod, pods[1])
			pods[1].Gone()
		}, func(status *appsv1.DaemonSetStatus) {
			*status = appsv1.DaemonSetStatus{DesiredNumberScheduled: 1, CurrentNumberScheduled: 1, UpdatedNumberScheduled: 1, ObservedGeneration: status.ObservedGeneration}
		}},
		{status.StatusObserved(), func(_ *Builder, ds *DaemonSet, _ []*Pod) { ds.Set(MinReadySeconds(5)) }, func(status *appsv1.DaemonSetStatus) {
			status.ObservedGeneration++
		}},
	} {
		Omits(t, with.j, Tell("the status stays as it is while pods cannot be deleted", func(b *Builder) {
			ds, pods := reporting(b)
			b.Stimulus(history.RefuseDeletions, Object(history.KindNamespace, Namespace))
			with.change(b, ds, pods)
			b.After(late).Mark("end")
		}))
		Omits(t, with.j, Tell("the status stays as it is", func(b *Builder) {
			ds, pods := reporting(b)
			with.change(b, ds, pods)
			b.After(late).Mark("end")
		}), Tell("the status stays as it is, also when the API server answers again", func(b *Builder) {
			ds, pods := reporting(b)
			with.change(b, ds, pods)
			b.Standstill(judge.Prompt).After(judge.Prompt + late).Mark("end")
		}), Tell("the status stays as it is, until the API server answers nobody any more", func(b *Builder) {
			ds, pods := reporting(b)
			with.change(b, ds, pods)
			b.After(late).Mark("late").Standstill(judge.Prompt).Mark("end")
		}))
		t.Run("undecided: the API server answers nobody until the end", func(t *testing.T) {
			b := New(t)
			ds, pods := reporting(b)
			with.change(b, ds, pods)
			b.Standstill(3 * late).Mark("end")
			if verdict := judge.Run(b.History(), []judge.Rule{with.j})[0]; verdict.Outcome != judge.Holds {
				t.Errorf("%s %s: %v", verdict.Requirement, verdict.Outcome, verdict.Violations)
			}
		})
		Keeps(t, with.j,
			Tell("the API server answered nobody meanwhile", func(b *Builder) {
				ds, pods := reporting(b)
				with.change(b, ds, pods)
				b.Standstill(late).After(late + judge.Prompt)
				edit(ds, with.write)
			}),
			Tell("the status follows in time", func(b *Builder) {
				ds, pods := reporting(b)
				with.change(b, ds, pods)
				b.After(judge.Prompt)
				edit(ds, with.write)
			}),
			Tell("the implementation was halted meanwhile", func(b *Builder) {
				ds, pods := reporting(b)
				b.Stimulus(history.KillImplementation, Object("", "")).Done()
				with.change(b, ds, pods)
				b.After(Long)
				b.Stimulus(history.RestartImplementation, Object("", "")).Done()
				b.After(judge.Prompt)
				edit(ds, with.write)
			}),
		)
	}
}

func TestATerminatingPodIsNotAvailable(t *testing.T) {
	Omits(t, status.StatusTerminating(), Tell("it no longer counts as ready, and still as available", func(b *Builder) {
		ds, pods := reporting(b)
		b.Stimulus(history.DeletePod, pods[1])
		pods[1].Terminating()
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.NumberReady = 1 })
		b.After(late).Mark("end")
	}))
}

// TestAStatusMayTakeFifteenSeconds is about a pod that terminates: who writes a status in batches may take as long for that as for any other number.
func TestAStatusMayTakeFifteenSeconds(t *testing.T) {
	Keeps(t, status.StatusTerminating(), Tell("it is written after fifteen seconds", func(b *Builder) {
		ds, pods := reporting(b)
		b.Stimulus(history.DeletePod, pods[1])
		pods[1].Terminating()
		b.After(15 * time.Second)
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.NumberReady, status.NumberAvailable = 1, 1 })
	}))
}

func TestNobodyHasToWatchAStatusOfTheirOwn(t *testing.T) {
	spoil := func(b *Builder, ds *DaemonSet) {
		b.Stimulus(history.WriteStatus, ds)
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.DesiredNumberScheduled = 5 })
		b.After(late)
	}
	Keeps(t, status.StatusDesired(), Tell("somebody writes another number, which is put right when a pod changes", func(b *Builder) {
		ds, pods := reporting(b)
		spoil(b, ds)
		pods[0].Unready().Ready()
		b.After(judge.Prompt)
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.DesiredNumberScheduled = 2 })
	}))
	Omits(t, status.StatusDesired(),
		Tell("somebody writes another number, which stays when a pod changes", func(b *Builder) {
			ds, pods := reporting(b)
			spoil(b, ds)
			pods[0].Unready().Ready()
			b.After(late).Mark("end")
		}),
		Tell("the implementation writes another number itself", func(b *Builder) {
			ds, _ := reporting(b)
			edit(ds, func(status *appsv1.DaemonSetStatus) { status.DesiredNumberScheduled = 5 })
			b.After(late).Mark("end")
		}),
		Tell("a number was wrong before somebody wrote another", func(b *Builder) {
			ds, _ := reporting(b)
			b.Node("node-9").Join()
			b.After(judge.Prompt)
			spoil(b, ds)
			b.Mark("end")
		}),
	)
}

func TestAvailableFollowsTheClock(t *testing.T) {
	Omits(t, status.StatusAvailable(), Tell("minReadySeconds run out, and nothing is written", func(b *Builder) {
		ds, pods := reporting(b, MinReadySeconds(10))
		pods[1].Unready()
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.NumberReady, status.NumberAvailable = 1, 1 })
		pods[1].Ready()
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.NumberReady = 2 })
		b.After(10*time.Second + late).Mark("end")
	}))
	Keeps(t, status.StatusAvailable(), Tell("minReadySeconds run out, and then it is written", func(b *Builder) {
		ds, pods := reporting(b, MinReadySeconds(10))
		pods[1].Unready()
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.NumberReady, status.NumberAvailable = 1, 1 })
		pods[1].Ready()
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.NumberReady = 2 })
		b.After(10*time.Second + judge.Prompt)
		edit(ds, func(status *appsv1.DaemonSetStatus) { status.NumberAvailable = 2 })
	}))
}

func TestStatusObserved(t *testing.T) {
	Breaks(t, status.StatusObserved(), Tell("a generation that does not exist", func(b *Builder) {
		ds, _ := reporting(b)
		ds.Status(func(status *appsv1.DaemonSetStatus) { status.ObservedGeneration = 7 })
	}))
}
