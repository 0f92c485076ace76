package matchers_test

import (
	"net/http"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/state"
)

// lasts is how long the API server answers nobody in these tests; as long again everybody may take to recover.
const lasts = 10 * time.Second

const nobody = "the API server answered nobody for 10.0 s"

func TestWhatIsLateByAStandstillIsUntested(t *testing.T) {
	asked := Within(judge.Prompt, TemplateChanged(), PodFailed())
	started := func(t *testing.T) (*historytest.Builder, *historytest.Pod) {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent")
		pod := ds.Pod("a", "node-1")
		b.After(long)
		ds.Update("v2")
		return b, pod
	}
	t.Run("it comes when the API server answers again", func(t *testing.T) {
		b, pod := started(t)
		b.Standstill(lasts)
		pod.Failed()
		isUntested(t, b.History(), asked, nobody)
	})
	t.Run("it was in time all the same", func(t *testing.T) {
		b, pod := started(t)
		b.After(time.Second)
		pod.Failed()
		b.Standstill(lasts).Mark("end")
		keeps(t, b.History(), asked)
	})
	t.Run("it comes late, counted from when everybody has recovered", func(t *testing.T) {
		b, pod := started(t)
		b.Standstill(lasts).After(lasts + judge.Prompt + time.Second)
		pod.Failed()
		breaks(t, b.History(), asked, "pod failed after 26")
	})
	t.Run("the implementation had to wait for answers", func(t *testing.T) {
		b, pod := started(t)
		b.Delays(lasts).After(judge.Prompt - time.Second)
		pod.Failed()
		isUntested(t, b.History(), asked, "over requests of the implementation")
	})
	t.Run("and took longer", func(t *testing.T) {
		b, pod := started(t)
		b.Delays(lasts).After(judge.Prompt + time.Second)
		pod.Failed()
		breaks(t, b.History(), asked)
	})
	t.Run("it was late before", func(t *testing.T) {
		b, pod := started(t)
		b.After(judge.Prompt + time.Second).Standstill(lasts)
		pod.Failed()
		breaks(t, b.History(), asked)
	})
	t.Run("it has not come yet", func(t *testing.T) {
		b, _ := started(t)
		b.Standstill(lasts).Mark("end")
		isUntested(t, b.History(), asked, nobody)
		isUntested(t, b.History(), AtLeast(1, PodFailed()), nobody)
		isUntested(t, b.History(), ComesToHold(state.When("never", func(*history.Cluster) bool { return false })), nobody)
		isUntested(t, b.History(), HoldsAtEnd(state.When("never", func(*history.Cluster) bool { return false })), nobody)
		b.After(lasts + judge.Lag + judge.Prompt).Mark("after all")
		breaks(t, b.History(), asked)
		breaks(t, b.History(), AtLeast(1, PodFailed()))
		breaks(t, b.History(), ComesToHold(state.When("never", func(*history.Cluster) bool { return false })))
		breaks(t, b.History(), HoldsAtEnd(state.When("never", func(*history.Cluster) bool { return false })))
	})
	t.Run("the scenario did not wait for long enough", func(t *testing.T) {
		b, _ := started(t)
		b.Standstill(lasts).After(judge.Prompt).Mark("end")
		isUntested(t, b.History(), Before(PodFailed(), Marked("end")), nobody)
		b.After(lasts + judge.Lag).Mark("late")
		breaks(t, b.History(), Before(PodFailed(), Marked("late")))
	})
}

func TestWhatDoesNotHoldAtAMarkIsUntestedByAStandstill(t *testing.T) {
	never := state.When("never", func(*history.Cluster) bool { return false })
	marked := func(reach func(*historytest.Builder)) *history.History {
		b := historytest.New(t).Nodes(1)
		b.DaemonSet("agent").Update("v2")
		reach(b)
		return b.Mark("placed").History()
	}
	breaks(t, marked(func(b *historytest.Builder) { b.After(judge.Lag + judge.Prompt) }), HoldsAtMark("placed", never))
	isUntested(t, marked(func(b *historytest.Builder) { b.After(judge.Prompt) }), HoldsAtMark("placed", never), "things still changed")
	isUntested(t, marked(func(b *historytest.Builder) { b.Standstill(lasts).After(lasts) }), HoldsAtMark("placed", never), nobody)
	breaks(t, marked(func(b *historytest.Builder) { b.Standstill(lasts).After(lasts + judge.Lag + judge.Prompt) }), HoldsAtMark("placed", never))
}

