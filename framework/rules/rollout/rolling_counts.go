package rollout

import (
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// counted is the rule that nodes of a class count against maxUnavailable. It names the class that makes the difference where ROLLING-002 is broken.
func counted(id requirements.ID, promise string, class func(*judge.Scene, *judge.Node) bool, situations ...judge.Situation) judge.Rule {
	return judge.Rule{
		Requirement: id,
		Kind:        judge.Prohibition,
		Promise:     promise,
		Needs:       everything(),
		Situations: and(situations, situation.UnavailableUsedUp(), situation.Percentage(situation.MaxUnavailable), situation.RolledBack(), situation.Restarted(),
			situation.CordonedElsewhere()),
		New: func(history.Header) judge.Observer { return &countedNodes{class: class} },
	}
}

type countedNodes struct {
	judge.Exercise
	class func(*judge.Scene, *judge.Node) bool
}

// Observe implements judge.Observer.
func (o *countedNodes) Observe(s *judge.Scene) []judge.Violation {
	limit, bounded := s.SpendsUnavailable()
	if !bounded {
		return nil
	}
	pod := s.Removed.Pod
	var others []*judge.Node
	nodes := s.Unserved(pod.Workload)
	for _, node := range nodes {
		if node != pod.Node && o.class(s, node) {
			others = append(others, node)
		}
	}
	if len(others) == 0 {
		return nil
	}
	o.PutToTest()
	if len(nodes) <= limit || len(nodes)-len(others) > limit {
		return nil
	}
	got := fmt.Sprintf("%s deleted while maxUnavailable, %d, was used up by %s", pod.Object.Name, limit, judge.NodeNames(others))
	return s.OnNode(pod.Workload, pod.Node, got, others[0].Everyone()...)
}
