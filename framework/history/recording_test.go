package history_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
)

func recorded(t *testing.T, h *history.History) string {
	t.Helper()
	var out bytes.Buffer
	if err := h.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func read(t *testing.T, text string) *history.History {
	t.Helper()
	h, err := history.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// written has two nodes, a DaemonSet, a pod, a stimulus: six entries.
func written(t *testing.T) *historytest.Builder {
	b := historytest.New(t).Nodes(2)
	pod := b.DaemonSet("agent").Pod("a", "node-1")
	b.Stimulus(history.BecomeUnready, pod)
	pod.Unready()
	return b
}

func TestReadReturnsWhatWasWritten(t *testing.T) {
	want := written(t).Gap(history.KindPod, "410 Gone").History()
	got := read(t, recorded(t, want))
	if len(got.Entries) != 6 || len(got.Gaps) != 1 || !got.CaughtUp || got.Scenario != t.Name() || got.RevisionLabel != historytest.RevisionLabel {
		t.Fatalf("%d entries, gaps %v, caught up %t, header %+v", len(got.Entries), got.Gaps, got.CaughtUp, got.Header)
	}
	for i, entry := range got.Entries {
		wanted := want.Entries[i]
		if entry.ResourceVersion != wanted.ResourceVersion || entry.Received != wanted.Received || !entry.Time.Equal(wanted.Time) ||
			entry.Type != wanted.Type || entry.Kind != wanted.Kind || (entry.Object == nil) != (wanted.Object == nil) {
			t.Errorf("entry %d: %+v, want %+v", i, entry, wanted)
		}
	}
	if stimulus := got.Entries[4].Stimulus; stimulus == nil || stimulus.Act != history.BecomeUnready || stimulus.Node != "node-1" {
		t.Errorf("stimulus %+v", stimulus)
	}
	if pod, ok := got.Entries[5].Object.(*corev1.Pod); !ok || history.Ready(pod) == nil {
		t.Errorf("the last entry's object is %+v", got.Entries[5].Object)
	}
}

func TestReadOrdersByResourceVersionAndKeepsAStimulusAfterItsVersion(t *testing.T) {
	h := written(t).History()
	entries := h.Entries
	// As watches deliver them: each kind in order, the kinds mixed up.
	h.Entries = []history.Entry{entries[3], entries[4], entries[5], entries[2], entries[0], entries[1]}
	got := read(t, recorded(t, h))
	var versions []uint64
	for _, entry := range got.Entries {
		versions = append(versions, entry.ResourceVersion)
	}
	want := []uint64{101, 102, 103, 104, 104, 105}
	for i := range want {
		if versions[i] != want[i] {
			t.Fatalf("order %v, want %v", versions, want)
		}
	}
	if got.Entries[3].Stimulus != nil || got.Entries[4].Stimulus == nil {
		t.Error("the stimulus comes before the event whose version it carries")
	}
}

func TestALastLineThatOnlyLacksItsNewlineIsRead(t *testing.T) {
	got := read(t, strings.TrimSuffix(recorded(t, written(t).History()), "\n"))
	if len(got.Entries) != 6 || !got.CaughtUp {
		t.Errorf("%d entries, caught up %t, want 6 and caught up", len(got.Entries), got.CaughtUp)
	}
}

func TestAnythingAfterTheProofIsNotCoveredByIt(t *testing.T) {
	lines := strings.SplitAfter(recorded(t, unchained(written(t).History())), "\n")
	again := strings.Join(lines, "") + strings.Replace(lines[6], `"n":7`, `"n":9`, 1)
	if got := read(t, again); got.CaughtUp {
		t.Error("caught up, although an event follows the proof")
	}
}

func TestReadRefuses(t *testing.T) {
	whole := recorded(t, unchained(written(t).History()))
	lines := strings.SplitAfter(whole, "\n")
	chained := recorded(t, written(t).History())
	for name, test := range map[string]struct {
		text, says string
		is         error
	}{
		"nothing":                   {"", "empty", history.ErrNotARecording},
		"something else":            {"kind: Pod\n", "line 1", history.ErrNotARecording},
		"a compressed one":          {"\x1f\x8b\x08", "gunzip", history.ErrNotARecording},
		"one that zstd compressed":  {"\x28\xb5\x2f\xfd", "zstd -d", history.ErrNotARecording},
		"no header":                 {strings.Join(lines[1:], ""), "line 1", history.ErrNotARecording},
		"another format's version":  {strings.Replace(whole, history.Unchained, "rollcall.dev/recording/v9", 1), "recording/v9, that of a later version", history.ErrNotARecording},
		"an earlier version's":      {strings.Replace(whole, history.Unchained, "rollcall.dev/recording/v1alpha1", 1), "that of an earlier version", history.ErrNotARecording},
		"a version of others":       {strings.Replace(whole, history.Unchained, "v2", 1), "its format is v2, and this rollcall", history.ErrNotARecording},
		"a header that was changed": {strings.Replace(chained, `"seed":0`, `"seed":7`, 1), "line 1: the recording's header was changed", nil},
		"a header of another":       {strings.Replace(chained, history.FormatVersion, history.Unchained, 1), "line 1: the recording's header was changed", nil},
		"an act it does not know":   {lines[0] + `{"n":2,"rv":7,"stimulus":{"act":"pull the plug"}}` + "\n", "pull the plug", nil},
		"a line that says nothing":  {lines[0] + `{"n":2}` + "\n", "line 2: neither", nil},
		"a kind it does not know":   {lines[0] + `{"n":2,"rv":7,"type":"ADDED","kind":"Secret","object":{}}` + "\n", "a later version of rollcall may have made the recording", nil},
		"an object of another kind": {lines[0] + `{"n":2,"rv":7,"type":"ADDED","kind":"Pod","object":{"spec":7}}` + "\n", "line 2", nil},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := history.Read(strings.NewReader(test.text))
			if err == nil || !strings.Contains(err.Error(), test.says) || test.is != nil && !errors.Is(err, test.is) {
				t.Errorf("error %v, want one that says %q and is %v", err, test.says, test.is)
			}
		})
	}
}