func TestWhatIsDoneInAStandstillIsUntested(t *testing.T) {
	deleted := []Matcher{
		Never(PodDeleted(Named("b"))), AtMost(0, PodDeleted(Named("b"))), Exactly(0, PodDeleted(Named("b"))),
		NeverBetween(TemplateChanged(), Marked("end"), PodDeleted(Named("b"))), Before(PodFailed(), PodDeleted(Named("b"))),
		OnEveryNode(Never(PodDeleted(Named("b")))),
	}
	for name, row := range map[string]struct {
		write  func(*historytest.Builder, *historytest.Pod)
		broken bool
	}{
		"its end shows it": {func(b *historytest.Builder, pod *historytest.Pod) {
			b.Standstill(lasts)
			pod.Terminating()
		}, false},
		"nobody has recovered": {func(b *historytest.Builder, pod *historytest.Pod) {
			b.Standstill(lasts).After(lasts - time.Second)
			pod.Terminating()
		}, false},
		"everybody has recovered": {func(b *historytest.Builder, pod *historytest.Pod) {
			b.Standstill(lasts).After(lasts)
			pod.Terminating()
		}, true},
		"it was done before": {func(b *historytest.Builder, pod *historytest.Pod) {
			pod.Terminating()
			b.Standstill(lasts)
		}, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(2)
			ds := b.DaemonSet("agent")
			ds.Pod("a", "node-1")
			pod := ds.Pod("b", "node-2")
			ds.Update("v2")
			row.write(b, pod)
			b.Mark("end")
			for _, m := range deleted {
				if row.broken {
					breaks(t, b.History(), m, "deleted")
				} else {
					isUntested(t, b.History(), m, nobody)
				}
			}
		})
	}
	t.Run("another one was done without", func(t *testing.T) {
		b := historytest.New(t).Nodes(2)
		ds := b.DaemonSet("agent")
		first, second := ds.Pod("a", "node-1"), ds.Pod("b", "node-2")
		ds.Update("v2")
		b.Standstill(lasts)
		first.Terminating()
		b.After(lasts)
		second.Terminating()
		b.Mark("end")
		breaks(t, b.History(), Never(PodDeleted()), "2 × pod deleted")
		breaks(t, b.History(), NeverBetween(TemplateChanged(), Marked("end"), PodDeleted()), "pod deleted 20")
	})
}

// What is heard of late seems to have happened later than it did.
func TestWhatSeemsTooEarlyByAStandstillIsUntested(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	pod := b.DaemonSet("agent").Pod("a", "node-1")
	b.Standstill(lasts)
	pod.Failed()
	pod.Gone()
	asked := NotWithin(time.Second, PodFailed(), PodGone())
	isUntested(t, b.History(), asked, nobody)
	b.After(lasts)
	again := b.DaemonSet("other").Pod("b", "node-1")
	again.Failed().Gone()
	breaks(t, b.History(), NotWithin(time.Second, PodFailed(OfDaemonSet("other")), PodGone(OfDaemonSet("other"))), "pod gone after")
}

// TestAStandstillIsNoReaction has a pod replaced after two seconds, and another later, each beside a standstill.
func TestAStandstillIsNoReaction(t *testing.T) {
	replaced := func(t *testing.T, first, second func(*historytest.Builder)) *history.History {
		b := historytest.New(t).Nodes(2)
		ds := b.DaemonSet("agent")
		a, other := ds.Pod("a", "node-1"), ds.Pod("b", "node-2")
		b.After(time.Minute)
		a.Gone()
		first(b)
		ds.Pod("c", "node-1")
		b.After(time.Minute)
		other.Gone()
		second(b)
		ds.Pod("d", "node-2")
		return b.History()
	}
	on := func(node string) Reaction { return Reaction{From: PodGone().On(node), To: PodCreated().On(node)} }
	asked := AsSoonAs(3*time.Second, on("node-1"), on("node-2"))
	wait := func(d time.Duration) func(*historytest.Builder) {
		return func(b *historytest.Builder) { b.After(d) }
	}
	standstill := func(after time.Duration) func(*historytest.Builder) {
		return func(b *historytest.Builder) { b.Standstill(lasts).After(after) }
	}
	isUntested(t, replaced(t, wait(2*time.Second), standstill(time.Second)), asked, nobody)
	breaks(t, replaced(t, wait(2*time.Second), standstill(lasts+6*time.Second)), asked)
	keeps(t, replaced(t, wait(2*time.Second), wait(4*time.Second)), asked)
}

func TestAStallIsReportedLateByAStandstill(t *testing.T) {
	stalled := func(t *testing.T, pass func(*historytest.Builder)) *history.History {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent")
		ds.Pod("old", "node-1").Ready()
		b.Mark("begun")
		ds.Update("v2")
		ds.Pod("new", "node-1").Edit(func(pod *corev1.Pod) {
			pod.Status.ContainerStatuses = []corev1.ContainerStatus{{
				Image: "agent:v2", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "no such image"}},
			}}
		})
		pass(b)
		return b.Mark("over").History()
	}
	asked := StallBetween{From: "begun", To: "over", Known: 20 * time.Second}
	isUntested(t, stalled(t, func(b *historytest.Builder) { b.Standstill(lasts).After(15 * time.Second) }), asked.Condition(), nobody)
	breaks(t, stalled(t, func(b *historytest.Builder) { b.Standstill(lasts).After(31 * time.Second) }), asked.Condition(), "no condition")
	breaks(t, stalled(t, func(b *historytest.Builder) { b.After(21 * time.Second) }), asked.Condition(), "no condition")
	isUntested(t, stalled(t, func(b *historytest.Builder) { b.After(19 * time.Second) }), asked.Condition(), "less than 20s")
}

func TestWhatTheAPIServerAnswersInAStandstillIsUntested(t *testing.T) {
	timedOut := history.Exchange{Verb: "create", Subresource: "eviction", Name: "a", Code: http.StatusInternalServerError, Message: "etcdserver: request timed out"}
	answered := func(pass func(*historytest.Builder)) *history.History {
		b := historytest.New(t).Nodes(1)
		for range 2 {
			b.Stimulus(history.EvictPod, historytest.Object(history.KindPod, "a"))
			pass(b)
			b.Answer(timedOut).Done()
		}
		return b.History()
	}
	evicted := Answered(history.EvictPod, "a")
	for _, m := range []Matcher{Answers("evicting", evicted, WithCode(http.StatusCreated)), ExactlyAccepted(1, EvictionAnswered("a"))} {
		isUntested(t, answered(func(b *historytest.Builder) { b.Standstill(lasts) }), m, nobody)
		breaks(t, answered(func(b *historytest.Builder) { b.After(lasts) }), m)
	}
}
