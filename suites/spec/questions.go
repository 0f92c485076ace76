package spec

import (
	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/matchers"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// Questions are what the spec itself asks for a requirement, in words, and what it builds on. Nodes and pods that only a scenario chooses are called by
// the name that it binds them to. all is false if some questions cannot be listed without a recording.
func (s *Spec) Questions(id requirements.ID) (given, asked []string, all bool) {
	c := &Checks{h: &history.History{}, decides: s.Decides, listing: true}
	all = s.list(c)
	for _, matcher := range c.given {
		given = append(given, matchers.Promise(matcher))
	}
	for _, check := range c.checks {
		if check.id == id {
			asked = append(asked, matchers.Promise(check.matcher))
		}
	}
	return given, asked, all
}

// list has the checks name their questions. What they do with a name that stands for what a scenario chose may not be possible.
func (s *Spec) list(c *Checks) (all bool) {
	defer func() {
		if recover() != nil {
			all = false
		}
	}()
	if s.Check != nil {
		s.Check(c)
	}
	return true
}
