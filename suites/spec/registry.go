package spec

import (
	"context"
	"fmt"
	"strings"

	"github.com/onsi/ginkgo/v2"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/scenario"
)

// Spec is one registered spec.
type Spec struct {
	// Text is its promise in words, behind the name of its family. Recordings know their spec by it.
	Text string
	// Decides are the requirements whose verdicts it gives.
	Decides []requirements.ID
	// Play plays the scenario.
	Play func(ctx context.Context, c *Case)
	// Check asks the recording; nil if the standing rules alone decide.
	Check func(c *Checks)

	wants wants
}

// MainPath reports whether the spec is a main path of its family.
func (s *Spec) MainPath() bool { return s.wants.mainPath }

// InEverySample reports whether no sample of the suites leaves the spec out: a main path, and what only nodes with a kubelet show.
func (s *Spec) InEverySample() bool { return s.wants.mainPath || s.wants.nodes == scenario.Real }

// registered are the specs of Ginkgo's tree, of which a process has one, by their texts.
var registered = map[string]*Spec{}

// Registered returns the spec with that text, nil if there is none. Specs are there once Ginkgo has built its tree.
func Registered(text string) *Spec { return registered[text] }

// register takes a spec in. Two of the same text could not be told apart.
func register(s *Spec) {
	// The outermost container of Ginkgo's tree has no text.
	family := strings.Join(ginkgo.CurrentTreeConstructionNodeReport().ContainerHierarchyTexts, " ")
	s.Text = strings.TrimSpace(family + " " + s.Text)
	if registered[s.Text] != nil {
		panic(fmt.Sprintf("two specs are called %q", s.Text))
	}
	registered[s.Text] = s
}
