package passive

import (
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// long is longer than any reaction may take.
const long = 20 * time.Second

func outcome(t *testing.T, h *history.History, id requirements.ID) judge.Outcome {
	t.Helper()
	verdict, judged := Judge(h).Of(id)
	if !judged {
		t.Fatalf("%s is not judged", id)
	}
	return verdict.Outcome
}

// Nobody there knows whether the controller was at work, so nothing is due, not even where a rule forbids something as well.
func TestNothingIsDueWhereNobodySeesTheController(t *testing.T) {
	for id, again := range map[requirements.ID]historytest.Option{"ROLLING-013": historytest.MaxUnavailable("1"), "SURGE-010": historytest.MaxSurge("1")} {
		b := historytest.New(t).Nodes(1)
		ds := b.DaemonSet("agent", historytest.MaxSurge("1"))
		ds.Pod("agent-a", "node-1").Ready()
		ds.Pod("agent-b", "node-1").Ready()
		b.After(long)
		ds.Set(again)
		b.After(long)
		ds.Observed()
		if got := outcome(t, b.History(), id); got == judge.Broken {
			t.Errorf("%s is %s by two pods that nobody took away", id, got)
		}
	}
}

// What changed before the first lists were there excuses what is done a moment later, however long they took.
func TestWhatCameBeforeTheFirstListsExcusesWhatIsDoneAMomentLater(t *testing.T) {
	for name, row := range map[string]struct {
		after time.Duration
		want  judge.Outcome
	}{
		"a moment later": {judge.Lag / 2, judge.Inconclusive},
		"long after":     {long, judge.Broken},
	} {
		t.Run(name, func(t *testing.T) {
			b := historytest.New(t).Nodes(3)
			b.After(long)
			ds := b.DaemonSet("agent", historytest.MaxUnavailable("1"))
			ds.Pod("agent-a", "node-1").Ready()
			gone := ds.Pod("agent-b", "node-2").Ready()
			b.After(long)
			ds.Pod("agent-c", "node-3")
			b.Mark(listed)
			b.After(row.after)
			gone.Terminating()
			h := b.History()
			last := h.Entries[len(h.Entries)-1].Received
			h.Evidence = append(h.Evidence, said(ds, deleted, "Deleted pod: agent-b", "", last, h))
			if got := outcome(t, h, "ROLLING-002"); got != row.want {
				t.Errorf("ROLLING-002 is %s, want %s", got, row.want)
			}
		})
	}
}

func TestAPodOfTheFirstListsIsNobodysCreation(t *testing.T) {
	b := historytest.New(t).Nodes(1)
	ds := b.DaemonSet("agent")
	b.After(long)
	ds.Pod("agent-a", "node-1")
	h := b.Mark(listed).History()
	h.Evidence = append(h.Evidence, said(ds, created, "Created pod: agent-a", "", long, h))
	Attribute(h)
	for _, entry := range h.Entries {
		if entry.Kind == history.KindPod && entry.Author.Who != history.Others {
			t.Errorf("the creation of %s is said to be by %s", entry.Object.GetName(), entry.Author.Who)
		}
	}
}
