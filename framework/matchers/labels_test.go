package matchers_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	. "github.com/rollcall-conformance/rollcall/framework/matchers"
)

// labelled sets labels of a pod.
func labelled(key, value string) func(*corev1.Pod) {
	return func(pod *corev1.Pod) { pod.Labels[key] = value }
}

func TestAPodIsIdentifiedAtEveryInstant(t *testing.T) {
	for name, test := range map[string]struct {
		write func(*historytest.Builder, *historytest.DaemonSet)
		want  int
	}{
		"by a history that was there": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			ds.Revision("v1", 1)
			ds.Pod("a", "node-1")
		}, 0},
		"by a history that comes in time": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			ds.Pod("a", "node-1")
			b.After(judge.Lag / 2)
			ds.Revision("v1", 1)
		}, 0},
		"not by a history that comes late": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			ds.Pod("a", "node-1")
			b.After(judge.Lag)
			ds.Observed()
			ds.Revision("v1", 1)
		}, 1},
		"not by the history of another template": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			ds.Revision("v2", 1)
			ds.Pod("a", "node-1")
		}, 1},
		"not by another DaemonSet's history": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			b.DaemonSet("other").Revision("v1", 1)
			ds.Pod("a", "node-1")
		}, 1},
		"not without a label, although there is such a history": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			ds.Revision("v1", 1).Edit(func(r *appsv1.ControllerRevision) { delete(r.Labels, historytest.RevisionLabel) })
			ds.Pod("a", "node-1").Edit(func(pod *corev1.Pod) { delete(pod.Labels, historytest.RevisionLabel) })
		}, 1},
		"not once it is relabelled": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			ds.Revision("v1", 1)
			pod := ds.Pod("a", "node-1")
			b.After(long)
			pod.Edit(labelled(historytest.RevisionLabel, "v9"))
		}, 1},
		"not once its history is gone": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			revision := ds.Revision("v1", 1)
			ds.Pod("a", "node-1")
			b.After(long)
			revision.Gone()
		}, 1},
		"not a second time": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			ds.Pod("a", "node-1")
			b.After(long)
			ds.Revision("v1", 1).Gone()
		}, 2},
		"unless the DaemonSet is going": {func(b *historytest.Builder, ds *historytest.DaemonSet) {
			revision := ds.Revision("v1", 1)
			ds.Pod("a", "node-1")
			ds.Terminating()
			revision.Gone()
		}, 0},
		"unless it belongs to nobody": {func(b *historytest.Builder, _ *historytest.DaemonSet) { b.Stranger("a", "node-1", nil) }, 0},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(1)
			ds := b.DaemonSet("agent")
			test.write(b, ds)
			h := b.After(judge.Lag).Mark("later").Mark("later still").History()
			if found := PodUnidentified().Find(h); len(found) != test.want {
				t.Errorf("%d times, want %d", len(found), test.want)
			}
			if test.want == 0 {
				keeps(t, h, Never(PodUnidentified()))
				return
			}
			breaks(t, h, Never(PodUnidentified()), "node-1", "Pod a")
		})
	}
}

func TestAHistoryIsIdentifiedByALabelOfItsOwn(t *testing.T) {
	end := func(b *historytest.Builder) *historytest.Builder { return b.After(judge.Lag).Mark("later") }
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	ds.Revision("v1", 1)
	b.DaemonSet("other").Revision("v1", 1)
	duplicate := ds.Revision("v1", 2)
	b.After(judge.Lag / 2)
	duplicate.Gone()
	keeps(t, end(b).History(), Never(RevisionUnidentified()))
	unlabelled := ds.Revision("v2", 3).Edit(func(r *appsv1.ControllerRevision) { delete(r.Labels, historytest.RevisionLabel) })
	breaks(t, end(b).History(), Never(RevisionUnidentified()), "ControllerRevision")
	unlabelled.Gone()
	b = historytest.New(t).Nodes(1)
	ds = b.DaemonSet("agent")
	ds.Revision("v1", 1)
	ds.Revision("v1", 2)
	breaks(t, end(b).History(), Exactly(1, RevisionUnidentified()), "2 × ")
}

func TestAPodCarriesTheGenerationOfItsTemplate(t *testing.T) {
	const label = "pod-template-generation"
	numbered := func(generation string) historytest.Option {
		return func(d *appsv1.DaemonSet) {
			d.Annotations = map[string]string{appsv1.DeprecatedTemplateGeneration: generation}
		}
	}
	for name, test := range map[string]struct {
		version, generation string
		after               time.Duration
		wrong               bool
	}{
		"of the template in force":                       {"v1", "3", long, false},
		"of the same template the first time":            {"v1", "1", long, true},
		"of the template until just now":                 {"v2", "2", judge.Lag / 2, false},
		"of the template until a while ago":              {"v2", "2", long, true},
		"of another template than its own":               {"v1", "2", judge.Lag / 2, true},
		"of the template in force, being old":            {"v2", "3", judge.Lag / 2, true},
		"that never was":                                 {"v1", "7", 0, true},
		"that is missing":                                {"v1", "", long, true},
		"of the template before the one before, at once": {"v1", "1", 0, false},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(1)
			ds := b.DaemonSet("agent", numbered("1"))
			ds.Set(historytest.Version("v2"), numbered("2"))
			ds.Set(historytest.Version("v1"), numbered("3"))
			b.After(test.after)
			// The label is there when the pod is created: a pod that is relabelled later is not created.
			ds.PodOf(test.version, "a", "node-1", labelled(label, test.generation))
			h := b.History()
			if test.wrong {
				breaks(t, h, Never(PodMisnumbered()), "node-1", "Pod a")
				return
			}
			keeps(t, h, Never(PodMisnumbered()))
		})
	}
}

func TestAPodOfATemplateWithoutGenerationCarriesNone(t *testing.T) {
	const label = "pod-template-generation"
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	ds.Update("v2")
	b.After(long)
	ds.PodOf("v2", "a", "node-1")
	keeps(t, b.History(), Never(PodMisnumbered()))
	ds.PodOf("v2", "b", "node-1", labelled(label, "1"))
	breaks(t, b.History(), Exactly(0, PodMisnumbered()), "node-1", "Pod b")
}
