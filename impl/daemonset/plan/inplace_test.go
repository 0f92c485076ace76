package plan_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"testing"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	. "github.com/onsi/gomega"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/impl/daemonset/plan"
	"github.com/rollcall-conformance/rollcall/impl/inplace"
)

// inPlace is a world in which pods are updated in place if possible.
func inPlace(t *testing.T, nodes int) *world {
	t.Helper()
	w := newWorld(t, nodes)
	w.DaemonSet.Annotations[inplace.Policy] = inplace.IfPossible
	return w
}

// runs has the pod's containers running for half an hour, and its node's agent know of the pod as it is.
func (w *world) runs() func(*corev1.Pod) {
	return func(pod *corev1.Pod) {
		w.ready()(pod)
		pod.Generation, pod.Status.ObservedGeneration = 1, 1
		for _, container := range pod.Spec.Containers {
			pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{
				Name: container.Name, Image: container.Image, ContainerID: container.Name + "-0", Ready: true,
				State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.now.Add(-30 * time.Minute))}},
			})
		}
	}
}

// carryOut makes the updates of the actions as an API server does.
func (w *world) carryOut(a plan.Actions) {
	for _, update := range a.UpdatePods {
		for i, pod := range w.Pods {
			if pod.UID != update.Pod.UID {
				continue
			}
			pod = pod.DeepCopy()
			w.Pods[i] = pod
			maps.Copy(pod.Labels, update.Labels)
			if pod.Annotations == nil {
				pod.Annotations = map[string]string{}
			}
			maps.Copy(pod.Annotations, update.Annotations)
			for c := range pod.Spec.Containers {
				if image := update.Images[pod.Spec.Containers[c].Name]; image != "" {
					pod.Spec.Containers[c].Image = image
				}
			}
			if len(update.Images) > 0 && pod.Generation > 0 {
				pod.Generation++
			}
		}
	}
}

// restart starts another instance of the pod's first container, running the image, now.
func (w *world) restart(i int, image string) {
	w.change(i, func(pod *corev1.Pod) {
		status := &pod.Status.ContainerStatuses[0]
		status.RestartCount++
		status.ContainerID, status.Image = fmt.Sprintf("agent-%d", status.RestartCount), image
		status.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(w.now)}}
	})
}

func (w *world) change(i int, edit func(*corev1.Pod)) {
	w.Pods[i] = w.Pods[i].DeepCopy()
	edit(w.Pods[i])
}

// observed has the node's agent know of the pod's spec.
func observed(pod *corev1.Pod) { pod.Status.ObservedGeneration = pod.Generation }

func patched(a plan.Actions) []string {
	names := none()
	for _, update := range a.UpdatePods {
		names = append(names, update.Pod.Name)
	}
	return names
}

func TestAnOldPodIsUpdatedInPlaceWhereOnlyImagesDiffer(t *testing.T) {
	for _, row := range []struct {
		name    string
		edit    func(*corev1.PodTemplateSpec)
		inPlace bool
	}{
		{"an image", func(*corev1.PodTemplateSpec) {}, true},
		{"an environment variable", func(template *corev1.PodTemplateSpec) {
			template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "b"}}
		}, false},
		{"a label", func(template *corev1.PodTemplateSpec) {
			// The selector's are the same map.
			template.Labels = maps.Clone(template.Labels)
			template.Labels["a"] = "b"
		}, false},
		{"an annotation", func(template *corev1.PodTemplateSpec) { metav1.SetMetaDataAnnotation(&template.ObjectMeta, "a", "b") }, false},
		{"an init container", func(template *corev1.PodTemplateSpec) {
			template.Spec.InitContainers = []corev1.Container{{Name: "prepare", Image: "agent:v1"}}
		}, false},
		{"another container", func(template *corev1.PodTemplateSpec) {
			template.Spec.Containers = append(template.Spec.Containers, corev1.Container{Name: "another", Image: "agent:v1"})
		}, false},
		{"a container's name", func(template *corev1.PodTemplateSpec) { template.Spec.Containers[0].Name = "another" }, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			w := inPlace(t, 1)
			w.pods(w.runs())
			row.edit(&w.DaemonSet.Spec.Template)
			w.update("v2")
			actions := w.plan()
			g.Expect(actions.UpdatePods).To(HaveLen(one(row.inPlace)))
			g.Expect(actions.DeletePods).To(HaveLen(one(!row.inPlace)))
			g.Expect(w.Pods[0].Spec.Containers[0].Image).To(Equal("agent:v1"), "the state is as it was (INPLACE-010)")
		})
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}

