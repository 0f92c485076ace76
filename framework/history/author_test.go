package history_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

func kubelet() history.Author {
	return history.Author{Who: history.Kubelet, User: "system:node:n", Verb: "patch", Subresource: "status", Code: 200}
}

// recordedInFile writes the history of written into a file and returns its path.
func recordedInFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	if err := os.WriteFile(path, []byte(unsealed(recorded(t, written(t).History()))), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func opened(t *testing.T, path string) *history.History {
	t.Helper()
	h, err := history.OpenUnsealed(path)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestAuthorsThatWereAppendedAreReadWithTheirEvents(t *testing.T) {
	path := recordedInFile(t)
	before := opened(t, path)
	if before.Authors != "" {
		t.Errorf("authors from %q before there are any", before.Authors)
	}
	last := before.Entries[len(before.Entries)-1]
	known := []history.Authorship{
		{ResourceVersion: last.ResourceVersion, UID: last.Object.GetUID(), Author: kubelet()},
		{ResourceVersion: before.Entries[0].ResourceVersion, UID: "of something else", Author: kubelet()},
	}
	if err := before.AppendAuthors(path, history.AuthorsFromAuditLog, history.Attribution{Authors: known}); err != nil {
		t.Fatal(err)
	}
	after := opened(t, path)
	if after.Authors != history.AuthorsFromAuditLog || !after.CaughtUp || len(after.Entries) != len(before.Entries) {
		t.Fatalf("authors from %q, caught up %t, %d entries of %d", after.Authors, after.CaughtUp, len(after.Entries), len(before.Entries))
	}
	for i, entry := range after.Entries {
		if i == len(after.Entries)-1 {
			if entry.Author == nil || *entry.Author != kubelet() {
				t.Errorf("the last entry's author is %+v", entry.Author)
			}
		} else if entry.Author != nil {
			t.Errorf("entry %d has the author %+v", i, entry.Author)
		}
	}
}

func TestAStimulusHasNoAuthorThoughItHasAnEventsVersion(t *testing.T) {
	h := written(t).History()
	pod := h.Entries[3]
	h.Attribute(history.AuthorsFromAuditLog, []history.Authorship{{ResourceVersion: pod.ResourceVersion, UID: pod.Object.GetUID(), Author: kubelet()}})
	if h.Entries[3].Author == nil || h.Entries[4].Stimulus == nil || h.Entries[4].Author != nil {
		t.Errorf("event by %+v, stimulus %+v by %+v", h.Entries[3].Author, h.Entries[4].Stimulus, h.Entries[4].Author)
	}
}

func TestARecordingWhoseAuthorsAreCutShortDoesNotSayThatItHasThem(t *testing.T) {
	path := recordedInFile(t)
	whole := opened(t, path)
	last := whole.Entries[5]
	if err := whole.AppendAuthors(path, history.AuthorsFromAuditLog, history.Attribution{Authors: []history.Authorship{
		{ResourceVersion: last.ResourceVersion, UID: last.Object.GetUID(), Author: kubelet()},
	}}); err != nil {
		t.Fatal(err)
	}
	size, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, size.Size()-10); err != nil {
		t.Fatal(err)
	}
	h := opened(t, path)
	if h.Authors != "" || h.Entries[5].Author == nil {
		t.Errorf("authors from %q, the last entry's is %+v", h.Authors, h.Entries[5].Author)
	}
}

func TestAuthorsCannotBeAppendedToNothing(t *testing.T) {
	if err := new(history.History).AppendAuthors(filepath.Join(t.TempDir(), "none.jsonl"), history.AuthorsFromAuditLog, history.Attribution{}); err == nil {
		t.Error("no error")
	}
}

func TestRefusalsAndHealthAreReadAsTheyWereAppended(t *testing.T) {
	path := recordedInFile(t)
	before := opened(t, path)
	refusal := history.Refusal{First: 1, Last: 2, Count: 3, User: "me", Verb: "create", Resource: "pods", Namespace: "s", Code: 403, Reason: "Forbidden", Message: "no"}
	if err := before.AppendAuthors(path, history.AuthorsFromAuditLog, history.Attribution{Refusals: []history.Refusal{refusal}}); err != nil {
		t.Fatal(err)
	}
	if err := before.AppendHealth(path, history.Health{Ended: "exit status 2", Log: []string{"panic"}}); err != nil {
		t.Fatal(err)
	}
	for name, h := range map[string]*history.History{"appended to": before, "read again": opened(t, path)} {
		if len(h.Refusals) != 1 || h.Refusals[0] != refusal || !h.CaughtUp || h.Health == nil || h.Health.Ended != "exit status 2" || len(h.Health.Log) != 1 {
			t.Errorf("%s: refusals %+v, health %+v, caught up %t", name, h.Refusals, h.Health, h.CaughtUp)
		}
	}
	if recorded(t, before) != recorded(t, opened(t, path)) {
		t.Error("it is not written as it was read")
	}
}
