package simulation

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
)

// Names of the containers of pods that have one of each kind; the first is daemon.
const (
	initName    = "init"
	sidecarName = "sidecar"
	daemonName  = "daemon"
	// These are not started again once they have ended well, by policies of their own.
	onceInitName = "once-before"
	onceName     = "once"
)

// shape is what may be said of a pod that is not Ready, and what there is to say of its rollout then.
type shape struct {
	name string
	// containers are what kubelets say of containers, by their names; of the others, that they run. conditions are added to those of the pod.
	containers map[string]corev1.ContainerStatus
	conditions []corev1.PodCondition
	// reason is that of the stall, which names the container; none where the pod may become Ready by itself.
	reason, container string
	// lasts is the reason where a stall has been reported before.
	lasts string
}

// shapes are what kubelets say of containers, one thing at a time.
func shapes() []shape {
	waits := func(reason string) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}}
	}
	end := func(code int32) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}
	}
	ended := func(code, restarts int32) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: end(code), RestartCount: restarts}
	}
	runs := func(last corev1.ContainerState, restarts int32) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}, LastTerminationState: last, RestartCount: restarts}
	}
	ready := runs(end(1), 3)
	ready.Ready = true
	recovered := ended(0, 2)
	recovered.LastTerminationState = end(1)
	const backOff, pull = "CrashLoopBackOff", "ImagePullBackOff"
	stays := func(name string, containers map[string]corev1.ContainerStatus, reason, container string) shape {
		return shape{name: name, containers: containers, reason: reason, container: container, lasts: reason}
	}
	all := []shape{
		stays("ended once", map[string]corev1.ContainerStatus{daemonName: ended(1, 0)}, "", ""),
		stays("ended once, and runs", map[string]corev1.ContainerStatus{daemonName: runs(end(1), 0)}, "", ""),
		stays("ended well once", map[string]corev1.ContainerStatus{daemonName: ended(0, 0)}, "", ""),
		stays("init container ended well after it failed", map[string]corev1.ContainerStatus{initName: recovered}, "", ""),
		stays("init container ended well twice", map[string]corev1.ContainerStatus{initName: ended(0, 2)}, "", ""),
		stays("init container ended well, and runs again", map[string]corev1.ContainerStatus{initName: runs(end(0), 2)}, "", ""),
		stays("Ready again beside one without image", map[string]corev1.ContainerStatus{daemonName: ready, otherContainer: waits(pull)}, plan.StalledImagePull, otherContainer),
		stays("two without image", map[string]corev1.ContainerStatus{daemonName: waits(pull), otherContainer: waits(pull)}, plan.StalledImagePull, daemonName),
		stays("one without image, and an init container that fails", map[string]corev1.ContainerStatus{daemonName: waits(pull), initName: waits(backOff)}, plan.StalledCrashLoop, initName),
		stays("a loop before one without image", map[string]corev1.ContainerStatus{daemonName: waits(backOff), otherContainer: waits(pull)}, plan.StalledCrashLoop, daemonName),
	}
	for _, reason := range []string{"ErrImagePull", pull, "InvalidImageName", "ErrImageNeverPull", "ImageInspectError", "RegistryUnavailable", "SignatureValidationFailed"} {
		all = append(all, stays("waits for "+reason, map[string]corev1.ContainerStatus{daemonName: waits(reason)}, plan.StalledImagePull, daemonName))
	}
	for _, reason := range []string{"CreateContainerConfigError", "CreateContainerError"} {
		all = append(all, stays("waits after "+reason, map[string]corev1.ContainerStatus{daemonName: waits(reason)}, plan.StalledContainer, daemonName))
	}
	for _, reason := range []string{"ContainerCreating", "PodInitializing", ""} {
		all = append(all, stays("waits for "+reason, map[string]corev1.ContainerStatus{daemonName: waits(reason), otherContainer: waits(reason)}, "", ""))
	}
	for _, container := range []string{initName, onceInitName, sidecarName, daemonName, otherContainer, onceName} {
		on := func(name string, status corev1.ContainerStatus, reason string) shape {
			return stays(name+" "+container, map[string]corev1.ContainerStatus{container: status}, reason, container)
		}
		all = append(all,
			on("loops", waits(backOff), plan.StalledCrashLoop),
			on("has no image", waits(pull), plan.StalledImagePull),
			on("failed again", ended(1, 1), plan.StalledCrashLoop),
		)
		again := on("runs again", runs(end(1), 2), plan.StalledCrashLoop)
		again.reason = ""
		all = append(all, again)
		reason := plan.StalledCrashLoop
		if slices.Contains([]string{initName, onceInitName, onceName}, container) {
			reason = ""
		}
		well := on("runs again after it ended well", runs(end(0), 2), reason)
		well.reason = ""
		all = append(all, well, on("ended well again", ended(0, 1), reason))
	}
	condition := func(kind corev1.PodConditionType, status corev1.ConditionStatus, reason string) shape {
		s := stays(fmt.Sprintf("says %s %s %s", kind, status, reason), nil, "", "")
		s.conditions = []corev1.PodCondition{{Type: kind, Status: status, Reason: reason, LastTransitionTime: metav1.NewTime(epoch)}}
		return s
	}
	return append(all,
		condition("example.org/Placed", corev1.ConditionFalse, corev1.PodReasonUnschedulable),
		condition(corev1.PodScheduled, corev1.ConditionTrue, corev1.PodReasonUnschedulable),
		condition(corev1.PodScheduled, corev1.ConditionFalse, corev1.PodReasonSchedulingGated),
	)
}

