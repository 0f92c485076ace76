package judge

import (
	"cmp"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Situation is one in which a rule can be put to the test: a predicate over the facts that rules decide by.
type Situation struct {
	// Name in words, such as "the limit is a percentage, and a node has joined". No other situation of the same rule has it.
	Name string
	// In reports whether the test is in the situation.
	In func(Test) bool
}

// Test is what puts a rule to the test: of a prohibition the act of the step, which it could have forbidden; of an obligation what is owed, in the state after
// each step until it is done.
type Test struct {
	*Scene
	// Workload and Node that it is about; nil if it is about none.
	Workload *Workload
	Node     *Node
}

// MostSituations is how many situations a rule can name.
const MostSituations = 64

// situations are a set of those that a rule names, by their place.
type situations uint64

// in adds to the set those of all that the test is in.
func (s situations) in(all []Situation, test Test) situations {
	for i := range all {
		if bit := situations(1) << i; s&bit == 0 && all[i].In(test) {
			s |= bit
		}
	}
	return s
}

// names are those of the set.
func (s situations) names(all []Situation) []string {
	var names []string
	for i := range all {
		if s&(1<<i) != 0 {
			names = append(names, all[i].Name)
		}
	}
	return names
}

// Exercise is the part that observers share: whether their promise was put to the test, and in which of the rule's situations it was kept.
type Exercise struct {
	exercised bool
	// tested: the present step puts the promise to the test.
	tested bool
	all    []Situation
	seen   situations
	// doubted is what may explain that something was not done in time; nil if nothing was late.
	doubted *history.Standstill
}

// Exercised implements Observer.
func (e *Exercise) Exercised() bool { return e.exercised }

// PutToTest takes note that there was something to decide in this step.
func (e *Exercise) PutToTest() { e.exercised, e.tested = true, true }

// Doubt takes note that something was not done in time, which the standstill may explain.
func (e *Exercise) Doubt(standstill *history.Standstill) { e.doubted = cmp.Or(e.doubted, standstill) }

// fulfilled takes note that what was owed was done.
func (e *Exercise) fulfilled(in situations) {
	e.exercised = true
	e.seen |= in
}

// settle ends the step. What was broken in it was not kept.
func (e *Exercise) settle(scene *Scene, kept bool) {
	if e.tested && kept {
		e.seen = e.seen.in(e.all, scene.test())
	}
	e.tested = false
}

func (e *Exercise) exercises() []*Exercise { return []*Exercise{e} }

// test is what the step may put rules to.
func (s *Scene) test() Test {
	pod := (*Pod)(nil)
	switch {
	case s.Created != nil:
		pod = s.Created.Pod
	case s.Removed != nil:
		pod = s.Removed.Pod
	case s.Patched != nil:
		pod = s.Patched.Pod
	case s.Status != nil:
		return Test{Scene: s, Workload: s.Status.Workload}
	case s.Rolled != nil:
		return Test{Scene: s, Workload: s.Rolled}
	default:
		return Test{Scene: s, Workload: s.only()}
	}
	return Test{Scene: s, Workload: pod.Workload, Node: pod.Node}
}

// only is the one DaemonSet there is; nil if there are several.
func (s *Scene) only() *Workload {
	if len(s.memory.workloads) != 1 {
		return nil
	}
	for _, w := range s.memory.workloads {
		return w
	}
	return nil
}
