package paragraph_test

import (
	"slices"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

func TestWrapKeepsWordsWholeWhereTheyFit(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text string
		want []string
	}{
		"nothing":                       {"", nil},
		"white space alone":             {" \n\t", nil},
		"a line that just fits":         {"four five", []string{"four five"}},
		"a line one character too long": {"four fives", []string{"four", "fives"}},
		"a word longer than a line":     {"a abcdefghijkl b", []string{"a", "abcdefghi", "jkl b"}},
		"characters, not bytes":         {"▲▲▲▲ ███╳", []string{"▲▲▲▲ ███╳"}},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := paragraph.Wrap(test.text, 9); !slices.Equal(got, test.want) {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestHangPutsLaterLinesUnderTheFirst(t *testing.T) {
	t.Parallel()
	if got, want := paragraph.Hang("got", "one two three", 5, 12), "got  one two\n     three\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got, want := paragraph.Hang("got", "", 5, 12), "got\n"; got != want {
		t.Errorf("for no text got %q, want %q", got, want)
	}
}

func TestPrintableLeavesNothingThatATerminalOrXMLMinds(t *testing.T) {
	t.Parallel()
	cases := map[string]struct{ text, want string }{
		"plain text stays":         {"a line\n\tand ▲", "a line\n\tand ▲"},
		"colours go":               {"\x1b[1;31mred\x1b[0m", "red"},
		"control characters go":    {"a\x00b\ac\x7fd\re\u0085f", "abcdef"},
		"turns of direction go":    {"a\u202eb", "ab"},
		"a lone escape goes":       {"a\x1bb", "ab"},
		"broken UTF-8 is replaced": {"a\xffb", "a\ufffdb"},
		"non-characters go":        {"a\ufffeb\uffffc", "abc"},
	}
	for name, test := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := paragraph.Printable(test.text); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
