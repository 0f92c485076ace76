package rollout

import (
	"k8s.io/apimachinery/pkg/util/sets"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/rules/situation"
)

// RolloverNewest is ROLLOVER-001. It is put to the test by pods that are created while the DaemonSet has pods of two templates that are not in force: a rollout
// has been overtaken half way. The pod itself may be the first of the second: those before it may have been refused.
func RolloverNewest() judge.Rule {
	return judge.Rule{
		Requirement: "ROLLOVER-001",
		Kind:        judge.Prohibition,
		Promise:     "once a rollout is overtaken by another template, no more pods are created of the one before",
		Needs:       everything(),
		Situations:  []judge.Situation{situation.RolledBack(), situation.Restarted(), situation.WithSurge(), situation.WithUnavailable(), situation.OnCordoned()},
		New:         func(history.Header) judge.Observer { return &createdCurrent{about: overtaken} },
	}
}

// overtaken: the DaemonSet has, or just had, pods of two templates that are not in force.
func overtaken(s *judge.Scene) bool {
	workload, outdated := s.Created.Pod.Workload, sets.New[int]()
	for _, node := range workload.Nodes {
		for _, pod := range node.Lately(s.Now) {
			revision := s.Cluster.RevisionOf(pod.Object)
			if revision != history.NoRevision && revision != workload.Settings.Template {
				outdated.Insert(revision)
			}
		}
		if outdated.Len() > 1 {
			return true
		}
	}
	return false
}
