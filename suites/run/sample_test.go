package run

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

func TestASampleHasWhatIsAlwaysInAndANumberOfTheOthers(t *testing.T) {
	texts := strings.Split("abcdefghij", "")
	always := func(text string) bool { return text == "c" || text == "h" }
	for n, want := range map[int]int{0: 2, 3: 5, 8: 10, 99: 10} {
		in, out := sample(texts, always, n, 7)
		if len(in) != want || !slices.Contains(in, "c") || !slices.Contains(in, "h") {
			t.Errorf("a sample of %d has %q, want c and h, and %d altogether", n, in, want)
		}
		if !slices.IsSorted(in) || !slices.Equal(slices.Sorted(slices.Values(slices.Concat(in, out))), texts) {
			t.Errorf("a sample of %d is %q and leaves out %q: that is not all, or in another order", n, in, out)
		}
	}
}

func TestASampleFollowsFromTheSeed(t *testing.T) {
	texts := strings.Split("abcdefghij", "")
	never := func(string) bool { return false }
	drawn := map[string]bool{}
	for seed := range int64(20) {
		in, _ := sample(texts, never, 3, seed)
		reversed := slices.Clone(texts)
		slices.Reverse(reversed)
		again, _ := sample(reversed, never, 3, seed)
		if slices.Reverse(again); !slices.Equal(in, again) {
			t.Errorf("seed %d draws %q, and then %q", seed, in, again)
		}
		for _, text := range in {
			drawn[text] = true
		}
	}
	if len(drawn) != len(texts) {
		t.Errorf("20 seeds draw none but %d of %d", len(drawn), len(texts))
	}
}

func TestARunOfASampleSaysSoAndWhatItLeftOut(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	n := 1
	specs := told()
	selected, err := options{skip: patterns{"AVAIL"}, sample: &n, seed: 5}.selection(catalogue, specs)
	if err != nil {
		t.Fatal(err)
	}
	if len(selected.texts) != 1 || len(selected.unsampled) != 2 || !strings.Contains(selected.reason, "a sample") || len(selected.flags()) == 0 {
		t.Errorf("selected %+v, want one of three that are not skipped", selected)
	}
	r := &suiteRun{selection: selected, catalogue: catalogue}
	for _, report := range specs {
		want := reports.NotSampled
		switch {
		case selected.selects(report):
			continue
		case report.LeafNodeLabels[0] == "AVAIL-001":
			want = reports.NotSelected
		}
		verdict, reason := r.verdictWithoutRun(t.Context())(report, requirements.ID(report.LeafNodeLabels[0]))
		if verdict != reports.NotRun || reason != want {
			t.Errorf("%s: %s, %s: want not-run, %s", report.FullText(), verdict, reason, want)
		}
	}
	none := 0
	if _, err := (options{sample: &none}).selection(catalogue, specs); err == nil || !strings.Contains(err.Error(), "leaves no spec") {
		t.Errorf("a sample of nothing: %v", err)
	}
}

// A sample is worth little without the main path of every family.
func TestEveryFamilyHasAMainPathAndKubeletsAreInEverySample(t *testing.T) {
	main, families := map[string]bool{}, map[string]bool{}
	for _, report := range specTree() {
		family, s := report.ContainerHierarchyTexts[0], spec.Registered(report.FullText())
		families[family] = true
		main[family] = main[family] || s.MainPath()
		if s.MainPath() && !inEverySample(s.Text) || family == "Kubelet" && !inEverySample(s.Text) {
			t.Errorf("%q is not in every sample", s.Text)
		}
	}
	for family := range families {
		if !main[family] {
			t.Errorf("family %s has no spec that is decorated with spec.MainPath: choose the one that shows what the family is about", family)
		}
	}
	if len(families) == 0 {
		t.Error("there are no specs")
	}
}

func TestASampleIsANumber(t *testing.T) {
	for text, valid := range map[string]bool{"0": true, "25": true, "-1": false, "25%": false, "": false} {
		if _, err := parseRun([]string{"-sample=" + text, "-artifacts=" + t.TempDir()}, &strings.Builder{}); (err == nil) != valid {
			t.Errorf("-sample=%s: %v", text, fmt.Sprint(err))
		}
	}
}