// everyContainer gives a template one container of each kind.
func everyContainer(w *world, spec *corev1.PodSpec) {
	version := len(w.templates) + 1
	spec.InitContainers = []corev1.Container{
		{Name: initName, Image: fmt.Sprintf("init:v%d", version)},
		{Name: onceInitName, Image: fmt.Sprintf("init:v%d", version), RestartPolicy: ptr.To(corev1.ContainerRestartPolicyNever)},
		{Name: sidecarName, Image: fmt.Sprintf("sidecar:v%d", version), RestartPolicy: ptr.To(corev1.ContainerRestartPolicyAlways)},
	}
	w.updateOther(spec)
	once := corev1.Container{Name: onceName, Image: fmt.Sprintf("once:v%d", version), RestartPolicy: ptr.To(corev1.ContainerRestartPolicyOnFailure)}
	spec.Containers = append(spec.Containers, once)
}

// shapeActs show shapes. Nothing else may happen meanwhile, so that no schedule is drawn with these.
func shapeActs() []act {
	return []act{
		{"update to a broken image beside every kind of container", 0, func(w *world, _, _ int) {
			w.release(suffixBroken, func(spec *corev1.PodSpec) { everyContainer(w, spec) })
		}},
		{"pods of an image fail", 0, func(w *world, a, _ int) {
			for _, pod := range w.api.pods() {
				if image(&pod.Spec) == image(&w.templates[a%len(w.templates)].Spec) && metav1.IsControlledBy(pod, w.api.daemonSet()) {
					w.api.notePod(history.FailPod, pod)
					w.kubelets.finish(pod.UID, corev1.PodFailed)
				}
			}
		}},
		{"somebody else writes conditions of pods", 0, func(w *world, _, _ int) {
			for _, pod := range w.api.pods() {
				w.api.updatePod(pod.Name, func(pod *corev1.Pod) {
					pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: "example.org/Checked", Status: corev1.ConditionTrue, LastTransitionTime: w.kubelets.wholeSecond()})
				})
			}
		}},
		{"updated pods show a shape", 0, func(w *world, a, _ int) { w.show(shapes()[a], false) }},
		{"updated pods show a shape, and the stall is known", 0, func(w *world, a, _ int) { w.show(shapes()[a], true) }},
	}
}

// show has all updated pods that are not Ready show the shape, and checks what the status says of it.
func (w *world) show(s shape, known bool) {
	template := w.api.daemonSet().Spec.Template.Spec
	var shown []*corev1.Pod
	for _, pod := range w.api.pods() {
		if image(&pod.Spec) != image(&template) {
			continue
		}
		shown = append(shown, pod)
		w.api.updatePod(pod.Name, func(pod *corev1.Pod) {
			w.kubelets.tell(pod)
			for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
				for i := range statuses {
					if says, is := s.containers[statuses[i].Name]; is {
						says.Name, says.Image = statuses[i].Name, statuses[i].Image
						statuses[i] = says
					}
				}
			}
			pod.Status.Conditions = append(pod.Status.Conditions, s.conditions...)
		})
	}
	w.advance(30 * time.Second)
	want := expected{reason: s.reason, more: len(shown) - 1}
	if known {
		want.reason = s.lasts
	}
	slices.SortFunc(shown, func(a, b *corev1.Pod) int { return cmp.Compare(a.Spec.NodeName, b.Spec.NodeName) })
	if want.reason != "" {
		want.word = fmt.Sprintf("pod %s on node %s", shown[0].Name, shown[0].Spec.NodeName)
	}
	if w.objection = w.stallIs(want, true); w.objection != nil || want.reason == "" {
		return
	}
	if message := stalledIn(w.api.daemonSet()).Message; !strings.Contains(message, "container "+s.container) {
		w.objection = broken("COND-001", "a stall is reported with its cause: got %s, want container %s", message, s.container)
	}
}
