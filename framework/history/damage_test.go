package history_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

// unchained has the history written as older versions of rollcall did.
func unchained(h *history.History) *history.History {
	h.Version = history.Unchained
	return h
}

// unsealed is the recording as its maker leaves it until nothing more is to be added.
func unsealed(text string) string {
	return text[:strings.LastIndex(strings.TrimSuffix(text, "\n"), "\n")+1]
}

// TestDamageIsNamedByItsLine: a recording has a header, six entries, the proof, and the seal: nine lines.
func TestDamageIsNamedByItsLine(t *testing.T) {
	whole := recorded(t, written(t).History())
	lines := strings.SplitAfter(strings.TrimSuffix(whole, "\n"), "\n")
	old := strings.SplitAfter(strings.TrimSuffix(recorded(t, unchained(written(t).History())), "\n"), "\n")
	join := func(lines ...string) string { return strings.Join(lines, "") }
	from := func(lines []string, first int) string { return join(lines[first-1:]...) }
	to := func(lines []string, last int) string { return join(lines[:last]...) }
	renumbered := strings.NewReplacer(`{"n":5,`, `{"n":4,`, `{"n":6,`, `{"n":5,`, `{"n":7,`, `{"n":6,`, `{"n":8,`, `{"n":7,`, `{"n":9,`, `{"n":8,`)
	for name, test := range map[string]struct {
		text, damage string
		entries      int
	}{
		"none":                          {whole, "", 6},
		"no newline at the end":         {strings.TrimSuffix(whole, "\n"), "", 6},
		"cut between lines":             {to(lines, 5), "it was cut off after line 5", 4},
		"cut in a line":                 {to(lines, 5) + lines[5][:20], "it was cut off in line 6", 4},
		"cut before the seal":           {to(lines, 8), "it was cut off after line 8", 6},
		"cut behind the header":         {to(lines, 1), "it was cut off after line 1", 0},
		"a line taken out":              {to(lines, 3) + from(lines, 5), "line 4 was taken out", 2},
		"lines taken out":               {to(lines, 3) + from(lines, 7), "lines 4 to 6 were taken out", 2},
		"a line out, others renumbered": {to(lines, 3) + renumbered.Replace(from(lines, 5)), "line 4 was changed, or does not belong there", 2},
		"a line twice":                  {to(lines, 4) + from(lines, 4), "line 5 was added or moved: it says that it is number 4", 3},
		"two lines exchanged":           {join(to(lines, 3), lines[4], lines[3], from(lines, 6)), "line 4 was taken out", 2},
		"a line changed":                {strings.Replace(whole, `"nodeName":"node-1"`, `"nodeName":"node-2"`, 1), "line 5 was changed, or does not belong there", 3},
		"a digest changed":              {to(lines, 5) + strings.Replace(lines[5], `"sum":"`, `"sum":"0`, 1) + from(lines, 7), "line 6 was changed, or does not belong there", 4},
		"a line without its digest":     {to(lines, 5) + strings.Split(lines[5], `,"sum"`)[0] + "}\n" + from(lines, 7), "line 6 was changed, or does not belong there", 4},
		"a line that is no JSON":        {to(lines, 5) + "{\"rv\": 7,\n" + from(lines, 7), "line 6 was changed: ", 4},
		"a line behind the seal":        {whole + "\n" + lines[3], "line 10 was added behind the end", 6},
		"the seal moved up":             {to(lines, 5) + strings.Replace(lines[8], `"n":9`, `"n":6`, 1) + "\n", "line 6 was changed, or does not belong there", 4},
		"a line of a chain among old":   {to(old, 3) + lines[3] + from(old, 5), "line 4 was changed, or does not belong there", 2},
		"old, none":                     {to(old, 8), "", 6},
		"old, without numbers":          {regexp.MustCompile(`(?m)^\{"n":\d+,`).ReplaceAllString(to(old, 8), "{"), "", 6},
		"old, cut in a line":            {to(old, 5) + old[5][:20], "it was cut off in line 6", 4},
		"old, a line taken out":         {to(old, 3) + from(old, 5), "line 4 was taken out", 2},
	} {
		t.Run(name, func(t *testing.T) {
			h := read(t, test.text)
			if (h.Damage == "") != (test.damage == "") || !strings.HasPrefix(h.Damage, test.damage) {
				t.Errorf("damage %q, want %q", h.Damage, test.damage)
			}
			if len(h.Entries) != test.entries {
				t.Errorf("%d entries, want %d", len(h.Entries), test.entries)
			}
			if err := h.Write(&strings.Builder{}); (err == nil) != (test.damage == "") {
				t.Errorf("written anew: %v", err)
			}
		})
	}
}

// TestWhatIsAddedToARecordingIsOfItsChain: the authors and the health are added when the recorder has ended, and the seal last of all.
func TestWhatIsAddedToARecordingIsOfItsChain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	if err := os.WriteFile(path, []byte(unsealed(recorded(t, historytest.SurgeRollout(t, 1)))), 0o600); err != nil {
		t.Fatal(err)
	}
	h, err := history.OpenUnsealed(path)
	if err != nil || h.Damage != "" {
		t.Fatal(err, h.Damage)
	}
	if err := h.AppendAuthors(path, history.AuthorsFromAuditLog, history.Attribution{}); err != nil {
		t.Fatal(err)
	}
	if err := h.AppendHealth(path, history.Health{Ended: "exit status 2"}); err != nil {
		t.Fatal(err)
	}
	if cut, err := history.Open(path); err != nil || !strings.HasPrefix(cut.Damage, "it was cut off after line") {
		t.Errorf("before it is sealed: %v, damage %q", err, cut.Damage)
	}
	if err := h.Seal(path); err != nil {
		t.Fatal(err)
	}
	if whole, err := history.Open(path); err != nil || whole.Damage != "" || whole.Health.Ended != "exit status 2" || whole.Authors != history.AuthorsFromAuditLog {
		t.Errorf("sealed: %v, %+v", err, whole)
	}
}
