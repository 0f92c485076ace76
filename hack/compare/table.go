package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/hack/internal/trial"
)

// writeTable writes Markdown: the shares, the runs without a defect, what was left out, and a row for each variant.
func writeTable(out io.Writer, r results, candidates int) error {
	var text strings.Builder
	writeShares(&text, r, candidates)
	writeBaselines(&text, r)
	writeRows(&text, r)
	if _, err := io.WriteString(out, text.String()); err != nil {
		return fmt.Errorf("write the table: %w", err)
	}
	return nil
}

// writeList writes what is to be tried.
func writeList(out io.Writer, chosen []variant) error {
	for _, v := range chosen {
		if _, err := fmt.Fprintf(out, "%s\t%s\t%s\n", v.name, v.subject.name, strings.Join(v.breaks, " ")); err != nil {
			return fmt.Errorf("write the list: %w", err)
		}
	}
	return nil
}

func writeShares(out *strings.Builder, r results, candidates int) {
	fmt.Fprintf(out, "%d of %d broken variants that Kubernetes' tests could find out.\n\n", len(r.rows), candidates)
	fmt.Fprintln(out, "| broken controllers of | compared | caught by Kubernetes' tests | caught by rollcall | a run of Kubernetes' tests | a run of rollcall |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|")
	for _, each := range subjects() {
		var compared []row
		for _, one := range r.rows {
			if one.variant.subject == each && one.compared() {
				compared = append(compared, one)
			}
		}
		if len(compared) == 0 {
			continue
		}
		theirs := count(compared, func(one row) bool { return len(one.failed) > 0 })
		ours := count(compared, func(one row) bool { return one.rollcall.Proven })
		fmt.Fprintf(out, "| %s | %d | %s | %s | %.0f s | %.0f s |\n", each.name, len(compared), share(theirs, len(compared)), share(ours, len(compared)),
			trial.Median(compared, func(one row) float64 { return one.kubernetes.Seconds }), trial.Median(compared, func(one row) float64 { return one.rollcall.Seconds }))
	}
}

func writeBaselines(out *strings.Builder, r results) {
	fmt.Fprintf(out, "\n| tests of | run against | runs | tests that count | passed each time | seconds |\n|---|---|---|---|---|---|\n")
	for _, each := range subjects() {
		b := r.baselines[each.name]
		for _, name := range []string{kubernetesOwn, reference} {
			var took []string
			failed := map[string]bool{}
			for _, made := range r.runs {
				if made.Name != name || made.Subject != each.name {
					continue
				}
				took = append(took, fmt.Sprintf("%.0f", made.Seconds))
				for _, t := range made.Tests {
					if !t.passed() && slices.Contains(b.counts, t.Name) {
						failed[t.Name] = true
					}
				}
			}
			if len(took) > 0 {
				fmt.Fprintf(out, "| %s | %s | %d | %d | %d | %s |\n", each.name, name, len(took), len(b.counts), len(b.counts)-len(failed), strings.Join(took, ", "))
			}
		}
	}
	fmt.Fprintf(out, "\n| left out: both fail it on simulated nodes | it says |\n|---|---|\n")
	for _, each := range subjects() {
		for _, t := range r.baselines[each.name].leftOut {
			fmt.Fprintf(out, "| %s | %s |\n", short(t.Name), cell(t.Says))
		}
	}
	for _, each := range subjects() {
		for _, t := range r.baselines[each.name].ownFails {
			fmt.Fprintf(out, "\nkube-controller-manager fails %s: %s\n", short(t.Name), t.Says)
		}
		for _, t := range r.baselines[each.name].referenceFails {
			fmt.Fprintf(out, "\nThe reference fails %s: %s\n", short(t.Name), t.Says)
		}
	}
}

func writeRows(out *strings.Builder, r results) {
	fmt.Fprintf(out, "\n| broken variant | what it does | Kubernetes' tests | seconds | rollcall | seconds |\n|---|---|---|---|---|---|\n")
	rows := slices.SortedFunc(slices.Values(r.rows), func(a, b row) int { return cmp.Compare(a.variant.name, b.variant.name) })
	for _, one := range rows {
		theirs, theirTime, ours, ourTime := "not tried", "", "not tried", ""
		if one.kubernetes != nil {
			theirs, theirTime = one.verdict(), fmt.Sprintf("%.0f", one.kubernetes.Seconds)
		}
		if one.rollcall != nil {
			ours, ourTime = "not caught: "+one.rollcall.Verdict, fmt.Sprintf("%.0f", one.rollcall.Seconds)
			if one.rollcall.Proven {
				ours = "caught: " + strings.Join(one.variant.breaks, " ")
			}
		}
		fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", one.variant.name, cell(one.variant.says), theirs, theirTime, ours, ourTime)
	}
}

// verdict is what Kubernetes' tests made of the variant, in a few words.
func (r row) verdict() string {
	switch {
	case len(r.failed) > 0:
		var names []string
		for _, t := range r.failed {
			names = append(names, short(t.Name))
		}
		return "caught: " + strings.Join(names, "; ")
	case !r.decided:
		return "ended too early to say"
	}
	return "not caught"
}

// tag is what Kubernetes' tests have in brackets in their names.
var tag = regexp.MustCompile(`\s*\[[^\]]*\]`)

// short is a test's name without what is in brackets.
func short(name string) string { return strings.TrimSpace(tag.ReplaceAllString(name, "")) }

// cell is a text for a table of Markdown.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func share(n, of int) string { return fmt.Sprintf("%d (%.0f %%)", n, 100*float64(n)/float64(of)) }

func count(rows []row, which func(row) bool) (n int) {
	for _, one := range rows {
		if which(one) {
			n++
		}
	}
	return n
}
