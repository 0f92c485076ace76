package run

import (
	"fmt"
	"io"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/framework/story"
)

// judgeRecordings is `rollcall judge`: the standing invariants, on recordings from anywhere.
func judgeRecordings(args []string, out io.Writer) (int, error) {
	flags := newFlags("judge", out)
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() == 0 {
		return exitUsage, usagef("name the recordings to judge, such as _artifacts/recordings/*.jsonl")
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return exitHarness, err
	}
	code := exitConformant
	for _, path := range flags.Args() {
		h, err := history.Open(path)
		if err != nil {
			return exitUsage, usageError{err}
		}
		code = worse(code, tellVerdicts(out, catalogue, path, h))
	}
	return code, nil
}

// worse is the more serious of two exit codes: a failure is one whatever else could not be decided.
func worse(a, b int) int {
	if a == exitNotConformant || b == exitNotConformant {
		return exitNotConformant
	}
	return max(a, b)
}

func tellVerdicts(out io.Writer, catalogue *requirements.Catalogue, path string, h *history.History) int {
	fmt.Fprintf(out, "%s: %s (%d events)\n", path, h.Scenario, len(h.Entries))
	code := exitConformant
	for _, verdict := range judge.Run(h, rules.All()) {
		requirement, _ := catalogue.Get(verdict.Requirement)
		switch {
		case verdict.Outcome == judge.Broken:
			code = exitNotConformant
			for _, violation := range verdict.Violations {
				fmt.Fprintln(out, story.Of(h, violation, story.Options{Statement: requirement.Statement, Spec: h.Scenario, Recording: path, Unicode: true}))
			}
		case verdict.Outcome == judge.Inconclusive:
			code = worse(code, exitHarness)
			fmt.Fprintf(out, "  %-12s inconclusive: %s\n", verdict.Requirement, verdict.Reason)
		case verdict.Exercised:
			fmt.Fprintf(out, "  %-12s holds\n", verdict.Requirement)
		default:
			fmt.Fprintf(out, "  %-12s not put to the test\n", verdict.Requirement)
		}
	}
	return code
}