func TestWhatTheHarnessDidAndSawIsReadAsItWasWritten(t *testing.T) {
	entries := []history.Entry{
		{ResourceVersion: 7, Stimulus: &history.Stimulus{Number: 1, Act: history.EvictPod, Name: "a"}},
		{ResourceVersion: 7, Exchange: &history.Exchange{Stimulus: 1, Verb: "create", Resource: "pods", Subresource: "eviction", Code: 429, RetryAfter: 10}},
		{ResourceVersion: 7, Outcome: &history.Outcome{Stimulus: 1, Refused: true, Error: "too many"}},
		{ResourceVersion: 7, Mark: "settled"},
		{ResourceVersion: 8, Ending: &history.Ending{Aborted: "precondition not reached", Nodes: "simulated"}},
	}
	var out bytes.Buffer
	w, err := history.NewWriter(&out, history.Header{Scenario: t.Name()})
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if err := w.Entry(entry); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Bind(history.Bind{Name: "closed", Values: []string{"node-1"}}); err != nil {
		t.Fatal(err)
	}
	h := read(t, out.String())
	for i := range h.Entries {
		h.Entries[i].Time = time.Time{}
	}
	if !reflect.DeepEqual(h.Entries, entries) {
		t.Errorf("read %+v, want %+v", h.Entries, entries)
	}
	if !slices.Equal(h.Bindings["closed"], []string{"node-1"}) {
		t.Errorf("bindings %v", h.Bindings)
	}
	if ending := h.End(); ending == nil || ending.Nodes != "simulated" {
		t.Errorf("ending %+v", ending)
	}
}

func TestOpenNamesTheFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	if _, err := history.Open(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("missing file: %v", err)
	}
	if err := os.WriteFile(path, []byte("no\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := history.Open(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v does not name %s", err, path)
	}
}

func TestEventObjectsAreEvidenceOutsideTheOrder(t *testing.T) {
	h := written(t).History()
	h.Entries = append(h.Entries, history.Entry{ResourceVersion: 1, Type: watch.Added, Kind: history.KindEvent, Object: &corev1.Event{Reason: "FailedCreate"}})
	got := read(t, recorded(t, h))
	if len(got.Entries) != 6 || len(got.Evidence) != 1 {
		t.Errorf("%d entries and %d pieces of evidence, want 6 and 1", len(got.Entries), len(got.Evidence))
	}
}

func TestTimeNeverGoesBackInAReplay(t *testing.T) {
	h := written(t).History()
	// The second node was received late: everything after it shows that it happened earlier.
	h.Entries[1].Time = h.Entries[1].Time.Add(time.Hour)
	var last time.Time
	h.Replay(func(cluster *history.Cluster, change history.Change) {
		if cluster.Time.Before(last) {
			t.Errorf("time goes back at resourceVersion %d", change.ResourceVersion)
		}
		if cluster.Time.After(change.Time) {
			t.Errorf("time is after the event's receipt at resourceVersion %d", change.ResourceVersion)
		}
		last = cluster.Time
	})
	if !last.Equal(h.Entries[5].Time) {
		t.Errorf("ends at %v, want %v", last, h.Entries[5].Time)
	}
}
