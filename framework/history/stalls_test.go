package history_test

import (
	"slices"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func TestHindrancesAreWhatKeepsAPodFromBecomingAvailable(t *testing.T) {
	waiting := func(reason, message string) corev1.ContainerStatus {
		return corev1.ContainerStatus{Image: "daemon:v2", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}}
	}
	for name, test := range map[string]struct {
		status corev1.PodStatus
		want   []string
	}{
		"nothing is known":    {corev1.PodStatus{}, nil},
		"it has just begun":   {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{waiting("ContainerCreating", "")}}, nil},
		"it is initializing":  {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{waiting("PodInitializing", "")}}, nil},
		"it runs":             {corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}, nil},
		"it is scheduled":     {corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, Message: "done"}}}, nil},
		"it is not Ready":     {corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse, Message: "not yet"}}}, nil},
		"it is not scheduled": {corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "no free ports"}}}, []string{"no free ports"}},
		"its image cannot be pulled": {
			corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{waiting("ImagePullBackOff", "back-off pulling")}},
			[]string{"ImagePullBackOff", "back-off pulling", "daemon:v2"},
		},
		"an init container crashes": {
			corev1.PodStatus{InitContainerStatuses: []corev1.ContainerStatus{waiting("CrashLoopBackOff", "")}, ContainerStatuses: []corev1.ContainerStatus{waiting("PodInitializing", "")}},
			[]string{"CrashLoopBackOff", "daemon:v2"},
		},
		"it failed": {corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "out of memory"}, []string{"Evicted", "out of memory"}},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "agent-1"}, Spec: corev1.PodSpec{NodeName: "node-1"}, Status: test.status}
			want := test.want
			if want != nil {
				// Whoever knows a cause may name the pod or its node.
				want = append(want, "agent-1", "node-1")
			}
			g.Expect(history.Hindrances(pod)).To(Equal(want))
			if want != nil {
				pod.Spec.NodeName = ""
				g.Expect(history.Hindrances(pod)).To(And(ContainElement("agent-1"), Not(ContainElement(""))), "an empty word would be found in every text")
			}
		})
	}
}

// said is a condition.
func said(kind, status, message string) appsv1.DaemonSetCondition {
	return appsv1.DaemonSetCondition{Type: appsv1.DaemonSetConditionType(kind), Status: corev1.ConditionStatus(status), Reason: "Reason", Message: message}
}

func TestAConditionReportsAStallIfItIsNewAndNamesTheCause(t *testing.T) {
	g := NewWithT(t)
	before := []appsv1.DaemonSetCondition{said("Stalled", "False", ""), said("Old", "True", "agent-1 again"), said("Gone", "True", "agent-1")}
	stalled, other := said("Stalled", "True", "pod agent-1 waits"), said("Other", "False", "agent-1 does not progress")
	now := []appsv1.DaemonSetCondition{stalled, said("Old", "True", "agent-1 still"), other, said("Unrelated", "True", "pod agent-2 waits")}
	g.Expect(history.StallConditions(before, now, []string{"node-7", "agent-1"})).To(Equal([]appsv1.DaemonSetCondition{stalled, other}))
	g.Expect(history.StallConditions(before, now, []string{"Reason"})).To(HaveLen(3), "the reason may name the cause")
	g.Expect(history.StallConditions(before, now, nil)).To(BeEmpty())
	g.Expect(history.StallConditions(now, now, []string{"agent-1"})).To(BeEmpty(), "what was said before the stall does not report it")
}

func TestOfEachTypeTheLatestConditionWithEachStatusIsKept(t *testing.T) {
	g := NewWithT(t)
	first, then, other := said("GoesOn", "True", "agent-1 is waited for"), said("GoesOn", "False", "agent-1 waits"), said("Stalled", "True", "agent-1 waits")
	found := history.AddConditions([]appsv1.DaemonSetCondition{first, other}, []appsv1.DaemonSetCondition{then})
	g.Expect(found).To(Equal([]appsv1.DaemonSetCondition{first, other, then}))
	g.Expect(history.AddConditions(found, nil)).To(Equal(found), "what was said stays said")
	again := said("GoesOn", "True", "agent-1 is waited for once more")
	g.Expect(history.AddConditions(found, []appsv1.DaemonSetCondition{again})).To(Equal([]appsv1.DaemonSetCondition{other, then, again}))
}

