package plan

import (
	"fmt"
	"math"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// aim returns how many pods the budget counts, and how many of them are to be healthy. Where that cannot be said it notes the problems.
func (p *pass) aim(selected []*corev1.Pod) (expected, desired int32) {
	spec := p.state.Budget.Spec
	switch {
	case spec.MaxUnavailable != nil:
		// PDB-003, PDB-004, PDB-005.
		scale := p.scale(selected)
		return scale, max(0, scale-p.scaled("maxUnavailable", spec.MaxUnavailable, scale))
	case spec.MinAvailable != nil && spec.MinAvailable.Type == intstr.String:
		// PDB-002, PDB-005.
		scale := p.scale(selected)
		return scale, p.scaled("minAvailable", spec.MinAvailable, scale)
	case spec.MinAvailable != nil:
		// PDB-001, PDB-019.
		return int32(min(len(selected), math.MaxInt32)), spec.MinAvailable.IntVal
	}
	// PDBAPI-015.
	return 0, 0
}

// scaled is the value, or its share of the scale, rounded up.
func (p *pass) scaled(field string, value *intstr.IntOrString, scale int32) int32 {
	number, err := intstr.GetScaledValueFromIntOrPercent(value, int(scale), true)
	if err != nil {
		p.uncountable(fmt.Errorf("spec.%s: %w", field, err))
	}
	return int32(min(max(number, 0), math.MaxInt32))
}

// scale is how many pods there should be: the sum over the controllers of the selected pods, each once (PDB-007, PDB-008). It is known only if every live one
// of them has a controller with a scale (PDB-020, PDB-022).
func (p *pass) scale(selected []*corev1.Pod) int32 {
	pods := slices.SortedFunc(slices.Values(selected), compareNames)
	replicas := map[types.UID]int32{}
	var unmanaged []*corev1.Pod
	var failure error
	for _, pod := range pods {
		reference := metav1.GetControllerOfNoCopy(pod)
		if reference == nil {
			if isLive(pod) {
				unmanaged = append(unmanaged, pod)
			}
			continue
		}
		controller := p.controller(pod, reference)
		switch {
		case controller.Err == nil:
			replicas[controller.UID] = controller.Replicas
			if controller.Polled {
				p.comeBack(p.now.Add(ScaleRecheck))
			}
			continue
		case controller.Temporary:
			p.actions.Retry = controller.Err
		case !isLive(pod):
			continue
		}
		if failure == nil {
			failure = controller.Err
		}
	}
	if len(unmanaged) > 0 {
		p.unmanaged(unmanaged)
	}
	if failure != nil {
		p.uncountable(failure)
	}
	return sum(replicas)
}

// controller returns what is known of the pod's controller. One that is gone has no scale.
func (p *pass) controller(pod *corev1.Pod, reference *metav1.OwnerReference) Controller {
	controller, known := p.state.Controllers[reference.UID]
	if known && !controller.Gone {
		return controller
	}
	return Controller{Err: fmt.Errorf("pod %s has a controller that does not exist: %s %s", pod.Name, reference.Kind, reference.Name)}
}

func sum(replicas map[types.UID]int32) int32 {
	var total int64
	for _, n := range replicas {
		total += int64(n)
	}
	return int32(min(total, math.MaxInt32))
}
