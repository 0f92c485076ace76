package run

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/stress"
)

// exploration is what `rollcall explore` is asked for.
type exploration struct {
	implementation, artifacts, replay string
	seed                              int64
	procs                             int
	lasting, shrinking                time.Duration
	// faults: one schedule is played again and again, with a fault at one of the implementation's writes each time.
	faults bool
}

// exploreProcs is how many schedules are played at once by default: each has a control plane of its own.
const exploreProcs = 3

// quickest is less than any schedule takes: no more are drawn than could be played in the time.
const quickest = 8 * time.Second

func parseExplore(args []string, out io.Writer) (exploration, error) {
	var x exploration
	flags := newFlags("explore", out)
	describe(flags, `rollcall explore [-for 10m]

Plays random schedules against an implementation, each on a control plane of its own with simulated nodes, until the time is over, and judges each by the
standing rules. Of what is broken the first schedule is made smaller, on the control plane itself; what is left is printed with the command that plays it again.

A schedule is plain text. -replay plays that of a file, such as

  nodes 5
  strategy maxSurge 25%, maxUnavailable 0
  minReadySeconds 2
  after 1s: update (0, 0)
  after 300ms: a node leaves (2, 0)

-faults plays one schedule, of the seed or of -replay, and then again with one of the implementation's watches half a second late, and with one fault at each of its
writes in it: it is killed after the write, the answer is lost, or the API server answers 409, 429, 500 or 504. Of writes of one verb and resource that follow
one kind of act the first is taken. Either is a line of the schedule, too:

  late 500ms: controllerrevisions
  fault at create pods 3: lose the answer

Exit code: 0 no promise was broken, 1 one was, 2 usage or bad input, 3 nothing could be played.
`)
	takeImplementation(flags, &x.implementation)
	flags.DurationVar(&x.lasting, "for", 10*time.Minute, "how long to play fresh schedules")
	flags.DurationVar(&x.shrinking, "shrink", 5*time.Minute, "how long to make a schedule smaller, for each requirement that is broken; 0 for not at all")
	flags.StringVar(&x.replay, "replay", "", "play the schedule of this `file`, and no other")
	flags.BoolVar(&x.faults, "faults", false, "play one schedule with late watches, and with faults at the implementation's writes, for as long as -for says")
	flags.StringVar(&x.artifacts, "artifacts", "_explore", "folder for schedules and recordings; it must be empty, or not exist")
	flags.IntVar(&x.procs, "procs", exploreProcs, "how many schedules are played at once")
	flags.Int64Var(&x.seed, "seed", 0, "seed of the schedules (default: the time)")
	if err := parseFlagsOnly(flags, args); err != nil {
		return x, err
	}
	switch {
	case x.lasting <= 0:
		return x, usagef("-for %s: must be above 0", x.lasting)
	case x.shrinking < 0:
		return x, usagef("-shrink %s: must not be negative", x.shrinking)
	case x.procs < 1:
		return x, usagef("-procs %d: must be at least 1", x.procs)
	}
	if x.seed == 0 {
		x.seed = time.Now().Unix()
	}
	entries, err := os.ReadDir(x.artifacts)
	if err != nil && !os.IsNotExist(err) {
		return x, usagef("-artifacts: %w", err)
	}
	if len(entries) > 0 {
		return x, usagef("-artifacts %s: it is not empty: remove it, or name another folder", x.artifacts)
	}
	if x.artifacts, err = filepath.Abs(x.artifacts); err != nil {
		return x, usagef("-artifacts: %w", err)
	}
	return x, nil
}

// schedules are those to play, by name.
func (x exploration) schedules() (map[string]schedule.Schedule, error) {
	schedules := map[string]schedule.Schedule{}
	if x.replay != "" {
		s, err := stress.Read(x.replay)
		if err != nil {
			return nil, usagef("-replay: %w", err)
		}
		schedules[numbered(0)] = s
		return schedules, nil
	}
	if x.faults {
		schedules[numbered(0)] = schedule.Draw(uint64(x.seed), schedule.Levers())
		return schedules, nil
	}
	for i := range int(x.lasting/quickest+1) * x.procs {
		schedules[numbered(i)] = schedule.Draw(uint64(x.seed)+uint64(i), schedule.Levers())
	}
	return schedules, nil
}