func TestItIsRecreatedWhereItCannotBeUpdatedInPlace(t *testing.T) {
	for _, row := range []struct {
		name   string
		change func(w *world)
	}{
		{"without the policy", func(w *world) { delete(w.DaemonSet.Annotations, inplace.Policy) }},
		{"with a policy that nobody knows", func(w *world) { w.DaemonSet.Annotations[inplace.Policy] = "inPlace" }},
		{"its history is gone", func(w *world) { w.Revisions = w.Revisions[1:] }},
		{"it does not run yet", func(w *world) { w.change(0, func(pod *corev1.Pod) { pod.Status.Phase = corev1.PodPending }) }},
		{"it failed", func(w *world) { w.change(0, ended(corev1.PodFailed)) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			g := NewWithT(t)
			w := inPlace(t, 1)
			w.pods(w.runs())
			w.update("v2")
			g.Expect(w.plan().UpdatePods).To(HaveLen(1))
			row.change(w)
			actions := w.plan()
			g.Expect(actions.UpdatePods).To(BeEmpty())
			g.Expect(actions.DeletePods).To(HaveLen(1))
		})
	}
}

func TestOneWriteHasTheImagesTheLabelsAndTheRecord(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 1)
	w.pods(w.runs())
	w.update("v2")
	update := w.plan().UpdatePods[0]
	g.Expect(update.Images).To(Equal(map[string]string{"agent": "agent:v2"}))
	g.Expect(update.Labels).To(Equal(map[string]string{plan.HashLabel: w.hash(), plan.GenerationLabel: "2"}))
	var record map[string]any
	g.Expect(json.Unmarshal([]byte(update.Annotations[inplace.Record]), &record)).To(Succeed())
	g.Expect(record).To(HaveKeyWithValue("generation", float64(2)))
	g.Expect(record).To(HaveKeyWithValue("containers", HaveKeyWithValue("agent", And(HaveKeyWithValue("id", "agent-0"), HaveKeyWithValue("image", "agent:v1")))))
}

func TestALimitCountsPodsThatWereUpdatedInPlaceUntilTheyAreBack(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 3)
	w.pods(w.runs())
	w.update("v2")
	first := w.plan()
	g.Expect(first.UpdatePods).To(HaveLen(1))
	w.carryOut(first)
	g.Expect(w.Pods[0].Labels[plan.HashLabel]).To(Equal(w.hash()))
	// Its Ready condition is from before.
	second := w.plan()
	g.Expect(second.UpdatePods).To(BeEmpty())
	g.Expect(second.Status.NumberAvailable).To(Equal(int32(2)))
	g.Expect(second.Status.NumberReady).To(Equal(int32(2)))
	g.Expect(second.Status.UpdatedNumberScheduled).To(Equal(int32(1)))
	// The kubelet has seen the update and not yet restarted the container.
	w.change(0, observed)
	g.Expect(w.plan().UpdatePods).To(BeEmpty())
	// Another process knows nothing else.
	w.restart(0, "agent:v2")
	g.Expect(w.plan().UpdatePods).To(HaveLen(1))
}

func TestAContainerThatWasRestartedByAKubeletThatKnowsOnlyTheOldImageIsNotBelieved(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 2)
	w.pods(w.runs())
	w.update("v2")
	w.carryOut(w.plan())
	// It crashed just then.
	w.restart(0, "agent:v1")
	g.Expect(w.plan().UpdatePods).To(BeEmpty())
}

