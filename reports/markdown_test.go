package reports_test

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/goldentest"
)

func TestMarkdownReadsLikeThis(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := reports.WriteMarkdown(&out, assemble(t, exampleRun())); err != nil {
		t.Fatal(err)
	}
	goldentest.Equal(t, filepath.Join("testdata", "summary-not-conformant.md"), out.String())
}

func TestMarkdownShowsHostileTextsAsTheyAre(t *testing.T) {
	t.Parallel()
	run := exampleRun()
	run.Implementation.Name = "<img src=x> [a](javascript:b) | `c` @d\n# e"
	var out strings.Builder
	if err := reports.WriteMarkdown(&out, assemble(t, run)); err != nil {
		t.Fatal(err)
	}
	if want := "&lt;img src=x&gt; \\[a\\](javascript:b) \\| \\`c\\` &#64;d \\# e is "; !strings.Contains(out.String(), want) {
		t.Errorf("got\n%s\nwant %s", out.String(), want)
	}
}
