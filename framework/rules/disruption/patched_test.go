package disruption_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/disruption"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// patch is guarded, of three pods of which one has to be healthy, two of which are updated in place, and say that they are Ready.
func patch(b *Builder) (*Budget, []*Pod) {
	budget, _, pods := guarded(b, 3, MinAvailable("1"), 2, 1)
	for _, pod := range pods[:2] {
		pod.Started()
	}
	b.After(Long)
	for _, pod := range pods[:2] {
		pod.SetImage("v2")
	}
	return budget, pods
}

func TestAPodThatIsUpdatedInPlaceMayCountWhileItSaysThatItIsReady(t *testing.T) {
	for name, numbers := range map[string][2]int32{"both of them": {2, 3}, "one of them": {1, 2}, "none": {0, 1}} {
		for _, rule := range []judge.Rule{disruption.Unready(), disruption.IntegerMinAvailable()} {
			Keeps(t, rule, Tell("the budget counts "+name, func(b *Builder) {
				budget, pods := patch(b)
				if numbers[1] < 3 {
					budget.Says(numbers[0], numbers[1], 1, 3)
				}
				b.After(late)
				pods[2].Unready()
				b.After(judge.Prompt)
				budget.Says(max(0, numbers[0]-1), numbers[1]-1, 1, 3)
				b.After(late).Mark("end")
			}))
		}
	}
	Omits(t, disruption.Unready(), Tell("both say that they are not Ready, and count on", func(b *Builder) {
		_, pods := patch(b)
		pods[0].Unready()
		pods[1].Unready()
		b.After(late).Mark("end")
	}))
	Omits(t, disruption.IntegerMinAvailable(), Tell("neither counts any more when both have restarted", func(b *Builder) {
		budget, pods := patch(b)
		budget.Says(0, 1, 1, 3)
		b.After(judge.Prompt)
		for _, pod := range pods[:2] {
			pod.Observed().Restarted("v2")
		}
		b.After(late).Mark("end")
	}))
	Keeps(t, disruption.Overdrawn(), Tell("another pod is evicted while they say that they are Ready", func(b *Builder) {
		budget, pods := patch(b)
		b.After(Long)
		b.Stimulus(history.EvictPod, pods[2])
		budget.Disrupts(pods[2])
		pods[2].Evicted()
	}))
	Breaks(t, disruption.Overdrawn(), Tell("another pod is evicted long after they said that they were not Ready", func(b *Builder) {
		budget, pods := patch(b)
		pods[0].Unready()
		pods[1].Unready()
		b.After(Long)
		b.Stimulus(history.EvictPod, pods[2])
		budget.Disrupts(pods[2])
		pods[2].Evicted()
	}))
}
