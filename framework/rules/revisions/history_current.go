package revisions

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// HistoryCurrent is HISTORY-010. When the implementation reports a generation as observed, the history of that generation's template must be the newest,
// also after a rollback. In between, numbers may be on their way, as long as they arrive promptly.
func HistoryCurrent() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-010",
		Kind:        judge.Obligation,
		Promise:     "the ControllerRevision of the current template has the largest revision number",
		Needs:       []history.Kind{history.KindDaemonSet, history.KindControllerRevision},
		Situations:  []judge.Situation{situation.RolledBack(), situation.Overtook(), situation.Restarted(), situation.NoRollout()},
		New:         judge.Both(func(history.Header) judge.Observer { return &historyCurrent{} }, judge.DueOnDaemonSets(outnumbered)),
	}
}

type historyCurrent struct {
	judge.Exercise
	touched touched
}

// Observe implements judge.Observer.
func (o *historyCurrent) Observe(s *judge.Scene) []judge.Violation {
	if o.touched.see(s) {
		return nil
	}
	if s.Status == nil || o.touched.lately(s) || !s.Status.Workload.Live() {
		return nil
	}
	ds, before := s.Status.After, s.Status.Before
	if ds.Status.ObservedGeneration != ds.Generation || before.Status.ObservedGeneration == ds.Status.ObservedGeneration {
		return nil
	}
	// rival is the newest of the histories that hold another template.
	var current, rival *appsv1.ControllerRevision
	revisions, borrowed := 0, false
	for _, revision := range s.Cluster.Revisions {
		if !metav1.IsControlledBy(revision, ds) {
			borrowed = borrowed || revision.Namespace == ds.Namespace && holds(revision, ds)
			continue
		}
		revisions++
		template, err := history.TemplateIn(revision)
		if err != nil {
			// Not a history that this judge can read.
			return nil
		}
		chosen := &rival
		if history.SameTemplate(template, &ds.Spec.Template) {
			chosen = &current
		}
		if *chosen == nil || (*chosen).Revision < revision.Revision {
			*chosen = revision
		}
	}
	if revisions == 0 {
		return nil
	}
	got := ""
	switch {
	case current == nil && borrowed:
		// Its name is taken by a history of the same content, which is as good as the DaemonSet's own (HISTORY-005): for example that of
		// a predecessor of the same name, still to be collected.
		return nil
	case current == nil:
		got = fmt.Sprintf("none of %d revisions holding the template of generation %d", revisions, ds.Generation)
	case rival != nil && current.Revision <= rival.Revision:
		got = fmt.Sprintf("%s with %d, not above %s with %d", current.Name, current.Revision, rival.Name, rival.Revision)
	default:
		// A lone revision of the right template cannot be outnumbered.
		if revisions > 1 {
			o.PutToTest()
		}
		return nil
	}
	o.PutToTest()
	return []judge.Violation{{Got: got, Window: s.Window(s.Status.Workload)}}
}

// collected reports whether a history went in this step whose controller is gone.
func collected(s *judge.Scene) bool {
	gone, ok := s.Change.Object.(*appsv1.ControllerRevision)
	if !ok || s.Change.Type != watch.Deleted {
		return false
	}
	owner := metav1.GetControllerOf(gone)
	return owner != nil && s.Workloads()[owner.UID] == nil
}

// holds reports whether the revision holds the DaemonSet's template.
func holds(revision *appsv1.ControllerRevision, ds *appsv1.DaemonSet) bool {
	template, err := history.TemplateIn(revision)
	return err == nil && history.SameTemplate(template, &ds.Spec.Template)
}
