package implementation

import (
	"testing"
	"time"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
)

// podWith makes a pod of the Deployment mine/controller whose one container is in this status.
func podWith(status corev1.ContainerStatus) *corev1.Pod {
	status.Name = "main"
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "mine", Name: "controller-1", UID: "u1", Labels: map[string]string{"app": "controller"}},
		Spec:       corev1.PodSpec{NodeName: "one", Containers: []corev1.Container{{Name: "main"}}},
		Status: corev1.PodStatus{
			Phase:             corev1.PodRunning,
			Conditions:        []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}},
			ContainerStatuses: []corev1.ContainerStatus{status},
		},
	}
}

func endedAt(when time.Time) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 2, Reason: "Error", FinishedAt: metav1.NewTime(when)}}
}

func saying(message string) corev1.ContainerState {
	state := endedAt(time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC))
	state.Terminated.Message = message
	return state
}

func TestOnlyEndsThatADisturbanceExplainsAreExpected(t *testing.T) {
	noon := time.Date(2026, 1, 1, 12, 0, 0, 0, time.UTC)
	during := noon.Add(-time.Second).Format(time.RFC3339)
	after := noon.Add(time.Second).Format(time.RFC3339)
	restarted := corev1.ContainerStatus{LastTerminationState: endedAt(noon), RestartCount: 3}
	for name, tt := range map[string]struct {
		status     corev1.ContainerStatus
		change     func(*corev1.Pod)
		unexpected string
	}{
		"never ended":                 {},
		"restarted":                   {status: restarted, unexpected: "container main of pod controller-1 ended at 12:00:00 with exit code 2 (Error), it was started again 3 times so far"},
		"with a message":              {status: corev1.ContainerStatus{State: saying("starts\nlost the lease\n")}, unexpected: "0 times so far: lost the lease"},
		"down":                        {status: corev1.ContainerStatus{State: endedAt(noon)}, unexpected: "ended at 12:00:00"},
		"restarted while disturbed":   {status: restarted, change: func(p *corev1.Pod) { p.Annotations = map[string]string{string(cut): after} }},
		"ended at the very end of it": {status: restarted, change: func(p *corev1.Pod) { p.Annotations = map[string]string{string(crash): noon.Format(time.RFC3339)} }},
		"restarted long afterwards":   {status: restarted, change: func(p *corev1.Pod) { p.Annotations = map[string]string{string(cut): during} }, unexpected: "ended at 12:00:00"},
		"restarted during one of two": {status: restarted, change: func(p *corev1.Pod) {
			p.Annotations = map[string]string{string(suspension): forever().Format(time.RFC3339), string(crash): during}
		}},
		"ended again, unlike before": {
			status:     corev1.ContainerStatus{LastTerminationState: endedAt(noon.Add(-time.Hour)), State: endedAt(noon)},
			change:     func(p *corev1.Pod) { p.Annotations = map[string]string{string(cut): during} },
			unexpected: "ended at 12:00:00",
		},
		"being deleted": {status: restarted, change: func(p *corev1.Pod) { p.DeletionTimestamp = ptr.To(metav1.Now()) }},
		"evicted": {change: func(p *corev1.Pod) { p.Status.Phase, p.Status.Reason = corev1.PodFailed, "Evicted" },
			unexpected: "pod controller-1 failed: Evicted"},
	} {
		t.Run(name, func(t *testing.T) {
			pod := podWith(tt.status)
			if tt.change != nil {
				tt.change(pod)
			}
			ends := unexpected([]*corev1.Pod{pod})
			if tt.unexpected == "" {
				NewWithT(t).Expect(ends).To(BeEmpty())
				return
			}
			NewWithT(t).Expect(ends).To(ConsistOf(ContainSubstring(tt.unexpected)))
		})
	}
}

func TestReadinessIsThePodsOwnAndOfAllOfThem(t *testing.T) {
	unreadyPod := podWith(corev1.ContainerStatus{})
	unreadyPod.Status.Conditions[0].Status = corev1.ConditionFalse
	leaving := podWith(corev1.ContainerStatus{})
	leaving.DeletionTimestamp = ptr.To(metav1.Now())
	ready := podWith(corev1.ContainerStatus{})
	current := appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1, UpdatedReplicas: 1}
	for name, tt := range map[string]struct {
		status  appsv1.DeploymentStatus
		pods    []*corev1.Pod
		missing string
	}{
		"ready":                       {current, []*corev1.Pod{ready}, ""},
		"not ready":                   {current, []*corev1.Pod{unreadyPod}, "0 pods are ready of 1"},
		"no pod":                      {current, nil, "0 pods are ready of 1"},
		"an old pod beside":           {current, []*corev1.Pod{leaving, ready}, "pod controller-1 is still being deleted"},
		"one too many":                {current, []*corev1.Pod{ready, ready}, "2 pods are ready of 1"},
		"a change that nobody saw":    {appsv1.DeploymentStatus{ObservedGeneration: 1, Replicas: 1, UpdatedReplicas: 1}, []*corev1.Pod{ready}, "the Deployment has 1 pods"},
		"a pod of an older template":  {appsv1.DeploymentStatus{ObservedGeneration: 2, Replicas: 1}, []*corev1.Pod{ready}, "the Deployment has 1 pods, 0 of them up to date, of 1"},
		"pods that are not there yet": {appsv1.DeploymentStatus{ObservedGeneration: 2}, nil, "the Deployment has 0 pods"},
	} {
		t.Run(name, func(t *testing.T) {
			deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Status: tt.status}
			missing, err := unready(deployment, tt.pods, 1)
			NewWithT(t).Expect(err).NotTo(HaveOccurred())
			if tt.missing == "" {
				NewWithT(t).Expect(missing).To(BeEmpty())
				return
			}
			NewWithT(t).Expect(missing).To(HavePrefix(tt.missing))
		})
	}
	_, err := unready(&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: ptr.To[int32](0)}}, nil, 1)
	NewWithT(t).Expect(err).To(MatchError(errDown), "waiting would be in vain")
}

func TestAPodThatDoesNotRunSaysWhy(t *testing.T) {
	pod := podWith(corev1.ContainerStatus{
		State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off 10s"}},
		LastTerminationState: endedAt(time.Now()),
	})
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes"}}
	NewWithT(t).Expect(describe(pod)).To(Equal(`pod controller-1 on node "one": Running; not PodScheduled: 0/3 nodes; ` +
		`container main waits: CrashLoopBackOff back-off 10s; container main ended with exit code 2 (Error)`))
}
