package run

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
	"github.com/rollcall-conformance/rollcall/framework/cluster/kind"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

// examineMachine is `rollcall doctor`: what this machine lacks, for which provider, and what to do about it.
func examineMachine(ctx context.Context, args []string, out io.Writer) (int, error) {
	flags := newFlags("doctor", out)
	describe(flags, `rollcall doctor

Looks at what runs take that rollcall cannot bring along, and says what is missing for which provider, with the fix. It starts and changes nothing.

Exit code: 0 at least one provider has what it takes, 3 none has.
`)
	version := flags.String("kubernetes-version", "", "Kubernetes version that is to be run, such as 1.36.3 (default: the newest one rollcall knows)")
	if err := parseFlagsOnly(flags, args); err != nil {
		return exitUsage, err
	}
	checkups, err := embeddedCheckups(ctx, *version)
	if err != nil {
		return exitUsage, usagef("-kubernetes-version: %w", err)
	}
	well := false
	for _, provider := range []struct {
		name     string
		checkups []checkup
	}{{embedded.ProviderName, checkups}, {kind.ProviderName, kindCheckups(ctx, *version)}} {
		well = printCheckups(out, provider.name, provider.checkups) || well
	}
	if !well {
		return exitHarness, nil
	}
	return exitConformant, nil
}

// checkup is one thing that was looked at.
type checkup struct {
	// what was looked at, and what was found.
	what, found string
	// fix says what to do; empty if it is well.
	fix string
	// warning: a run may do without.
	warning bool
}

// printCheckups prints what was found and reports whether runs have what they take.
func printCheckups(out io.Writer, provider string, all []checkup) (well bool) {
	var text strings.Builder
	well = true
	for _, c := range all {
		mark := "ok"
		switch {
		case c.fix != "" && c.warning:
			mark = "warning"
		case c.fix != "":
			mark, well = "missing", false
		}
		line := c.what + ": " + c.found
		if c.fix != "" {
			line += "; " + c.fix
		}
		text.WriteString(paragraph.Hang("  "+mark, line, 11, summaryColumns))
	}
	answer := map[bool]string{true: "can run here", false: "cannot run here yet"}[well]
	fmt.Fprintf(out, "provider %s %s\n%s", provider, answer, text.String())
	return well
}
