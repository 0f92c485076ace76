package run

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/history/historytest"
	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules/rulestest"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
	"github.com/rollcall-conformance/rollcall/suites/stress"
)

func TestExploreRefusesBadInput(t *testing.T) {
	folder := t.TempDir()
	wrong := filepath.Join(folder, "wrong.txt")
	if err := os.WriteFile(wrong, []byte("nodes 5\nafter 1s: dance (0, 0)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"-for=0s"}, "-for 0s"},
		{[]string{"-shrink=-1s"}, "-shrink -1s"},
		{[]string{"-procs=0"}, "-procs 0"},
		{[]string{"somewhere"}, `"somewhere"`},
		{[]string{"-artifacts=" + folder}, "is not empty"},
		{[]string{"-replay=" + wrong, "-artifacts=" + filepath.Join(folder, "new")}, `line 2: act "dance"`},
		{[]string{"-replay=" + filepath.Join(folder, "nowhere.txt"), "-artifacts=" + filepath.Join(folder, "new")}, "no such file"},
		{[]string{"-implementation=nobody", "-artifacts=" + filepath.Join(folder, "new")}, "nobody"},
	} {
		code, err := explore(t.Context(), test.args, io.Discard)
		if code != exitUsage || !errors.As(err, new(usageError)) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v: %d %v, want %q", test.args, code, err, test.want)
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "new")); err == nil {
		t.Error("something was left behind")
	}
}

func TestExploredSchedulesAreOfTheSeed(t *testing.T) {
	t.Parallel()
	x := exploration{seed: 5, procs: 2, lasting: quickest}
	schedules, err := x.schedules()
	if err != nil || len(schedules) != 4 {
		t.Fatalf("%d schedules, %v, want 4", len(schedules), err)
	}
	if want := schedule.Draw(6, schedule.Levers()); !reflect.DeepEqual(schedules["0002"], want) {
		t.Errorf("the second is\n%s\nwant\n%s", schedules["0002"], want)
	}
}

func TestWhatSumsUpIsNotBrokenBeside(t *testing.T) {
	t.Parallel()
	recording := func(ids ...requirements.ID) played {
		var violations []judge.Violation
		for _, id := range ids {
			violations = append(violations, judge.Violation{Requirement: id})
		}
		return played{judged: judged{judgement: spec.Judgement{Violations: violations}}}
	}
	got := brokenIn([]played{recording("SURGE-007", "SURGE-011", everything), recording("SURGE-007"), recording(everything)})
	if want := []requirements.ID{"SURGE-007", "SURGE-011", everything}; !reflect.DeepEqual(got, want) {
		t.Errorf("broken: %v, want %v", got, want)
	}
	if got := brokenIn([]played{recording("SURGE-007", everything)}); !reflect.DeepEqual(got, []requirements.ID{"SURGE-007"}) {
		t.Errorf("broken: %v, want SURGE-007 alone", got)
	}
}

// TestWhatBreaksAPromiseIsMadeSmaller has schedules played by a controller that deletes its only pod once a node is tainted.
func TestWhatBreaksAPromiseIsMadeSmaller(t *testing.T) {
	t.Parallel()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	e := &explorer{
		exploration: exploration{implementation: "mine.yaml", artifacts: t.TempDir(), shrinking: time.Minute}, out: &out, catalogue: catalogue,
		run: func(_ context.Context, given, artifacts string, _ time.Duration, _ func(reports.Event)) error {
			return recordAll(t, given, artifacts)
		},
	}
	drawn := schedule.Draw(1, []schedule.Lever{{Act: schedule.Update, Weight: 1}})
	drawn.Steps[4].Act = schedule.Taint
	all, err := e.play(t.Context(), map[string]schedule.Schedule{"0001": schedule.Draw(2, []schedule.Lever{{Act: schedule.Update, Weight: 1}}), "0002": drawn}, time.Minute, func(reports.Event) {})
	if err != nil || len(all) != 2 {
		t.Fatalf("%d schedules played: %v", len(all), err)
	}
	const id = "SURGE-006"
	if all[0].breaks(id) || !all[1].breaks(id) || !slices.Contains(brokenIn(all), id) {
		t.Fatalf("broken: %v", brokenIn(all))
	}
	if err := e.show(t.Context(), id, all[1], drawn); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(e.artifacts, id+stress.Extension)
	smallest, err := stress.Read(path)
	if err != nil || len(smallest.Steps) != 1 || smallest.Steps[0].Act != schedule.Taint {
		t.Errorf("left:\n%s%v", smallest, err)
	}
	for _, want := range []string{all[1].path, "rollcall explore -implementation=mine.yaml -artifacts=_again -replay=" + path} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it does not say %q:\n%s", want, out.String())
		}
	}
}

func losesACreation(s schedule.Schedule) bool {
	return slices.ContainsFunc(s.Faults, func(f schedule.Fault) bool { return f.Verb == "create" && f.Kind == schedule.LoseAnswer })
}

