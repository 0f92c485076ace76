package suites_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var quotedSpec = regexp.MustCompile("(?s)`(suites/[^`]+)`:\n\n```go\n(.*?)```")

func TestTheGuideQuotesASpecThatIsThere(t *testing.T) {
	guide, err := os.ReadFile(filepath.Join("..", "docs", "adding-a-spec.md"))
	if err != nil {
		t.Fatal(err)
	}
	quotes := quotedSpec.FindAllStringSubmatch(string(guide), -1)
	if len(quotes) == 0 {
		t.Fatal("no spec is quoted")
	}
	for _, quote := range quotes {
		source, err := os.ReadFile(filepath.Join("..", quote[1]))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(withoutIndent(string(source)), withoutIndent(quote[2])) {
			t.Errorf("%s has no such spec:\n%s", quote[1], quote[2])
		}
	}
}

func withoutIndent(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = strings.TrimLeft(line, "\t")
	}
	return strings.Join(lines, "\n")
}
