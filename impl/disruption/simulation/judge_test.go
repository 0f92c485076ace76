package simulation

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// numbers are those of a budget's status.
type numbers struct{ expected, desired, healthy, allowed int32 }

func numbersOf(status policyv1.PodDisruptionBudgetStatus) numbers {
	return numbers{status.ExpectedPods, status.DesiredHealthy, status.CurrentHealthy, status.DisruptionsAllowed}
}

// truth is the arithmetic, over what there is: the judge's own, which shares nothing with the planner. computable is false where a bare pod, or a scale that
// cannot be read, is in the way.
func (a *apiServer) truth() (want numbers, computable bool) {
	spec := a.budget.Spec
	scales := map[types.UID]bool{}
	var selected int32
	computable = true
	needs := spec.MaxUnavailable != nil || spec.MinAvailable.Type == intstr.String
	for name, pod := range a.pods {
		if pod.Labels["app"] != spec.Selector.MatchLabels["app"] {
			continue
		}
		selected++
		if a.isHealthy(name, pod) {
			want.healthy++
		}
		if len(pod.OwnerReferences) > 0 {
			scales[pod.OwnerReferences[0].UID] = true
		} else if pod.DeletionTimestamp == nil && needs {
			computable = false
		}
	}
	want.expected = selected
	if needs {
		computable = computable && (!a.broken || len(scales) == 0)
		want.expected = 0
		for uid := range scales {
			want.expected += a.scales[uid]
		}
	}
	switch {
	case spec.MaxUnavailable != nil:
		want.desired = max(0, want.expected-share(*spec.MaxUnavailable, want.expected))
	default:
		want.desired = share(*spec.MinAvailable, want.expected)
	}
	if want.expected > 0 {
		want.allowed = max(0, want.healthy-want.desired)
	}
	return want, computable
}

// share is an integer, or a percentage of whole rounded up.
func share(value intstr.IntOrString, whole int32) int32 {
	if value.Type == intstr.Int {
		return value.IntVal
	}
	var percent int32
	if _, err := fmt.Sscanf(value.StrVal, "%d%%", &percent); err != nil {
		panic(err)
	}
	return (percent*whole + 99) / 100
}

// isHealthy reports whether the pod is Ready and nobody is deleting it, or about to.
func (a *apiServer) isHealthy(name string, pod *corev1.Pod) bool {
	since, granted := a.granted[name]
	return pod.DeletionTimestamp == nil && pod.Status.Conditions[0].Status == corev1.ConditionTrue && (!granted || a.now.Sub(since) > 2*time.Minute)
}

// judge holds what happens against the promises.
type judge struct {
	api *apiServer
	// excused: something has happened that the status does not say yet, and that is no eviction.
	excused bool
	// still: nothing happens any more, so nothing is to be written.
	still      bool
	objections []string
	// granted and written count evictions and writes of the status.
	granted, written int
}

func (j *judge) object(format string, values ...any) {
	j.objections = append(j.objections, fmt.Sprintf("%s: ", j.api.now.Sub(epoch))+fmt.Sprintf(format, values...))
}

// wrote judges a write of the status before it takes effect.
func (j *judge) wrote(before, after *policyv1.PodDisruptionBudget) {
	j.written++
	if j.still {
		j.object("written although nothing happens: %+v to %+v", before.Status, after.Status)
	}
	if apiequality.Semantic.DeepEqual(before.Status, after.Status) {
		j.object("written without a change (PDB-024)")
	}
	if n := numbersOf(after.Status); n.allowed < 0 || n.allowed > 0 && n.allowed != n.healthy-n.desired {
		j.object("numbers that do not belong together: %+v (PDB-006)", n)
	}
	for name, since := range before.Status.DisruptedPods {
		_, kept := after.Status.DisruptedPods[name]
		pod, granted := j.api.pods[name], j.api.granted[name]
		if !kept && pod != nil && pod.DeletionTimestamp == nil && pod.Labels["app"] == "web" && !granted.IsZero() && j.api.now.Sub(since.Time) < 2*time.Minute {
			j.object("pod %s not listed any more, and not deleted yet (PDB-012)", name)
		}
	}
}

// evicted judges an eviction that was granted.
func (j *judge) evicted(name string) {
	j.granted++
	if want, computable := j.api.truth(); computable && !j.excused && want.healthy < want.desired {
		j.object("the eviction of %s leaves %d healthy pods of %d desired (EVICT-010)", name, want.healthy, want.desired)
	}
}

// look ends an excuse as soon as the status says what there is.
func (j *judge) look() {
	want, computable := j.api.truth()
	status := j.api.budget.Status
	if status.ObservedGeneration == j.api.budget.Generation && (computable && numbersOf(status) == want || !computable && status.DisruptionsAllowed == 0) {
		j.excused = false
	}
}

// rested judges the state in which the controller comes to rest.
func (j *judge) rested() {
	want, computable := j.api.truth()
	budget := j.api.budget
	switch got := numbersOf(budget.Status); {
	case budget.Status.ObservedGeneration != budget.Generation:
		j.object("generation %d observed of %d (PDB-011)", budget.Status.ObservedGeneration, budget.Generation)
	case computable && got != want:
		j.object("at rest the status says %+v, want %+v (PDB-026)", got, want)
	case !computable && got.allowed != 0:
		j.object("at rest %d disruptions are allowed of a budget that cannot be computed (PDB-018)", got.allowed)
	case len(budget.Status.DisruptedPods) > 0:
		j.object("at rest pods are listed as disrupted: %v (PDB-016)", budget.Status.DisruptedPods)
	}
	switch condition := apimeta.FindStatusCondition(budget.Status.Conditions, policyv1.DisruptionAllowedCondition); {
	case condition == nil:
		j.object("at rest there is no condition (PDB-017)")
	case (condition.Reason == policyv1.SyncFailedReason) == computable:
		j.object("at rest the reason is %s, and computable %t (PDB-018)", condition.Reason, computable)
	}
}
