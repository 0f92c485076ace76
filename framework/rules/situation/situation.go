// Package situation has the situations in which rules can be put to the test. A rule names those in which a controller that keeps it elsewhere might break it.
// They decide nothing: they say how much of a promise the recordings of a run have tried.
package situation

import "github.com/rollcall-conformance/rollcall/framework/judge"

// of is the situation that the function recognizes.
func of(name string, in func(judge.Test) bool) judge.Situation {
	return judge.Situation{Name: name, In: in}
}

// during is a situation of a rollout that is not the first, by what happened in it so far.
func during(name string, in func(judge.Course) bool) judge.Situation {
	return of(name, func(t judge.Test) bool {
		return t.Workload != nil && t.Workload.Course().Rollout && in(t.Workload.Course())
	})
}

// here is a situation of the node that the test is about.
func here(name string, traits ...judge.Trait) judge.Situation {
	return of(name, func(t judge.Test) bool {
		if t.Node == nil {
			return false
		}
		for _, trait := range traits {
			if !t.Node.Is(trait) {
				return false
			}
		}
		return true
	})
}

// elsewhere is a situation of another node than the one that the test is about, or of any if it is about none.
func elsewhere(name string, trait judge.Trait) judge.Situation {
	return of(name, func(t judge.Test) bool {
		if t.Workload == nil {
			return false
		}
		count := t.Workload.Having(trait)
		if t.Node != nil && t.Node.Is(trait) {
			count--
		}
		return count > 0
	})
}

// several is a situation of at least two nodes.
func several(name string, trait judge.Trait) judge.Situation {
	return of(name, func(t judge.Test) bool { return t.Workload != nil && t.Workload.Having(trait) >= 2 })
}
