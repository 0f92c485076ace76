package rules_test

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	. "github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/framework/rules/rollout"
	. "github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
)

// rolled is a lawful rollout of two nodes.
func rolled(b *Builder) (*DaemonSet, []*Pod) {
	ds, pods := Running(b, 2, MaxSurge("1"))
	ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
	pods[0].Terminating()
	return ds, pods
}

func handOff(h *history.History) judge.Verdict {
	return judge.Run(h, []judge.Rule{rollout.SurgeHandOff()})[0]
}

func TestAViolationBeforeAGapStands(t *testing.T) {
	b := New(t)
	_, pods := rolled(b)
	pods[1].Terminating()
	b.Gap(history.KindPod, "410 Gone")
	if verdict := handOff(b.History()); verdict.Outcome != judge.Broken {
		t.Errorf("%s, want broken", verdict.Outcome)
	}
}

func TestNothingIsJudgedAfterAGap(t *testing.T) {
	b := New(t)
	_, pods := rolled(b)
	b.Gap(history.KindPod, "410 Gone")
	pods[1].Terminating()
	verdict := handOff(b.History())
	if verdict.Outcome != judge.Inconclusive || len(verdict.Violations) > 0 || !strings.Contains(verdict.Reason, "410 Gone") {
		t.Errorf("%s for %q, want inconclusive for the gap", verdict.Outcome, verdict.Reason)
	}
}

func TestAGapInAKindThatIsNotNeededMattersToNobody(t *testing.T) {
	b := New(t)
	rolled(b)
	b.Gap(history.KindControllerRevision, "410 Gone")
	if verdict := handOff(b.History()); verdict.Outcome != judge.Holds || !verdict.Exercised {
		t.Errorf("%s for %q, want holds", verdict.Outcome, verdict.Reason)
	}
}

func TestAKindThatWasNotRecordedIsInconclusive(t *testing.T) {
	b := New(t).Without(history.KindNode)
	rolled(b)
	verdict := handOff(b.History())
	if verdict.Outcome != judge.Inconclusive || verdict.Exercised || !strings.Contains(verdict.Reason, "Node") {
		t.Errorf("%s for %q, want inconclusive for want of nodes", verdict.Outcome, verdict.Reason)
	}
}

func TestARecordingThatWasNotCaughtUpShowsViolationsButNotTheirAbsence(t *testing.T) {
	b := New(t)
	ds, pods := rolled(b)
	if verdict := handOff(b.Cut()); verdict.Outcome != judge.Inconclusive {
		t.Errorf("no violation: %s, want inconclusive", verdict.Outcome)
	}
	pods[1].Terminating()
	if verdict := handOff(b.Cut()); verdict.Outcome != judge.Inconclusive {
		t.Errorf("violation by the last event: %s, want inconclusive: what explains it may be missing", verdict.Outcome)
	}
	b.After(judge.Lag)
	ds.Observed()
	if verdict := handOff(b.Cut()); verdict.Outcome != judge.Broken {
		t.Errorf("violation well before the end: %s, want broken", verdict.Outcome)
	}
}

func TestALargeRolloutKeepsEveryPromiseAndExercisesTheSurgeOnes(t *testing.T) {
	verdicts := judge.Run(SurgeRollout(t, 50), rules.All())
	for _, violation := range verdicts.Violations() {
		t.Error(violation)
	}
	for _, id := range []requirements.ID{"SURGE-002", "SURGE-006", "SURGE-008", "SURGE-009", "SURGE-010", "SURGE-016", "AVAIL-001", "STATUS-013", "HISTORY-010"} {
		if verdict, _ := verdicts.Of(id); verdict.Outcome != judge.Holds || !verdict.Exercised {
			t.Errorf("%s: %s, exercised %t", id, verdict.Outcome, verdict.Exercised)
		}
	}
	if verdict, _ := verdicts.Of("ROLLING-002"); verdict.Exercised {
		t.Error("ROLLING-002 was exercised by a surge rollout")
	}
}

