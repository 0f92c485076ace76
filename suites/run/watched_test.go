package run

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/passive"
)

// overdrawn are two recordings of a watch that follow each other: the controller deletes one pod in the first, and another in the second although maxUnavailable is 1.
// The second begins with all that the first has, so that they overlap.
func overdrawn(t *testing.T) (first, second string) {
	t.Helper()
	b := historytest.New(t).Nodes(3)
	ds := b.DaemonSet("agent", historytest.MaxUnavailable("1"))
	pods := []*historytest.Pod{ds.Pod("agent-a", "node-1").Ready(), ds.Pod("agent-b", "node-2").Ready(), ds.Pod("agent-c", "node-3").Ready()}
	other := b.DaemonSet("other")
	b.After(20 * time.Second)
	other.Update("v2")
	pods[0].Terminating()
	half := len(b.History().Entries)
	pods[1].Terminating()
	h := b.History()
	h.Scenario, h.Watched, h.Series = "watch of DaemonSet scenario/agent", []string{"scenario/agent"}, "20260101T120000Z"
	for _, name := range []string{"agent-a", "agent-b"} {
		event := &corev1.Event{Reason: "SuccessfulDelete", Message: "Deleted pod: " + name, InvolvedObject: corev1.ObjectReference{Kind: "DaemonSet", UID: ds.Object().UID}}
		h.Evidence = append(h.Evidence, history.Entry{Type: watch.Added, Kind: history.KindEvent, Object: event, Received: 21 * time.Second})
	}
	folder := t.TempDir()
	save := func(name string, part int, entries []history.Entry) string {
		one := *h
		one.Entries, one.Part = entries, part
		var text bytes.Buffer
		if err := one.Write(&text); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(folder, name)
		write(t, path, text.String())
		return path
	}
	return save("1.jsonl", 1, h.Entries[:half]), save("2.jsonl", 2, h.Entries)
}

func TestRecordingsOfAWatchThatFollowEachOtherAreJudgedAsOne(t *testing.T) {
	first, second := overdrawn(t)
	for name, row := range map[string]struct {
		paths []string
		code  int
		want  []string
	}{
		"the first alone": {[]string{first}, exitConformant, []string{"watch of DaemonSet scenario/agent", "ROLLING-002    holds"}},
		"both":            {[]string{first, second}, exitNotConformant, []string{first + ", " + second, "ROLLING-002 broken on node node-2", "is inferred", "ROLLING-002    fail", "rollcall judge " + filepath.Dir(first) + "\n"}},
		"their folder":    {[]string{filepath.Dir(first)}, exitNotConformant, []string{"ROLLING-002    fail"}},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			code, err := dispatch(context.Background(), "judge", row.paths, &out)
			if err != nil || code != row.code {
				t.Errorf("exit code %d, %v, want %d", code, err, row.code)
			}
			if strings.Contains(out.String(), "DaemonSet other") {
				t.Errorf("the story tells of another DaemonSet:\n%s", out.String())
			}
			for _, want := range row.want {
				if !strings.Contains(out.String(), want) {
					t.Errorf("want %q in:\n%s", want, out.String())
				}
			}
		})
	}
}

// A recording in which events are missing ends what is judged as one: the watch began again behind it.
func TestWhatComesBehindAGapIsJudgedByItself(t *testing.T) {
	first, second := overdrawn(t)
	text, err := os.ReadFile(first)
	if err != nil {
		t.Fatal(err)
	}
	h, err := history.Read(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	h.Gaps = []history.Gap{{Kind: history.KindPod, After: h.Entries[len(h.Entries)-1].ResourceVersion, Reason: "too old"}}
	var damaged bytes.Buffer
	if err := h.Write(&damaged); err != nil {
		t.Fatal(err)
	}
	write(t, first, damaged.String())
	var out bytes.Buffer
	if code, err := dispatch(context.Background(), "judge", []string{first, second}, &out); err != nil || code != exitNotConformant {
		t.Errorf("exit code %d, %v, want %d:\n%s", code, err, exitNotConformant, out.String())
	}
}

func TestARolloutThatSomethingElseEndedIsNotOver(t *testing.T) {
	done := watching{until: "rolled-out"}.done()
	over, overtaken, underWay := &passive.Rollout{}, &passive.Rollout{Overtaken: true}, &passive.Rollout{}
	for name, row := range map[string]struct {
		result passive.Result
		want   bool
	}{
		"none was seen":                {passive.Result{}, false},
		"one is over":                  {passive.Result{Rollouts: []*passive.Rollout{over}}, true},
		"one was overtaken":            {passive.Result{Rollouts: []*passive.Rollout{overtaken}}, false},
		"and the one after it is over": {passive.Result{Rollouts: []*passive.Rollout{overtaken, over}}, true},
		"one is over, another goes on": {passive.Result{Rollouts: []*passive.Rollout{over}, UnderWay: []*passive.Rollout{underWay}}, false},
	} {
		if got := done(&row.result); got != row.want {
			t.Errorf("%s: done is %t", name, got)
		}
	}
}