// recordAll writes a recording for each schedule of the folder.
func recordAll(t *testing.T, given, artifacts string) error {
	t.Helper()
	folder := filepath.Join(artifacts, recordingsFolder)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	entries, err := os.ReadDir(given)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		s, err := stress.Read(filepath.Join(given, entry.Name()))
		if err != nil {
			return err
		}
		b := historytest.New(t)
		ds, pods := rulestest.Running(b, 2, historytest.MaxSurge("1"))
		b.By(history.Implementation, "create")
		ds.Update("v2")
		b.After(2 * judge.Lag)
		if slices.ContainsFunc(s.Steps, func(step schedule.Step) bool { return step.Act == schedule.Taint }) || losesACreation(s) {
			pods[0].Terminating()
			b.By(history.Implementation, "delete")
		}
		h, name := b.History(), strings.TrimSuffix(entry.Name(), stress.Extension)
		h.Scenario, h.Features = "Stress "+stress.Exploring+name, []string{string(requirements.DaemonSet), string(requirements.Surge)}
		file, err := os.Create(filepath.Join(folder, name+".jsonl"))
		if err != nil {
			return err
		}
		if err := errors.Join(h.Write(file), file.Close()); err != nil {
			return err
		}
	}
	return nil
}

func TestFaultsAreAtTheWritesThatDiffer(t *testing.T) {
	t.Parallel()
	by := func(who history.Who, kind history.Kind, verb, subresource string) history.Entry {
		return history.Entry{Kind: kind, Author: &history.Author{Who: who, Verb: verb, Subresource: subresource}}
	}
	act := func(act history.Act) history.Entry { return history.Entry{Stimulus: &history.Stimulus{Act: act}} }
	h := &history.History{Entries: []history.Entry{
		act(history.CreateDaemonSet),
		by(history.Implementation, history.KindPod, "create", ""),
		by(history.Scheduler, history.KindPod, "create", "binding"),
		by(history.Implementation, history.KindPod, "create", ""),
		by(history.Implementation, history.KindDaemonSet, "update", "status"),
		{Kind: history.KindPod},
		act(history.UpdateDaemonSet),
		by(history.Implementation, history.KindPod, "delete", ""),
		by(history.Implementation, history.KindPod, "create", ""),
		by(history.Implementation, history.KindPod, "deletecollection", ""),
	}}
	found := points(h)
	want := []point{{"create", "pods", 1}, {"update", "daemonsets/status", 1}, {"delete", "pods", 1}, {"create", "pods", 3}}
	if !reflect.DeepEqual(found, want) {
		t.Fatalf("points %v, want %v", found, want)
	}
	drawn := schedule.Draw(1, schedule.Levers())
	variants := faulty(drawn, found)
	var late, lines []string
	for _, variant := range variants[:len(schedule.LateResources())] {
		late = append(late, variant.Late.String())
		if len(variant.Faults) > 0 || variant.Steps.String() != drawn.Steps.String() {
			t.Errorf("more than a late watch was added:\n%s", variant)
		}
	}
	if want := []string{"late 500ms: controllerrevisions", "late 500ms: daemonsets", "late 500ms: nodes", "late 500ms: pods"}; !reflect.DeepEqual(late, want) {
		t.Errorf("late watches: %q, want %q", late, want)
	}
	for _, variant := range variants[len(late):] {
		lines = append(lines, variant.Faults[0].String())
		if len(variant.Faults) != 1 || variant.Steps.String() != drawn.Steps.String() {
			t.Errorf("more than a fault was added:\n%s", variant)
		}
	}
	first := []string{
		"fault at create pods 1: kill the controller after it", "fault at update daemonsets/status 1: kill the controller after it",
		"fault at delete pods 1: kill the controller after it", "fault at create pods 3: kill the controller after it",
	}
	if len(lines) != 22 || !reflect.DeepEqual(lines[:4], first) {
		t.Errorf("%d faults:\n%s", len(lines), strings.Join(lines, "\n"))
	}
}

// TestTheFaultThatBreaksAPromiseIsFound has schedules played by a controller that deletes its only pod when the answer to a creation is lost.
func TestTheFaultThatBreaksAPromiseIsFound(t *testing.T) {
	t.Parallel()
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	e := &explorer{
		exploration: exploration{artifacts: t.TempDir(), lasting: time.Minute, faults: true}, out: &out, catalogue: catalogue,
		run: func(_ context.Context, given, artifacts string, _ time.Duration, _ func(reports.Event)) error {
			return recordAll(t, given, artifacts)
		},
	}
	schedules := map[string]schedule.Schedule{"0001": schedule.Draw(2, []schedule.Lever{{Act: schedule.Update, Weight: 1}})}
	all, err := e.playAll(t.Context(), schedules)
	if err != nil {
		t.Fatal(err)
	}
	var broken []string
	for _, one := range all {
		if one.breaks("SURGE-006") {
			broken = append(broken, schedules[one.name].Faults[0].String())
		}
	}
	if len(all) < 3+len(schedule.LateResources()) || !reflect.DeepEqual(broken, []string{"fault at create pods 1: lose the answer"}) {
		t.Errorf("%d schedules played, broken by %v\n%s", len(all), broken, out.String())
	}
}