// A recording judged again from disk must come out as it did in memory.
func TestWrittenAndReadTheVerdictsAreTheSame(t *testing.T) {
	b := New(t)
	_, pods := rolled(b)
	pods[1].Terminating()
	h := b.History()
	path := filepath.Join(t.TempDir(), "recording.jsonl")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := h.Write(file); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	read, err := history.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	tell := func(h *history.History) []string {
		var told []string
		for _, violation := range judge.Run(h, rules.All()).Violations() {
			told = append(told, violation.Error()+violation.Before+violation.After)
		}
		return told
	}
	if got, want := tell(read), tell(h); !reflect.DeepEqual(got, want) || len(want) == 0 {
		t.Errorf("read:\n%s\nwritten:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEveryRuleHasARequirementOfItsOwn(t *testing.T) {
	var ids []requirements.ID
	for _, j := range rules.All() {
		if slices.Contains(ids, j.Requirement) {
			t.Errorf("%s twice", j.Requirement)
		}
		ids = append(ids, j.Requirement)
		if j.Promise == "" || j.Kind == "" || len(j.Needs) == 0 || j.New == nil {
			t.Errorf("%s is incomplete", j.Requirement)
		}
	}
}

// Kinds are watched one by one: the harness may receive the pod's event long before the one that allows it, which happened earlier.
func TestTheOrderIsTheResourceVersionsNotTheArrival(t *testing.T) {
	b := New(t)
	ds, pods := Running(b, 2, MaxSurge("1"), MinReadySeconds(10))
	young := ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
	b.After(young.Object().Status.Conditions[0].LastTransitionTime.Add(10 * time.Second).Sub(b.Now()))
	ds.Set(MinReadySeconds(5))
	pods[0].Terminating()
	h := b.History()
	late := &h.Entries[len(h.Entries)-2]
	late.Received, late.Time = late.Received+time.Minute, late.Time.Add(time.Minute)
	if verdict := handOff(h); verdict.Outcome != judge.Holds || !verdict.Exercised {
		t.Errorf("%s %v, want holds", verdict.Outcome, verdict.Violations)
	}
}

// A refused eviction caused nothing: what is deleted later is the implementation's act.
func TestARefusedActExcusesNothingFromItsOutcomeOn(t *testing.T) {
	b := New(t)
	_, pods := rolled(b)
	b.Stimulus(history.EvictPod, pods[1]).Refused()
	b.After(Long)
	pods[1].Terminating()
	if verdict := handOff(b.History()); verdict.Outcome != judge.Broken {
		t.Errorf("refused: %s, want broken", verdict.Outcome)
	}
	b = New(t)
	_, pods = rolled(b)
	b.Stimulus(history.EvictPod, pods[1]).Done()
	b.After(Long)
	pods[1].Terminating()
	if verdict := handOff(b.History()); verdict.Outcome != judge.Holds {
		t.Errorf("accepted: %s, want holds", verdict.Outcome)
	}
}

func TestARefusedDeletionOfADaemonSetReleasesNobody(t *testing.T) {
	b := New(t)
	ds, pods := rolled(b)
	b.Stimulus(history.DeleteDaemonSet, ds).Refused()
	pods[1].Terminating()
	if verdict := handOff(b.History()); verdict.Outcome != judge.Broken {
		t.Errorf("%s, want broken", verdict.Outcome)
	}
}

func TestObserversSeeTheReplayOfTheRules(t *testing.T) {
	b := New(t)
	rolled(b)
	h := b.History()
	seen := 0
	judge.Run(h, rules.All(), func(_ *history.Cluster, change history.Change) {
		if change.ResourceVersion != h.Entries[seen].ResourceVersion {
			t.Errorf("entry %d has resourceVersion %d, want %d", seen, change.ResourceVersion, h.Entries[seen].ResourceVersion)
		}
		seen++
	})
	if seen != len(h.Entries) {
		t.Errorf("saw %d entries of %d", seen, len(h.Entries))
	}
}

// What one event broke is told with the cause first: nothing but the order of the rules says which that is.
func TestTheCauseComesFirst(t *testing.T) {
	b := New(t)
	ds, pods := Running(b, 3, MaxUnavailable("1"))
	ds.Update("v2")
	pods[0].Unready()
	b.After(judge.Prompt)
	pods[1].Terminating()
	violations := judge.Run(b.History(), rules.All()).Violations()
	var of []requirements.ID
	for _, violation := range violations {
		if violation.ResourceVersion == b.Version() {
			of = append(of, violation.Requirement)
		}
	}
	if want := []requirements.ID{"ROLLING-007", "ROLLING-002"}; !slices.Equal(of, want) {
		t.Errorf("broken: %v, want %v", of, want)
	}
}

// What was not done is only known not to have been once the recording shows the time after the deadline.
func TestNothingIsOverdueWhereEventsMayBeMissing(t *testing.T) {
	owed := func() *Builder {
		b := New(t)
		ds, _ := Running(b, 1, MaxSurge("1"))
		ds.Update("v2").Pod("new-a", NodeName(0)).Ready()
		return b
	}
	run := func(h *history.History) judge.Outcome {
		return judge.Run(h, []judge.Rule{rollout.SurgeHandOver()})[0].Outcome
	}
	overdue := judge.Lag + judge.Prompt + 100*time.Millisecond
	join := func(b *Builder) *history.History {
		b.Node("node-9").Join()
		return b.Cut()
	}
	if got := run(join(owed().After(overdue))); got != judge.Inconclusive {
		t.Errorf("just before the end of a recording that was cut off: %s, want inconclusive", got)
	}
	if got := run(join(owed().After(overdue + judge.Lag))); got != judge.Broken {
		t.Errorf("well before it: %s, want broken", got)
	}
	// No watch delivers anything: the API server may be gone, and whoever acts with it.
	if got := run(owed().After(overdue + 3*judge.Lag).Mark("end").Cut()); got != judge.Inconclusive {
		t.Errorf("after the last event: %s, want inconclusive", got)
	}
	b := owed().Gap(history.KindPod, "410 Gone").After(overdue)
	b.Node("node-9").Join()
	if got := run(b.History()); got != judge.Inconclusive {
		t.Errorf("across a gap: %s, want inconclusive", got)
	}
}