func TestAConditionSaysSomethingElseByItsStatusReasonOrMessage(t *testing.T) {
	g := NewWithT(t)
	before := []appsv1.DaemonSetCondition{said("Placed", "True", "node-1"), said("Stalled", "False", "")}
	same, renewed := before[0], said("Stalled", "False", "")
	same.LastTransitionTime = metav1.Now()
	other, changed := said("Placed", "True", "node-2"), said("Stalled", "True", "")
	g.Expect(history.OtherConditions(before, []appsv1.DaemonSetCondition{same, renewed})).To(BeEmpty())
	g.Expect(history.OtherConditions(before, []appsv1.DaemonSetCondition{other, changed})).To(Equal([]appsv1.DaemonSetCondition{other, changed}))
	g.Expect(history.OtherConditions(nil, before)).To(Equal(before))
}

func TestAConditionStandsWhileItHasItsStatus(t *testing.T) {
	stalled, hoped, other := said("Stalled", "True", "pod agent-1 waits"), said("Stalled", "False", "pod agent-1 is waited for"), said("Other", "False", "agent-1 does not progress")
	done := said("Progressing", "True", "all nodes are updated")
	for name, tt := range map[string]struct {
		found, now, left []appsv1.DaemonSetCondition
		whole            bool
	}{
		"all are the same":                         {[]appsv1.DaemonSetCondition{stalled, other}, []appsv1.DaemonSetCondition{other, stalled}, []appsv1.DaemonSetCondition{stalled, other}, true},
		"one is the same in other words":           {[]appsv1.DaemonSetCondition{stalled, other}, []appsv1.DaemonSetCondition{said("Stalled", "True", "in other words"), said("Other", "True", "")}, []appsv1.DaemonSetCondition{stalled}, false},
		"none is there":                            {[]appsv1.DaemonSetCondition{stalled, other}, nil, nil, false},
		"it has its latest status":                 {[]appsv1.DaemonSetCondition{hoped, stalled}, []appsv1.DaemonSetCondition{stalled}, []appsv1.DaemonSetCondition{stalled}, true},
		"it has its first status again":            {[]appsv1.DaemonSetCondition{hoped, stalled}, []appsv1.DaemonSetCondition{hoped}, nil, false},
		"it has its latest status, in other words": {[]appsv1.DaemonSetCondition{hoped, stalled}, []appsv1.DaemonSetCondition{said("Stalled", "True", "in other words")}, nil, false},
		"it says that all is well":                 {[]appsv1.DaemonSetCondition{said("Progressing", "True", "agent-1 is waited for")}, []appsv1.DaemonSetCondition{done}, nil, false},
		"it says that all is not well":             {[]appsv1.DaemonSetCondition{said("Progressing", "False", "agent-1 waits")}, []appsv1.DaemonSetCondition{said("Progressing", "False", "")}, []appsv1.DaemonSetCondition{said("Progressing", "False", "agent-1 waits")}, true},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			before := slices.Clone(tt.found)
			left, whole := history.LeftConditions(tt.found, tt.now)
			g.Expect(left).To(Equal(tt.left))
			g.Expect(whole).To(Equal(tt.whole))
			g.Expect(tt.found).To(Equal(before), "what was found is left as it is")
		})
	}
}

func TestAnEventTellsOfAStallIfItIsNewAndNotAboutASinglePod(t *testing.T) {
	interval := func(stalled bool, reasons ...string) history.EventInterval {
		s := history.EventInterval{Stalled: stalled}
		for _, reason := range reasons {
			s.Events = append(s.Events, &corev1.Event{Reason: reason})
		}
		return s
	}
	for name, test := range map[string]struct {
		intervals []history.EventInterval
		want      []string
	}{
		"nothing came":                    {[]history.EventInterval{interval(false), interval(true)}, nil},
		"it is new":                       {[]history.EventInterval{interval(false, "Paused"), interval(true, "Paused", "RolloutStalled")}, []string{"RolloutStalled"}},
		"it is about single pods":         {[]history.EventInterval{interval(true, "FailedCreate", "SuccessfulCreate", "FailedDaemonPod", "FailedPlacement")}, nil},
		"it told of an earlier stall":     {[]history.EventInterval{interval(false), interval(true, "Stalled"), interval(false), interval(true, "Stalled")}, []string{"Stalled"}},
		"it came once more in between":    {[]history.EventInterval{interval(false), interval(true, "Stalled"), interval(false, "Stalled"), interval(true, "Stalled")}, []string{"Stalled"}},
		"it came before the earlier one":  {[]history.EventInterval{interval(false, "Stalled"), interval(true, "Stalled"), interval(false), interval(true, "Stalled")}, nil},
		"it came first in between":        {[]history.EventInterval{interval(false), interval(true), interval(false, "Resumed"), interval(true, "Resumed")}, nil},
		"only the earlier stall was told": {[]history.EventInterval{interval(false), interval(true, "Stalled"), interval(false), interval(true)}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, event := range history.StallEvents(test.intervals...) {
				got = append(got, event.Reason)
			}
			NewWithT(t).Expect(got).To(Equal(test.want))
		})
	}
}
