package run

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/formats"
)

func TestShardsHaveEverySpecOnceAndAboutAsManyEach(t *testing.T) {
	texts := strings.Split("jcahbidegf", "")
	const count = 4
	var all []string
	for index := 1; index <= count; index++ {
		in, out := shardOf(texts, reports.Shard{Index: index, Count: count})
		if len(in) < len(texts)/count || len(in) > len(texts)/count+1 || len(in)+len(out) != len(texts) {
			t.Errorf("shard %d of %d has %q, and %q are others'", index, count, in, out)
		}
		all = append(all, in...)
	}
	if slices.Sort(all); !slices.Equal(all, slices.Sorted(slices.Values(texts))) {
		t.Errorf("all shards together have %q, want each of %q once", all, texts)
	}
}

func TestAShardDoesNotDependOnTheOrderOfTheSpecs(t *testing.T) {
	texts := strings.Split("abcdefg", "")
	shard := reports.Shard{Index: 2, Count: 3}
	in, _ := shardOf(texts, shard)
	slices.Reverse(texts)
	again, _ := shardOf(texts, shard)
	if slices.Reverse(again); !slices.Equal(in, again) {
		t.Errorf("the shard is %q, and %q for the same specs in another order", in, again)
	}
}

func TestARunOfAShardSaysWhatOthersRun(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	specs := told()
	seen := 0
	for index := 1; index <= 2; index++ {
		selected, err := options{skip: patterns{"AVAIL"}, shard: &reports.Shard{Index: index, Count: 2}}.selection(catalogue, specs)
		if err != nil {
			t.Fatal(err)
		}
		if len(selected.flags()) == 0 {
			t.Errorf("shard %d would run all specs", index)
		}
		seen += len(selected.texts)
		r := &suiteRun{selection: selected, catalogue: catalogue}
		for _, report := range specs {
			want := reports.InAnotherShard
			switch {
			case selected.selects(report):
				continue
			case report.LeafNodeLabels[0] == "AVAIL-001":
				want = reports.NotSelected
			}
			if verdict, reason := r.verdictWithoutRun(t.Context())(report, requirements.ID(report.LeafNodeLabels[0])); verdict != reports.NotRun || reason != want {
				t.Errorf("%s: %s, %s: want not run, %s", report.FullText(), verdict, reason, want)
			}
		}
	}
	if seen != 3 {
		t.Errorf("two shards select %d of three specs that are not skipped", seen)
	}
	_, err = options{shard: &reports.Shard{Index: 9, Count: 9}}.selection(catalogue, specs)
	if !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), "leaves no spec") {
		t.Errorf("more shards than specs: %v", err)
	}
}

func TestAShardIsOneOfSeveralWithTheSameSeed(t *testing.T) {
	for _, row := range []struct{ args, want string }{
		{"-shard=0/4", "such as 2/4"},
		{"-shard=5/4", "such as 2/4"},
		{"-shard=2", "such as 2/4"},
		{"-shard=a/b", "such as 2/4"},
		{"-shard=2/4/6", "such as 2/4"},
		{"-shard=2/4", "-seed"},
		{"-shard=2/4 -seed=1", ""},
	} {
		_, err := parseRun(append(strings.Fields(row.args), "-artifacts="+t.TempDir()), io.Discard)
		switch {
		case row.want == "" && err != nil:
			t.Errorf("%s: %v", row.args, err)
		case row.want != "" && (!errors.As(err, new(usageError)) || !strings.Contains(err.Error(), row.want)):
			t.Errorf("%s: got %v, want %q in it", row.args, err, row.want)
		}
	}
}

// shardFolder is the folder of a run of a shard that recorded one thing.
func shardFolder(t *testing.T, catalogue *requirements.Catalogue, index int) string {
	t.Helper()
	folder := t.TempDir()
	report, err := reports.Assemble(reports.Run{
		Catalogue:  catalogue.All(),
		Provenance: reports.Provenance{Seed: 7, Shard: &reports.Shard{Index: index, Count: 2}},
		Outcomes:   []reports.Outcome{{Requirement: "SURGE-001", Spec: fmt.Sprintf("spec %d", index), Verdict: reports.Pass}},
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := formats.WriteFiles(folder, report); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{fmt.Sprintf("recordings/of-%d.jsonl", index), "logs/implementation.log"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(folder, file)), 0o755); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(folder, file), file)
	}
	return folder
}

func TestMergedShardsAreInOneFolder(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	first, second, merged := shardFolder(t, catalogue, 1), shardFolder(t, catalogue, 2), filepath.Join(t.TempDir(), "merged")
	var out bytes.Buffer
	code, err := mergeShards([]string{"-artifacts=" + merged, second, first}, &out)
	if err != nil || code != exitConformant {
		t.Fatalf("exit code %d, %v; output:\n%s", code, err, out.String())
	}
	if !strings.Contains(out.String(), "requirements: 1 passed, 0 failed") {
		t.Errorf("output:\n%s", out.String())
	}
	for _, file := range []string{"report.yaml", "report.html", "junit.xml", "recordings/of-1.jsonl", "recordings/of-2.jsonl", "logs/shard-1/implementation.log", "logs/shard-2/implementation.log"} {
		if _, err := os.Stat(filepath.Join(merged, file)); err != nil {
			t.Error(err)
		}
	}
	for _, row := range []struct {
		args []string
		want string
	}{
		{nil, "name the folders of all shards"},
		{[]string{filepath.Join(first, "nowhere")}, "nowhere"},
		{[]string{first}, "missing: shard 2/2"},
		{[]string{"-artifacts=" + first, first, second}, "it is the folder of a shard"},
	} {
		if _, err := mergeShards(row.args, io.Discard); !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%q: got %v, want %q in it", row.args, err, row.want)
		}
	}
	if _, err := os.Stat(filepath.Join(first, "report.yaml")); err != nil {
		t.Errorf("what was refused took something away: %v", err)
	}
}
