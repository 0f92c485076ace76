package spec

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Checks are what a spec asks of its recording once the scenario is over. They see the recording and nothing else, so that anybody can ask them again:
// what the scenario chose on the way it has bound to names.
type Checks struct {
	h       *history.History
	decides []requirements.ID
	// listing: nothing is asked, and the names that scenarios bind stand for what they are bound to.
	listing bool

	given    []matchers.Matcher
	checks   []check
	observed []func(*history.History) string
}

// check is a spec's own question about a requirement.
type check struct {
	id      requirements.ID
	matcher matchers.Matcher
}

// Given is what the scenario builds on. Where it is not met nothing is decided, and nobody is to blame.
func (c *Checks) Given(all ...matchers.Matcher) { c.given = append(c.given, all...) }

// Decide asks for what the requirement promises in this scenario. All matchers must hold. A requirement that a standing rule decides needs no Decide.
func (c *Checks) Decide(id requirements.ID, all ...matchers.Matcher) {
	if !slices.Contains(c.decides, id) {
		panic(harnessError(fmt.Sprintf("the spec decides %s without declaring it", id)))
	}
	for _, matcher := range all {
		c.checks = append(c.checks, check{id: id, matcher: matcher})
	}
}

// Observe notes for the report what decides nothing but is worth knowing.
func (c *Checks) Observe(read func(*history.History) string) { c.observed = append(c.observed, read) }

// Bound returns the one thing that the scenario bound to the name: see scenario.Scenario.Bind.
func (c *Checks) Bound(name string) string {
	values := c.BoundAll(name)
	if len(values) != 1 {
		panic(harnessError(fmt.Sprintf("the scenario bound %d things to %q, want one", len(values), name)))
	}
	return values[0]
}

// BoundAll returns what the scenario bound to the name, in its order.
func (c *Checks) BoundAll(name string) []string {
	if c.listing {
		return []string{"«" + name + "»"}
	}
	values, bound := c.h.Bindings[name]
	if !bound {
		panic(harnessError(fmt.Sprintf("the scenario bound nothing to %q", name)))
	}
	return values
}

// Nodes is how many nodes the scenario was given that takes this many at first: see scenario.Scenario.TakeNodes.
func (c *Checks) Nodes(count scenario.NodeCount) int {
	if c.listing {
		return count.Likes
	}
	taken := 0
	for i := range c.h.Entries {
		if stimulus := c.h.Entries[i].Stimulus; stimulus != nil && stimulus.Act == history.AddNode {
			taken++
		}
	}
	return taken - count.Later
}

// RevisionLabel is the label by which the implementation tells revisions apart.
func (c *Checks) RevisionLabel() string { return c.h.RevisionLabel }

// harnessError is what checks panic with when the spec itself is wrong.
type harnessError string

// ask collects the checks for a recording. The error says what is wrong with the spec.
func (s *Spec) ask(h *history.History) (c *Checks, failure string) {
	c = &Checks{h: h, decides: s.Decides}
	defer func() {
		switch reason := recover().(type) {
		case nil:
		case harnessError:
			failure = "harness: " + string(reason)
		default:
			failure = fmt.Sprintf("harness: the checks panicked: %v", reason)
		}
	}()
	if s.Check != nil {
		s.Check(c)
	}
	return c, ""
}
