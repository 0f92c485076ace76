package state

import (
	"fmt"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// StatefulSetsRolledOut holds when every recorded StatefulSet has all its pods, each available, those from the partition on of its template, and says in
// its status whether all of them are. With names, those alone, each of which has to be recorded; without names, one at least has to be.
func StatefulSetsRolledOut(names ...string) Condition {
	return Condition{Text: "every StatefulSet has its pods, updated and available, and its status says so", Unmet: func(cluster *history.Cluster) string {
		var wrong []string
		missing := sets.New(names...)
		recorded := false
		for _, object := range cluster.Objects(history.KindStatefulSet) {
			set, isSet := object.(*appsv1.StatefulSet)
			if !isSet || len(names) > 0 && !slices.Contains(names, set.Name) {
				continue
			}
			recorded = true
			missing.Delete(set.Name)
			if problem := setNotRolledOut(cluster, set); problem != "" {
				wrong = append(wrong, fmt.Sprintf("StatefulSet %s: %s", set.Name, problem))
			}
		}
		for name := range missing {
			wrong = append(wrong, fmt.Sprintf("StatefulSet %s: it is not recorded", name))
		}
		if len(names) == 0 && !recorded {
			return "no StatefulSet is recorded"
		}
		slices.Sort(wrong)
		return strings.Join(wrong, "; ")
	}}
}

// setNotRolledOut says what is missing, or nothing.
func setNotRolledOut(cluster *history.Cluster, set *appsv1.StatefulSet) string {
	replicas, partition, first := 1, 0, 0
	if set.Spec.Replicas != nil {
		replicas = int(*set.Spec.Replicas)
	}
	if rolling := set.Spec.UpdateStrategy.RollingUpdate; rolling != nil && rolling.Partition != nil {
		partition = int(*rolling.Partition)
	}
	if set.Spec.Ordinals != nil {
		first = int(set.Spec.Ordinals.Start)
	}
	pods := map[string]*corev1.Pod{}
	for _, pod := range cluster.Pods {
		if metav1.IsControlledBy(pod, set) {
			pods[pod.Name] = pod
		}
	}
	if len(pods) != replicas {
		return fmt.Sprintf("it has %d pods of %d", len(pods), replicas)
	}
	old := false
	for i := range replicas {
		ordinal := first + i
		name := fmt.Sprintf("%s-%d", set.Name, ordinal)
		pod := pods[name]
		switch {
		case pod == nil:
			return "there is no pod " + name
		case !history.IsAvailable(pod, set.Spec.MinReadySeconds, cluster.Time):
			return name + " is not available"
		case ordinal >= partition && !cluster.Matches(pod, &set.Spec.Template):
			return name + " is not updated"
		}
		old = old || !cluster.Matches(pod, &set.Spec.Template)
	}
	status := set.Status
	switch {
	case status.ObservedGeneration != set.Generation:
		return fmt.Sprintf("its status observes generation %d, not %d", status.ObservedGeneration, set.Generation)
	case int(status.AvailableReplicas) != replicas:
		return fmt.Sprintf("its status counts %d available pods, not %d", status.AvailableReplicas, replicas)
	case partition <= first && status.CurrentRevision != status.UpdateRevision:
		return "its status does not say that the update is over"
	case old && status.CurrentRevision == status.UpdateRevision:
		return "its status says that the update is over"
	}
	return ""
}
