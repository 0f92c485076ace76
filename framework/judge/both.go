package judge

import (
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Both joins the parts of a promise that has two.
func Both(a, b func(history.Header) Observer) func(history.Header) Observer {
	return func(header history.Header) Observer { return &both{a(header), b(header)} }
}

type both struct{ a, b Observer }

// Observe implements Observer.
func (o *both) Observe(s *Scene) []Violation { return append(o.a.Observe(s), o.b.Observe(s)...) }

// Exercised implements Observer.
func (o *both) Exercised() bool { return o.a.Exercised() || o.b.Exercised() }

func (o *both) exercises() []*Exercise { return append(o.a.exercises(), o.b.exercises()...) }

// Elapse implements Timed.
func (o *both) Elapse(s *Scene, next time.Time) []Violation {
	var violations []Violation
	for _, part := range []Observer{o.a, o.b} {
		if timed, ok := part.(Timed); ok {
			violations = append(violations, timed.Elapse(s, next)...)
		}
	}
	return violations
}

// Prohibited is the part of a rule that acts break: what is due is left out, where the rule has such a part.
func Prohibited(rule Rule) Rule {
	whole := rule.New
	rule.New = func(header history.Header) Observer {
		observer := whole(header)
		for {
			joined, isBoth := observer.(*both)
			if !isBoth {
				return observer
			}
			if _, isDue := joined.b.(*duties); !isDue {
				return observer
			}
			observer = joined.a
		}
	}
	return rule
}
