package run

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/passive"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/story"
	"github.com/rollcall-conformance/rollcall/reports"
)

// inferred is said below every violation that a watch shows.
const inferred = "no audit log was read: that this was the controller's act is inferred from its own Events and from the managers of fields"

// teller tells of a watch: as text, and as events.
type teller struct {
	out       io.Writer
	events    *events
	catalogue *requirements.Catalogue
	// told are the requirements whose stories were told, broken counts their violations.
	told   map[requirements.ID]bool
	broken map[requirements.ID]int
}

func newTeller(out io.Writer, told *events, catalogue *requirements.Catalogue) *teller {
	return &teller{out: out, events: told, catalogue: catalogue, told: map[requirements.ID]bool{}, broken: map[requirements.ID]int{}}
}

func (t *teller) line(at time.Time, format string, args ...any) {
	fmt.Fprintf(t.out, "%s  %s\n", at.Local().Format(time.TimeOnly), fmt.Sprintf(format, args...))
}

// Recording implements passive.Listener.
func (t *teller) Recording() {
	t.line(time.Now(), "the first lists are there: what happens from now on is recorded and judged")
	t.events.tell(reports.Event{Event: reports.EventWatchBegan})
}

// Began implements passive.Listener.
func (t *teller) Began(r *passive.Rollout) {
	t.events.tell(reports.Event{Event: reports.EventRolloutBegan, Rollout: rolloutOf(r, r.Began)})
	if r.Underway {
		t.line(r.Began, "a rollout of DaemonSet %s is under way", r.Workload)
		return
	}
	t.line(r.Began, "a rollout of DaemonSet %s has begun", r.Workload)
}

// Ended implements passive.Listener.
func (t *teller) Ended(r *passive.Rollout) {
	how := "is over"
	if r.Overtaken {
		how = "gave way to another, or to a deletion,"
	}
	t.line(r.Ended, "the rollout of DaemonSet %s %s after %s", r.Workload, how, round(r.Lasted(r.Ended)))
	t.numbers(r)
	t.events.tell(reports.Event{Event: reports.EventRolloutEnded, Rollout: rolloutOf(r, r.Ended)})
}

// Note implements passive.Listener.
func (t *teller) Note(text string) {
	t.line(time.Now(), "%s", text)
	t.events.tell(reports.Event{Event: reports.EventNote, Note: text})
}

// Broken implements passive.Listener. Of each requirement the first violation is told in full.
func (t *teller) Broken(h *history.History, violations []judge.Violation, recordings []string) {
	for _, found := range watchStories(h, violations, recordings) {
		first := !t.told[found.Requirement]
		t.told[found.Requirement] = true
		times := 1 + len(found.More)
		t.broken[found.Requirement] += times
		t.events.tell(reports.Event{Event: reports.EventBroken, Broken: &reports.WatchBroken{
			Requirement: found.Requirement, Workload: found.workload, EventViolation: found.Brief(), Times: times, Again: !first,
		}})
		if !first {
			t.line(found.Time, "%s broken again on node %s: %s", found.Requirement, found.Node, found.Got)
			continue
		}
		requirement, _ := t.catalogue.Get(found.Requirement)
		fmt.Fprintf(t.out, "\n%s\n", reports.Story(requirement, found.Violation, reports.StoryOptions{Unicode: true}))
	}
}

// watchStory is a violation that a watch shows, with namespace and name of the DaemonSet that it is about, if it is about one.
type watchStory struct {
	reports.Violation
	workload string
}

// watchStories are the violations that the recordings of a watch show, as a report has them. Several recordings are named by their folder.
func watchStories(h *history.History, violations []judge.Violation, recordings []string) []watchStory {
	path := recordings[0]
	if len(recordings) > 1 {
		path = filepath.Dir(path)
	}
	var order []types.UID
	of := map[types.UID][]judge.Violation{}
	for _, v := range violations {
		about := workloadOf(v)
		if of[about] == nil {
			order = append(order, about)
		}
		of[about] = append(of[about], v)
	}
	var all []watchStory
	for _, about := range order {
		for _, found := range story.Findings(onlyAbout(h, about), of[about], story.Options{Recording: path}) {
			found.Notes = append(found.Notes, inferred)
			all = append(all, watchStory{found, nameIn(h, about)})
		}
	}
	return all
}

// nameIn is namespace and name of a DaemonSet that a history shows; empty if it shows none of that UID.
func nameIn(h *history.History, workload types.UID) string {
	i := slices.IndexFunc(h.Entries, func(entry history.Entry) bool {
		return workload != "" && entry.Kind == history.KindDaemonSet && entry.Object.GetUID() == workload
	})
	if i < 0 {
		return ""
	}
	return h.Entries[i].Object.GetNamespace() + "/" + h.Entries[i].Object.GetName()
}

// workloadOf is the UID of the DaemonSet that a violation is about, by what it shows; empty if that is none.
func workloadOf(v judge.Violation) types.UID {
	for _, entry := range slices.Backward(v.Window) {
		if about := workloadIn(entry); about != "" {
			return about
		}
	}
	return ""
}