// explore is `rollcall explore`.
func explore(ctx context.Context, args []string, out io.Writer) (int, error) {
	x, err := parseExplore(args, out)
	if err != nil {
		return exitUsage, err
	}
	schedules, err := x.schedules()
	if err != nil {
		return exitUsage, err
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return exitHarness, err
	}
	tested, err := implementation.Load(x.implementation, catalogue)
	if err != nil {
		return exitUsage, usageError{err}
	}
	e := &explorer{exploration: x, out: out, catalogue: catalogue, run: x.runSpecs}
	fmt.Fprintf(out, "rollcall: %s, %s, seed %d\n", tested.Name, e.plan(), x.seed)
	all, err := e.playAll(ctx, schedules)
	if err != nil {
		return exitHarness, err
	}
	if len(all) == 0 {
		return exitHarness, fmt.Errorf("no schedule was played: see %s", filepath.Join(x.artifacts, "run-1", "run.log"))
	}
	found := brokenIn(all)
	fmt.Fprintf(out, "rollcall: %d schedules played, %d requirements broken\n", len(all), len(found))
	for _, id := range found {
		first := all[slices.IndexFunc(all, func(one played) bool { return one.breaks(id) })]
		if err := e.show(ctx, id, first, schedules[first.name]); err != nil {
			return exitHarness, err
		}
	}
	if len(found) > 0 {
		return exitNotConformant, nil
	}
	return exitConformant, nil
}

// playAll plays the schedules as was asked for.
func (e *explorer) playAll(ctx context.Context, schedules map[string]schedule.Schedule) ([]played, error) {
	if e.faults {
		return e.playWithFaults(ctx, schedules)
	}
	return e.play(ctx, schedules, e.lasting+setUp, e.progress())
}

// progress says on the output how a run gets on.
func (e *explorer) progress() func(reports.Event) { return (&explored{out: e.out}).see }

// setUp is how long a run may take to begin: a control plane has to start, and the implementation to be built.
const setUp = 30 * time.Second

// plan says what is played.
func (x exploration) plan() string {
	switch {
	case x.faults && x.replay != "":
		return "faults in the schedule of " + x.replay
	case x.faults:
		return "faults in one schedule"
	case x.replay != "":
		return "the schedule of " + x.replay
	}
	return "schedules for " + x.lasting.String()
}

// brokenIn are the requirements that any of the recordings shows broken, in the order in which they are. That everything is kept is left out where something
// else is not.
func brokenIn(all []played) []requirements.ID {
	var ids []requirements.ID
	for _, one := range all {
		for i, violation := range one.judgement.Violations {
			summary := violation.Requirement == everything && i > 0
			if !summary && !slices.Contains(ids, violation.Requirement) {
				ids = append(ids, violation.Requirement)
			}
		}
	}
	return ids
}

// everything is the requirement that every rule is kept.
const everything requirements.ID = "STRESS-001"

// show tells the violation, makes the schedule smaller, and says how to play it again.
func (e *explorer) show(ctx context.Context, id requirements.ID, first played, s schedule.Schedule) error {
	for _, violation := range first.judgement.Violations {
		if violation.Requirement == id {
			fmt.Fprintf(e.out, "\n%v\n  recording: %s\n", violation, first.path)
			break
		}
	}
	var failure error
	if e.shrinking > 0 && e.replay == "" && ctx.Err() == nil {
		s, failure = e.shrink(ctx, s, id)
	}
	s.Title = "breaks " + string(id)
	path := filepath.Join(e.artifacts, string(id)+stress.Extension)
	if err := os.WriteFile(path, []byte(s.String()), 0o644); err != nil {
		return fmt.Errorf("keep schedule: %w", err)
	}
	fmt.Fprintf(e.out, "%s  again: rollcall explore -implementation=%s -artifacts=_again -replay=%s\n", s, e.implementation, path)
	return failure
}