func TestMinReadySecondsCountFromTheRestartWhereThePodStaysReady(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 2)
	w.DaemonSet.Spec.MinReadySeconds = 10
	w.pods(w.runs())
	w.update("v2")
	w.carryOut(w.plan())
	w.change(0, observed)
	w.restart(0, "agent:v2")
	w.now = w.now.Add(9 * time.Second)
	waiting := w.plan()
	g.Expect(waiting.UpdatePods).To(BeEmpty())
	g.Expect(waiting.RequeueAfter).To(Equal(time.Second))
	w.now = w.now.Add(time.Second)
	g.Expect(w.plan().UpdatePods).To(HaveLen(1))
}

func TestASecondUpdateIsNotProvenByTheFirst(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 1)
	w.DaemonSet.Spec.MinReadySeconds = 0
	w.pods(w.runs())
	for _, image := range []string{"v2", "v3"} {
		w.update(image)
		actions := w.plan()
		g.Expect(actions.UpdatePods).To(HaveLen(1))
		w.carryOut(actions)
	}
	available := func() int32 { return w.plan().Status.NumberAvailable }
	w.change(0, observed)
	w.restart(0, "agent:v2")
	g.Expect(available()).To(Equal(int32(0)))
	// The runtime calls it otherwise.
	w.change(0, func(pod *corev1.Pod) {
		pod.Status.ContainerStatuses[0].Image = name.DefaultRegistry + "/library/agent:v2"
	})
	g.Expect(available()).To(Equal(int32(0)))
	again := w.plan().RequeueAfter
	g.Expect(again).To(Equal(corev1.DefaultTerminationGracePeriodSeconds*time.Second + time.Minute))
	before := w.Pods[0]
	w.restart(0, "agent:v2")
	g.Expect(available()).To(Equal(int32(1)), "two restarts are one for each update, whatever the runtime calls the image")
	w.Pods[0] = before
	w.now = w.now.Add(again)
	g.Expect(available()).To(Equal(int32(1)), "what is still there must be what was asked for")
}

func TestAnUpdateThatIsTakenBackBeforeTheKubeletCameToItNeedsNoRestart(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 1)
	w.pods(w.runs())
	template := w.DaemonSet.Spec.Template.DeepCopy()
	w.update("v2")
	w.carryOut(w.plan())
	w.DaemonSet.Spec.Template = *template
	w.DaemonSet.Generation++
	back := w.plan()
	g.Expect(patched(back)).To(HaveLen(1))
	w.carryOut(back)
	g.Expect(w.plan().Status.NumberAvailable).To(Equal(int32(0)))
	w.change(0, observed)
	g.Expect(w.plan().Status.NumberAvailable).To(Equal(int32(1)))
}

func TestTheSameImageUnderAnotherNameIsDoneOnceTheContainerWasRestarted(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 1)
	w.pods(w.runs())
	w.update("v2")
	w.carryOut(w.plan())
	w.change(0, observed)
	w.restart(0, "agent:v1")
	g.Expect(w.plan().Status.NumberAvailable).To(Equal(int32(1)))
}

func TestWithMaxSurgeNothingIsUpdatedInPlace(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 5)
	w.surging("2")
	w.pods(w.runs())
	w.update("v2")
	actions := w.plan()
	g.Expect(actions.UpdatePods).To(BeEmpty())
	g.Expect(actions.CreatePods).To(HaveLen(2))
}

func TestAnUpdateInPlaceThatIsRefusedIsAStall(t *testing.T) {
	g := NewWithT(t)
	w := inPlace(t, 2)
	w.pods(w.runs())
	w.update("v2")
	w.RefusedUpdates = map[string]plan.Refusal{"n0": {Words: "not today"}}
	actions := w.plan()
	g.Expect(patched(actions)).To(Equal([]string{w.Pods[0].Name}))
	g.Expect(actions.DeletePods).To(BeEmpty())
	conditions := actions.Status.Conditions
	g.Expect(conditions).To(HaveLen(1))
	g.Expect(conditions[0].Status).To(Equal(corev1.ConditionTrue))
	g.Expect(conditions[0].Reason).To(Equal(plan.StalledUpdateRefused))
	g.Expect(conditions[0].Message).To(ContainSubstring("not today"))
}