// workloadIn is the UID of the DaemonSet that an entry is about; empty for one that is about a node or a budget.
func workloadIn(entry history.Entry) types.UID {
	if entry.Kind == history.KindDaemonSet {
		return entry.Object.GetUID()
	}
	if entry.Object != nil {
		if controller := metav1.GetControllerOf(entry.Object); controller != nil {
			return controller.UID
		}
	}
	return ""
}

// onlyAbout leaves other DaemonSets out of a history: a story tells of one.
func onlyAbout(h *history.History, workload types.UID) *history.History {
	only := *h
	only.Entries = slices.DeleteFunc(slices.Clone(h.Entries), func(entry history.Entry) bool {
		about := workloadIn(entry)
		return workload != "" && about != "" && about != workload
	})
	return &only
}

// numbers prints those of a rollout.
func (t *teller) numbers(r *passive.Rollout) {
	row := func(label, format string, args ...any) {
		fmt.Fprintf(t.out, "  %-12s %s\n", label, fmt.Sprintf(format, args...))
	}
	row("nodes", "%d; updated in this order: %s", r.Nodes, someOf(r.Order))
	row("unavailable", "at most %d at once, %d when it began; maxUnavailable is %d", r.Unavailable, r.UnavailableAtFirst, r.Limits.Unavailable)
	row("surged", "at most %d nodes with two pods at once; maxSurge is %d", r.Surged, r.Limits.Surge)
	if len(r.Took) > 0 {
		times := make([]time.Duration, 0, len(r.Took))
		for _, took := range r.Took {
			times = append(times, took.Time)
		}
		slices.Sort(times)
		row("pods", "%d became available, half of them within %s, the last %s after its creation", len(times), round(times[len(times)/2]), round(times[len(times)-1]))
	}
	for _, slow := range firstFew(r.Slow()) {
		row("slow", "%s on %s took %s", slow.Pod, slow.Node, round(slow.Time))
	}
	for _, waiting := range firstFew(r.Waiting) {
		row("waiting", "%s on %s is not available after %s", waiting.Pod, waiting.Node, round(waiting.Time))
	}
	row("deleted", "%d pods by the controller, as its Events say; %d evicted; %d by somebody who does not say so", r.Deleted, r.Evicted, r.Unclaimed)
	if r.Unclaimed > 0 && r.Unavailable > max(r.Limits.Unavailable, r.UnavailableAtFirst) {
		row("", "more nodes than maxUnavailable were without an available pod: nothing shows that this was the controller's doing")
	}
}

// summary prints what a watch has seen; the command ends with the exit code.
func (t *teller) summary(result *passive.Result, exitCode int) {
	seen := &reports.WatchResult{RolloutsOver: result.Over, Broken: t.broken, NotJudged: slices.Clone(result.Missed)}
	for _, r := range result.UnderWay {
		fmt.Fprintf(t.out, "the rollout of DaemonSet %s goes on after %s\n", r.Workload, round(r.Lasted(time.Now())))
		t.numbers(r)
		seen.UnderWay = append(seen.UnderWay, *rolloutOf(r, time.Now()))
	}
	for _, missed := range result.Missed {
		fmt.Fprintf(t.out, "not judged: %s\n", missed)
	}
	if result.Unproven != "" {
		fmt.Fprintf(t.out, "not judged in the end: %s\n", result.Unproven)
		seen.NotJudged = append(seen.NotJudged, result.Unproven)
	}
	broken := "no promise was broken"
	if len(t.broken) > 0 {
		var each []string
		for id, times := range t.broken {
			each = append(each, fmt.Sprintf("%s (%d)", id, times))
		}
		slices.Sort(each)
		broken = "broken: " + strings.Join(each, ", ")
	}
	fmt.Fprintf(t.out, "rollcall: %d rollouts over, %d under way; %s\n", result.Over, len(result.UnderWay), broken)
	t.events.tell(reports.Event{Event: reports.EventSummary, Summary: &reports.EventResult{ExitCode: exitCode, Watch: seen}})
}

// rolloutOf is a rollout as an event has it, by a time.
func rolloutOf(r *passive.Rollout, now time.Time) *reports.WatchRollout {
	return &reports.WatchRollout{
		Workload: r.Workload, Underway: r.Underway, Overtaken: r.Overtaken, Seconds: r.Lasted(now).Seconds(), Nodes: r.Nodes, Order: r.Order,
		Unavailable: r.Unavailable, UnavailableAtFirst: r.UnavailableAtFirst, MaxUnavailable: r.Limits.Unavailable, MaxSurge: r.Limits.Surge, Surged: r.Surged,
		Slow: podsOf(r.Slow()), Waiting: podsOf(r.Waiting), Deleted: r.Deleted, Evicted: r.Evicted, Unclaimed: r.Unclaimed,
	}
}

func podsOf(all []passive.Took) []reports.WatchPod {
	var pods []reports.WatchPod
	for _, took := range all {
		pods = append(pods, reports.WatchPod{Pod: took.Pod, Node: took.Node, Seconds: took.Time.Seconds()})
	}
	return pods
}

// few bounds what a summary lists.
const few = 8

func firstFew(all []passive.Took) []passive.Took { return all[:min(len(all), few)] }

func someOf(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	text := strings.Join(names[:min(len(names), few)], ", ")
	if more := len(names) - few; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

func round(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }
