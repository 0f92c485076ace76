package matchers_test

import (
	"slices"
	"testing"
	"time"

	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

func TestHowOftenThingsHappen(t *testing.T) {
	b := historytest.New(t).Nodes(2)
	ds := b.DaemonSet("agent")
	other := b.DaemonSet("other")
	other.Pod("theirs", "node-1")
	old := ds.Pod("old", "node-1").Ready().Unready().Ready()
	failing := ds.Pod("failing", "node-2").Failed()
	revision := ds.Revision("v1", 1)
	ds.Counts(2, 2, 1, 1, 2)
	ds.Set(historytest.MaxUnavailable("2"))
	ds.Update("v2")
	b.Stimulus(history.DeletePod, old)
	old.Terminating().Gone()
	failing.Gone()
	b.Mark("halfway")
	revision.Renumber(2)
	revision.Gone()
	ds.Pod("new", "node-1").Edit(func(pod *corev1.Pod) { pod.Spec.NodeName = "" }).Edit(func(pod *corev1.Pod) { pod.Spec.NodeName = "node-1" })
	b.Node("node-2").Leave()
	h := b.History()
	for _, test := range []struct {
		event Event
		want  int
	}{
		{PodCreated(), 4},
		{PodCreated(OfDaemonSet("agent")), 3},
		{PodCreated(OfDaemonSet("agent"), Updated()), 3},
		{PodCreated(OfVersion("v2")), 1},
		{PodCreated(Named("old")), 1},
		{PodCreated(Old()), 0},
		{PodReady(), 2},
		{PodUnready(), 1},
		{PodAvailable(), 2},
		{PodFailed(), 1},
		{PodDeleted(), 2},
		{PodDeleted(Old()), 2},
		{PodDeleted(Updated()), 0},
		{PodGone(), 2},
		{PodScheduled(Named("new")), 2},
		{TemplateChanged(), 1},
		{StatusWritten(), 1},
		{RevisionCreated(), 1},
		{RevisionDeleted(), 1},
		{RevisionRenumbered(), 1},
		{Respecified(), 2},
		{Began(history.DeletePod), 1},
		{Began(history.EvictPod), 0},
		{PodCreated().On("node-1"), 3},
		{PodCreated().Where("with a name of three letters", func(m Moment) bool { return len(m.Pod().Name) == 3 }), 2},
		{Either(PodFailed(), PodUnready()), 2},
		{Either(PodFailed(), PodUnready()).On("node-2"), 1},
		{PodCreated().On("node-1").Where("named new", named("new")), 1},
		{After(PodCreated(), TemplateChanged()).Where("named old", named("old")), 0},
		{After(PodCreated(), TemplateChanged()).Where("named new", named("new")), 1},
		{Either(PodFailed(), PodCreated()).Where("named failing", named("failing")), 2},
		{Either(PodFailed(), PodCreated()).Where("named failing", named("failing")).On("node-1"), 0},
		{Nth(2, PodCreated().Where("on the first node", func(m Moment) bool { return m.Node() == "node-1" })), 1},
		{Marked("halfway"), 1},
		{Marked("never"), 0},
		{Written(), 21},
		{First(PodCreated()), 1},
		{First(PodCreated(Old())), 0},
		{Nth(4, PodCreated()), 1},
		{Nth(5, PodCreated()), 0},
		{Last(PodCreated()), 1},
		{After(PodCreated(), TemplateChanged()), 1},
		{After(PodCreated(), RevisionCreated().On("nowhere")), 0},
	} {
		t.Run(test.event.String(), func(t *testing.T) {
			if got := len(test.event.Find(h)); got != test.want {
				t.Errorf("%d times, want %d", got, test.want)
			}
		})
	}
}

func named(name string) func(Moment) bool { return func(m Moment) bool { return m.Pod().Name == name } }

func TestWhereCannotChangeWhichOccurrenceWasMeant(t *testing.T) {
	for _, e := range []Event{
		First(PodCreated()), Nth(2, PodCreated()), Last(PodCreated()), First(PodCreated()).On("node-1"),
		After(First(PodCreated()), PodDeleted()), Either(PodFailed(), First(PodCreated())),
	} {
		t.Run(e.String(), func(t *testing.T) {
			NewWithT(t).Expect(func() { e.Where("named a", named("a")) }).To(PanicWith(ContainSubstring("put Where on the event")))
		})
	}
}

func TestAPodBecomesAvailable(t *testing.T) {
	start := func(t *testing.T) (*historytest.Builder, *historytest.DaemonSet, *historytest.Pod) {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent", historytest.MinReadySeconds(5))
		return b, ds, ds.Pod("a", "node-1").Ready()
	}
	for name, test := range map[string]struct {
		write func(*historytest.Builder, *historytest.DaemonSet, *historytest.Pod)
		want  int
	}{
		"not before minReadySeconds have passed": {func(b *historytest.Builder, ds *historytest.DaemonSet, _ *historytest.Pod) {
			b.After(4 * time.Second)
			ds.Observed()
		}, 0},
		"once they have, although nothing happens then": {func(b *historytest.Builder, ds *historytest.DaemonSet, _ *historytest.Pod) {
			b.After(5 * time.Second)
			ds.Observed()
		}, 1},
		"not if it became unready before": {func(b *historytest.Builder, ds *historytest.DaemonSet, pod *historytest.Pod) {
			b.After(4 * time.Second)
			pod.Unready()
			b.After(long)
			ds.Observed()
		}, 0},
		"not if it was deleted before": {func(b *historytest.Builder, ds *historytest.DaemonSet, pod *historytest.Pod) {
			b.After(4 * time.Second)
			pod.Terminating()
			b.After(long)
			ds.Observed()
		}, 0},
		"just before it is deleted": {func(b *historytest.Builder, _ *historytest.DaemonSet, pod *historytest.Pod) {
			b.After(6 * time.Second)
			pod.Terminating()
		}, 1},
		"again after it was unready": {func(b *historytest.Builder, ds *historytest.DaemonSet, pod *historytest.Pod) {
			b.After(6 * time.Second)
			pod.Unready()
			b.After(time.Second)
			pod.Ready()
			b.After(6 * time.Second)
			ds.Observed()
		}, 2},
		"when minReadySeconds is lowered": {func(b *historytest.Builder, ds *historytest.DaemonSet, _ *historytest.Pod) {
			b.After(3 * time.Second)
			ds.Set(historytest.MinReadySeconds(1))
		}, 1},
	} {
		t.Run(name, func(t *testing.T) {
			b, ds, pod := start(t)
			test.write(b, ds, pod)
			if got := len(PodAvailable().Find(b.History())); got != test.want {
				t.Errorf("%d times, want %d", got, test.want)
			}
		})
	}
}

func TestWhereSeesTheStateOfTheTime(t *testing.T) {
	b := historytest.New(t).Nodes(2)
	ds := b.DaemonSet("agent", historytest.MaxSurge("1"))
	old := ds.Pod("old", "node-1").Ready()
	ds.Pod("elsewhere", "node-2").Ready()
	b.After(long)
	ds.Update("v2").Pod("new", "node-1")
	old.Terminating()
	b.Node("node-2").Taint("dedicated", corev1.TaintEffectNoSchedule)
	h := b.History()
	var beside []string
	deleted := PodDeleted().Where("looked at", func(m Moment) bool {
		for _, pod := range m.LivePodsBeside() {
			beside = append(beside, pod.Name)
		}
		if m.Owner() == nil || m.Owner().Name != "agent" || m.Desired() != 2 || !m.NodeIsEligible() {
			t.Errorf("owner %v, desired %d, eligible %t", m.Owner(), m.Desired(), m.NodeIsEligible())
		}
		if !m.WasAvailable() || m.AvailableBefore() != 2 {
			t.Errorf("was available %t, with %d in all, want true and 2", m.WasAvailable(), m.AvailableBefore())
		}
		return true
	})
	if len(deleted.Find(h)) != 1 || !slices.Equal(beside, []string{"new"}) {
		t.Errorf("%d times, beside %v", len(deleted.Find(h)), beside)
	}
}

func TestWhatHappensToAPodItself(t *testing.T) {
	restarted := func(n int32) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { pod.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: n}} }
	}
	running := func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}
	}
	grace := func(seconds int64) func(*corev1.Pod) {
		return func(pod *corev1.Pod) { pod.DeletionGracePeriodSeconds = &seconds }
	}
	gates := func(names ...string) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			pod.Spec.SchedulingGates = nil
			for _, name := range names {
				pod.Spec.SchedulingGates = append(pod.Spec.SchedulingGates, corev1.PodSchedulingGate{Name: name})
			}
		}
	}
	image := func(image string, also func(*corev1.Pod)) func(*corev1.Pod) {
		return func(pod *corev1.Pod) {
			pod.Spec.Containers[0].Image = image
			also(pod)
		}
	}
	for name, test := range map[string]struct {
		event Event
		edits []func(*corev1.Pod)
		want  int
	}{
		"two restarts":             {PodRestarted(), []func(*corev1.Pod){restarted(0), restarted(1), restarted(1), restarted(2)}, 2},
		"no restart":               {PodRestarted(), []func(*corev1.Pod){restarted(0)}, 0},
		"restarts of another":      {PodRestarted(Named("b")), []func(*corev1.Pod){restarted(1)}, 0},
		"another image":            {PodAltered(), []func(*corev1.Pod){func(pod *corev1.Pod) { pod.Spec.Containers[0].Image += "x" }}, 1},
		"another controller":       {PodAltered(), []func(*corev1.Pod){func(pod *corev1.Pod) { pod.OwnerReferences[0].UID = "other" }}, 1},
		"another node after none":  {PodAltered(), []func(*corev1.Pod){func(pod *corev1.Pod) { pod.Spec.NodeName = "node-1" }}, 0},
		"a label":                  {PodAltered(), []func(*corev1.Pod){func(pod *corev1.Pod) { pod.Labels["extra"] = "yes" }}, 0},
		"a status":                 {PodAltered(), []func(*corev1.Pod){restarted(1)}, 0},
		"one gate less":            {PodAltered(), []func(*corev1.Pod){gates("a", "b"), gates("b"), gates()}, 1},
		"no gate, another image":   {PodAltered(), []func(*corev1.Pod){gates("a"), image("x", gates())}, 2},
		"less time, then as much":  {PodGracePeriodShortened(), []func(*corev1.Pod){running, grace(30), grace(5), grace(5)}, 1},
		"time to end, as it began": {PodGracePeriodShortened(), []func(*corev1.Pod){running, grace(30)}, 0},
		"less time once ended":     {PodGracePeriodShortened(), []func(*corev1.Pod){running, grace(30), restarted(0), grace(0)}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(1)
			pod := b.DaemonSet("agent").Pod("a", "")
			for _, edit := range test.edits {
				pod.Edit(edit)
			}
			if got := len(test.event.Find(b.History())); got != test.want {
				t.Errorf("%d times, want %d", got, test.want)
			}
		})
	}
}
