package matchers

import (
	"fmt"
	"time"
)

// AsSoonAs asks that reaction follows cause, the first of each, at most slack later than it did elsewhere: than like.Reaction followed like.Cause. Where one of
// the four does not happen it is not tested. It is for what no document gives a time for, and what must not depend on something else.
func AsSoonAs(slack time.Duration, like, asked Reaction) Matcher {
	return question{
		promise:  fmt.Sprintf("%s after %s at most %s later than %s after %s", asked.To, asked.From, slack, like.To, like.From),
		subjects: []Event{asked.From, asked.To}, bounds: []Event{like.From, like.To},
		ask: func(s *Survey, _ string) Answer {
			usual, missing := like.took(s)
			if missing == "" {
				var took time.Duration
				if took, missing = asked.took(s); missing == "" && took > usual+slack {
					from, to := asked.From.find(s)[0], asked.next(s)[0]
					got := fmt.Sprintf("%s after %.3f s, and the other after %.3f s", asked.To, took.Seconds(), usual.Seconds())
					if late, standstill := s.late(from.At, to.At, usual+slack); !late {
						return untested("%s: %s", got, standstill)
					}
					// Heard of late, the other's cause seems to have been answered sooner than it was.
					if answer, excused := s.excused(got, like.From.find(s)[0].At); excused {
						return answer
					}
					return wrong(got, to, from)
				}
			}
			return Answer{Untested: missing}
		},
	}
}

// Reaction is that To follows From.
type Reaction struct{ From, To Event }

// next are the occurrences of To after the first of From.
func (r Reaction) next(s *Survey) []Occurrence {
	begun := r.From.find(s)
	if len(begun) == 0 {
		return nil
	}
	return keep(r.To.find(s), func(o Occurrence) bool { return o.compare(begun[0]) > 0 })
}

// took is how long the reaction took, or what is missing.
func (r Reaction) took(s *Survey) (took time.Duration, missing string) {
	next := r.next(s)
	if len(next) == 0 {
		return 0, fmt.Sprintf("no %s after %s", r.To, r.From)
	}
	return next[0].At.Sub(r.From.find(s)[0].At), ""
}
