package run

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// TestAnEmptyRecordingAmongOthersKeepsNobodyFromJudging: a full disk leaves one.
func TestAnEmptyRecordingAmongOthersKeepsNobodyFromJudging(t *testing.T) {
	folder := t.TempDir()
	var whole, out bytes.Buffer
	if err := broken(t).Write(&whole); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, "a.jsonl"), "")
	write(t, filepath.Join(folder, "b.jsonl"), whole.String())
	code, err := dispatch(context.Background(), "judge", []string{folder}, &out)
	if err != nil || code != exitNotConformant && code != exitHarness || !strings.Contains(out.String(), "a.jsonl: nothing was recorded") || !strings.Contains(out.String(), "the implementation") {
		t.Errorf("exit code %d, %v:\n%s", code, err, out.String())
	}
}

// brokenBefore goes on for longer than a watch may be late.
func brokenBefore(t *testing.T) *history.History {
	b := surgeOfOne(t, false).After(3 * time.Second)
	b.Node("node-2").Join()
	return b.History()
}

// TestADamagedRecordingShowsWhatItStillHolds: what was visible before the damage stays a violation; without one, nothing is decided.
func TestADamagedRecordingShowsWhatItStillHolds(t *testing.T) {
	changed := func(text string, n int) string {
		lines := strings.SplitAfter(text, "\n")
		lines[n-1] = strings.Replace(lines[n-1], `"received":`, `"received":1`, 1)
		return strings.Join(lines, "")
	}
	cutBefore := func(text string, n int) string { return strings.Join(strings.SplitAfter(text, "\n")[:n-1], "") }
	for name, test := range map[string]struct {
		history *history.History
		damage  func(text string, last int) string
		code    int
		says    string
	}{
		"lawful, changed":                {lawful(t), func(text string, _ int) string { return changed(text, 4) }, exitHarness, "it is not whole: line 4 was changed"},
		"lawful, cut":                    {lawful(t), cutBefore, exitHarness, "it is not whole: it was cut off after line"},
		"broken, changed before it":      {broken(t), func(text string, _ int) string { return changed(text, 4) }, exitHarness, "it is not whole: line 4 was changed"},
		"broken, the seal cut behind it": {broken(t), cutBefore, exitNotConformant, "SURGE-006 broken"},
		"broken at the very end, cut":    {broken(t), func(text string, last int) string { return cutBefore(text, last-1) }, exitHarness, "it was cut off after line"},
		"broken before that, cut":        {brokenBefore(t), func(text string, last int) string { return cutBefore(text, last-1) }, exitNotConformant, "SURGE-006 broken"},
	} {
		t.Run(name, func(t *testing.T) {
			test.history.Features = []string{string(requirements.DaemonSet), string(requirements.Surge)}
			var whole, out bytes.Buffer
			if err := test.history.Write(&whole); err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "recording.jsonl")
			write(t, path, test.damage(whole.String(), strings.Count(whole.String(), "\n")))
			code, err := dispatch(context.Background(), "judge", []string{path}, &out)
			if err != nil || code != test.code || !strings.Contains(out.String(), test.says) {
				t.Errorf("exit code %d, %v, want %d and %q:\n%s", code, err, test.code, test.says, out.String())
			}
		})
	}
}
