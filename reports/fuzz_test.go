package reports_test

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
)

// FuzzReadYAML reads any text as a report, such as one that somebody sent. What is one can be written in every form, and reads the same again.
func FuzzReadYAML(f *testing.F) {
	report, err := reports.Assemble(exampleRun())
	if err != nil {
		f.Fatal(err)
	}
	var out bytes.Buffer
	if err := reports.WriteYAML(&out, report); err != nil {
		f.Fatal(err)
	}
	f.Add(out.Bytes())
	f.Add([]byte("apiVersion: rollcall.dev/v1alpha1\nkind: ConformanceReport\nrequirements: [{id: A-1, verdict: pass}]\n"))
	f.Add([]byte("&a [*a, *a]"))
	f.Fuzz(func(t *testing.T, text []byte) {
		report, err := reports.ReadYAML(bytes.NewReader(text))
		if err != nil {
			return
		}
		for _, result := range report.Requirements {
			for _, violation := range result.Violations {
				_ = reports.Story(result.Requirement, violation, reports.StoryOptions{})
			}
		}
		if err := errors.Join(reports.WriteMarkdown(io.Discard, report), reports.WriteJUnit(io.Discard, report), reports.WriteAnnotations(io.Discard, report)); err != nil {
			t.Error(err)
		}
		var first, second bytes.Buffer
		if err := reports.WriteYAML(&first, report); err != nil {
			t.Fatal(err)
		}
		again, err := reports.ReadYAML(bytes.NewReader(first.Bytes()))
		if err != nil {
			t.Fatalf("what was written does not read: %v", err)
		}
		if err := reports.WriteYAML(&second, again); err != nil || !bytes.Equal(first.Bytes(), second.Bytes()) {
			t.Errorf("%v: written anew it is another report", err)
		}
	})
}
