package history_test

import (
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// TestTheNumberOfTheTemplateCountsForAdoptedPods is HISTORY-022 for a pod of another template that an earlier DaemonSet left behind.
func TestTheNumberOfTheTemplateCountsForAdoptedPods(t *testing.T) {
	const left = "left"
	number := func(value string) historytest.Option {
		return func(ds *appsv1.DaemonSet) {
			ds.Annotations = map[string]string{appsv1.DeprecatedTemplateGeneration: value}
		}
	}
	for name, row := range map[string]struct {
		adopted bool
		label   string
		is      string
		history func(*historytest.DaemonSet)
		updated bool
	}{
		"its label is of no history":                       {adopted: true, label: left, is: "2", updated: true},
		"it has no label":                                  {adopted: true, is: "2", updated: true},
		"a history of another template has its label":      {adopted: true, label: "v1", is: "2", history: func(ds *historytest.DaemonSet) { ds.Revision("v1", 1) }},
		"the history that had its label is gone":           {adopted: true, label: "v1", is: "2", history: func(ds *historytest.DaemonSet) { ds.Revision("v1", 1).Gone() }, updated: true},
		"the template has another number by now":           {adopted: true, label: left, is: "3"},
		"the DaemonSet created it with a number of no use": {label: left, is: "2"},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(1)
			ds := b.DaemonSet("agent", number("1"))
			owner := *metav1.NewControllerRef(ds.Object(), appsv1.SchemeGroupVersion.WithKind("DaemonSet"))
			pod := ds.PodOf("v0", "a", "node-1", func(pod *corev1.Pod) {
				pod.Labels["pod-template-generation"], pod.Labels[historytest.RevisionLabel] = "2", row.label
				if row.adopted {
					pod.OwnerReferences = nil
				}
			})
			pod.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = []metav1.OwnerReference{owner} })
			if row.history != nil {
				row.history(ds)
			}
			ds.Set(historytest.Version("v2"), number(row.is))
			NewWithT(t).Expect(end(b).IsUpdated(pod.Object())).To(Equal(row.updated))
		})
	}
}

// TestAnAdoptedPodIsOfTheTemplateThatItsHistoryHas is HISTORY-022 for a template that differs from the DaemonSet's in what no pod shows.
func TestAnAdoptedPodIsOfTheTemplateThatItsHistoryHas(t *testing.T) {
	grace := func(seconds int64) historytest.Option {
		return func(ds *appsv1.DaemonSet) { ds.Spec.Template.Spec.TerminationGracePeriodSeconds = &seconds }
	}
	for name, row := range map[string]struct {
		// history is the grace period of the template that the history with the pod's label has; 0 without one.
		history int64
		updated bool
	}{
		"it has the DaemonSet's template": {30, true},
		"it has another one":              {4, false},
		"there is none":                   {0, true},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(1)
			left := b.DaemonSet("agent", grace(4))
			pod := left.PodOf("v1", "a", "node-1", func(pod *corev1.Pod) {
				pod.OwnerReferences, pod.Labels[historytest.RevisionLabel] = nil, "v1"
			})
			if row.history > 0 {
				left.Set(grace(row.history))
				left.Revision("v1", 1).Edit(func(revision *appsv1.ControllerRevision) { revision.OwnerReferences = nil })
			}
			left.Gone()
			ds := b.DaemonSet("agent", grace(30))
			owner := *metav1.NewControllerRef(ds.Object(), appsv1.SchemeGroupVersion.WithKind("DaemonSet"))
			pod.Edit(func(pod *corev1.Pod) { pod.OwnerReferences = []metav1.OwnerReference{owner} })
			NewWithT(t).Expect(end(b).IsUpdated(pod.Object())).To(Equal(row.updated))
		})
	}
}
