package simulation

import (
	"fmt"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules"
)

// judges are the suite's standing ones and those that only the simulation needs: the promises are decided by specs elsewhere, or cannot be
// judged without knowing when the implementation was restarted.
func judges() []judge.Rule {
	return append(rules.All(), replacementWaits(), failuresBackOff(), observedMeansSeen(), adoptsWhatWasLeft())
}

// observation is an Observer that has something to decide in every history.
type observation func(*judge.Scene) []judge.Violation

func (o observation) Observe(s *judge.Scene) []judge.Violation { return o(s) }
func (o observation) Exercised() bool                          { return true }

// replacementWaits is DRAIN-003.
func replacementWaits() judge.Rule {
	return judge.Rule{
		Requirement: "DRAIN-003",
		Promise:     "without maxSurge a pod is replaced only once it is gone",
		Needs:       kinds(),
		New: func(history.Header) judge.Observer {
			surged := map[types.UID]time.Time{}
			return observation(func(s *judge.Scene) []judge.Violation {
				if ds, ok := s.Change.Object.(*appsv1.DaemonSet); ok {
					if before, ok := s.Change.Before.(*appsv1.DaemonSet); surges(ds) || ok && surges(before) {
						surged[ds.UID] = s.Now
					}
				}
				pod, ok := s.Change.Object.(*corev1.Pod)
				if !ok || s.Change.Type != watch.Added || pod.Spec.NodeName != "" {
					return nil
				}
				ds := s.Cluster.OwnerOf(pod)
				if ds == nil || surges(ds) || s.Now.Sub(surged[ds.UID]) < judge.Lag {
					return nil
				}
				for _, other := range s.Cluster.PodsOn(ds.UID, history.NodeOf(pod)) {
					if other.DeletionTimestamp != nil && !history.IsTerminal(other) {
						return []judge.Violation{{Node: history.NodeOf(pod), Got: fmt.Sprintf("%s beside %s, which is terminating", pod.Name, other.Name)}}
					}
				}
				return nil
			})
		},
	}
}

// surges says whether ds may have two pods on a node.
func surges(ds *appsv1.DaemonSet) bool {
	rolling := ds.Spec.UpdateStrategy.RollingUpdate
	return rolling != nil && rolling.MaxSurge != nil && rolling.MaxSurge.String() != "0"
}

// failuresBackOff is SURGE-024, and TARGET-010 for other strategies: with a delay that doubles from a second on, no more than six
// pods can fail one after the other within half a minute. The count starts again where the implementation may forget.
func failuresBackOff() judge.Rule {
	const most, within = 8, 30 * time.Second
	return judge.Rule{
		Requirement: "SURGE-024",
		Promise:     "a pod that keeps failing is replaced ever more slowly",
		Needs:       kinds(),
		New: func(history.Header) judge.Observer {
			failed, generations := map[string][]time.Time{}, map[types.UID]int64{}
			return observation(func(s *judge.Scene) []judge.Violation {
				switch object := s.Change.Object.(type) {
				case nil:
					if s.Change.Stimulus.Kind == "" {
						clear(failed)
					}
				case *appsv1.DaemonSet:
					if generations[object.UID] != object.Generation {
						generations[object.UID] = object.Generation
						clear(failed)
					}
				case *corev1.Pod:
					before, _ := s.Change.Before.(*corev1.Pod)
					if object.Status.Phase != corev1.PodFailed || before == nil || history.IsTerminal(before) || object.DeletionTimestamp != nil ||
						metav1.GetControllerOf(object) == nil {
						return nil
					}
					node := history.NodeOf(object)
					failed[node] = append(failed[node], s.Now)
					if n := len(failed[node]); n > most && s.Now.Sub(failed[node][n-1-most]) < within {
						return []judge.Violation{{Node: node, Got: fmt.Sprintf("%d failed pods within %s", most+1, within)}}
					}
				}
				return nil
			})
		},
	}
}

// observedMeansSeen is the part of STATUS-010 that needs no knowledge of what was processed: nothing is observed before it exists.
func observedMeansSeen() judge.Rule {
	return judge.Rule{
		Requirement: "STATUS-010",
		Promise:     "observedGeneration is a generation that exists",
		Needs:       kinds(),
		New: func(history.Header) judge.Observer {
			return observation(func(s *judge.Scene) []judge.Violation {
				if ds, ok := s.Change.Object.(*appsv1.DaemonSet); ok && ds.Status.ObservedGeneration > ds.Generation {
					return []judge.Violation{{Got: fmt.Sprintf("%d of %d", ds.Status.ObservedGeneration, ds.Generation)}}
				}
				return nil
			})
		},
	}
}

// adoptsWhatWasLeft is HISTORY-026: a DaemonSet takes over the pods of its template that one before it left behind, and creates none beside them.
func adoptsWhatWasLeft() judge.Rule {
	return judge.Rule{
		Requirement: "HISTORY-026",
		Promise:     "no pod is created where one of the same template was left behind",
		Needs:       kinds(),
		New: func(history.Header) judge.Observer {
			// left are the pods that a DaemonSet had let go of when the present one was created.
			released, left := map[types.UID]bool{}, map[types.UID]bool{}
			return observation(func(s *judge.Scene) []judge.Violation {
				switch object := s.Change.Object.(type) {
				case *appsv1.DaemonSet:
					if s.Change.Type == watch.Added {
						left = maps.Clone(released)
					}
				case *corev1.Pod:
					if before, ok := s.Change.Before.(*corev1.Pod); ok && metav1.GetControllerOf(before) != nil && metav1.GetControllerOf(object) == nil {
						released[object.UID] = true
					}
					ds := s.Cluster.OwnerOf(object)
					if ds == nil || s.Change.Type != watch.Added {
						return nil
					}
					for _, other := range s.Cluster.Pods {
						if left[other.UID] && history.IsLive(other) && history.NodeOf(other) == history.NodeOf(object) &&
							history.MatchesTemplate(object, &ds.Spec.Template) && history.MatchesTemplate(other, &ds.Spec.Template) {
							return []judge.Violation{{Node: history.NodeOf(object), Got: fmt.Sprintf("%s beside %s, which was left behind", object.Name, other.Name)}}
						}
					}
				}
				return nil
			})
		},
	}
}
