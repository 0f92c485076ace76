package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2/reporters"
	"github.com/onsi/ginkgo/v2/types"
)

// run is what Kubernetes' tests made of an implementation.
type run struct {
	// Name is the implementation's, Subject that of the tests.
	Name    string `json:"name"`
	Subject string `json:"subject"`
	// Seconds is how long it took, from the start of the control plane to the end of the tests.
	Seconds float64 `json:"seconds"`
	// Tests are those that began, in the order of their names.
	Tests []test `json:"tests"`
}

// test is what became of one.
type test struct {
	Name string `json:"name"`
	// State is ginkgo's word for it.
	State   string  `json:"state"`
	Seconds float64 `json:"seconds"`
	// Says is the first line of why it failed.
	Says string `json:"says,omitempty"`
}

func (t test) passed() bool { return t.State == types.SpecStatePassed.String() }

// cutShort reports whether the test had to end before it was decided.
func (t test) cutShort() bool {
	return t.State == types.SpecStateTimedout.String() || t.State == types.SpecStateInterrupted.String() || t.State == types.SpecStateAborted.String()
}

// readTests reads the JUnit file of Kubernetes' tests. Tests that did not run, and what was done before and after all, are left out.
func readTests(path string) ([]test, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read what Kubernetes' tests found: %w", err)
	}
	var report reporters.JUnitTestSuites
	if err := xml.Unmarshal(text, &report); err != nil {
		return nil, fmt.Errorf("read what Kubernetes' tests found: %s: %w", path, err)
	}
	const ofSpec = "[It] "
	var tests []test
	for _, suite := range report.TestSuites {
		for _, c := range suite.TestCases {
			name, isSpec := strings.CutPrefix(c.Name, ofSpec)
			if !isSpec && (c.Failure != nil || c.Error != nil) {
				return nil, fmt.Errorf("the tests of Kubernetes did not begin or end well: %s: %s", c.Name, why(c))
			}
			if isSpec && c.Skipped == nil {
				tests = append(tests, test{Name: name, State: c.Status, Seconds: c.Time, Says: why(c)})
			}
		}
	}
	if len(tests) == 0 {
		return nil, errors.New("none of Kubernetes' tests ran")
	}
	slices.SortFunc(tests, func(a, b test) int { return strings.Compare(a.Name, b.Name) })
	return tests, nil
}

// why is the first line of the failure; empty if there is none.
func why(c reporters.JUnitTestCase) string {
	var text string
	switch {
	case c.Failure != nil:
		text = c.Failure.Description
	case c.Error != nil:
		text = c.Error.Description
	}
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
