package run

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/framework/process"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/schedule"
	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/stress"
)

// explorer has schedules played, each in a run of `rollcall run` that plays nothing else.
type explorer struct {
	exploration
	out       io.Writer
	catalogue *requirements.Catalogue
	// run plays the schedules of a folder, leaves recordings among the artifacts, and tells how it gets on.
	run func(ctx context.Context, given, artifacts string, most time.Duration, told func(reports.Event)) error
	// runs counts them.
	runs int
}

// played is what a recording of a schedule says.
type played struct {
	judged
	name string
}

// breaks reports whether the recording shows the requirement broken.
func (p played) breaks(id requirements.ID) bool {
	return slices.ContainsFunc(p.judgement.Violations, func(v judge.Violation) bool { return v.Requirement == id })
}

// play has the schedules played until all have been, or the time is over, and judges what was recorded. Interrupted schedules are judged as far as they came.
func (e *explorer) play(ctx context.Context, schedules map[string]schedule.Schedule, most time.Duration, told func(reports.Event)) ([]played, error) {
	e.runs++
	folder := filepath.Join(e.artifacts, fmt.Sprintf("run-%d", e.runs))
	given := filepath.Join(folder, "schedules")
	if err := os.MkdirAll(given, 0o755); err != nil {
		return nil, fmt.Errorf("keep schedules: %w", err)
	}
	for name, s := range schedules {
		if err := os.WriteFile(filepath.Join(given, name+stress.Extension), []byte(s.String()), 0o644); err != nil {
			return nil, fmt.Errorf("keep schedule: %w", err)
		}
	}
	artifacts := filepath.Join(folder, "artifacts")
	if err := e.run(ctx, given, artifacts, most, told); err != nil {
		return nil, err
	}
	return e.judge(artifacts)
}

// runSpecs runs `rollcall run` with the folder of schedules. That it ends with a failure is what its recordings are judged for.
func (x exploration) runSpecs(ctx context.Context, given, artifacts string, most time.Duration, told func(reports.Event)) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find this program: %w", err)
	}
	wrapped, err := process.WrapForDeath(self, filepath.Dir(given))
	if err != nil {
		return err
	}
	log, err := os.Create(filepath.Join(filepath.Dir(given), "run.log"))
	if err != nil {
		return fmt.Errorf("open the run's log: %w", err)
	}
	defer log.Close()
	limited, cancel := context.WithTimeout(ctx, most)
	defer cancel()
	command := exec.CommandContext(limited, wrapped, "run", "-provider=embedded", "-implementation="+x.implementation, "-focus="+stress.Exploring,
		"-artifacts="+artifacts, "-procs="+strconv.Itoa(x.procs), "-seed="+strconv.FormatInt(x.seed, 10), "-keep-going", "-on-exit="+onExitRestart, "-json")
	command.Env = append(os.Environ(), stress.FolderVariable+"="+given)
	events, tell := io.Pipe()
	var group sync.WaitGroup
	group.Go(func() { readEvents(events, told) })
	command.Stdout, command.Stderr = tell, log
	command.SysProcAttr = ownGroup()
	command.Cancel = func() error { return command.Process.Signal(os.Interrupt) }
	err = command.Run()
	tell.Close()
	group.Wait()
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit) && exit.ExitCode() == exitUsage:
		return fmt.Errorf("the run of the schedules was refused: see %s", log.Name())
	case err == nil, errors.As(err, &exit), limited.Err() != nil:
		return nil
	}
	return fmt.Errorf("run the schedules: %w", err)
}

// judge judges the recordings of a run's schedules, in the order of their names.
func (e *explorer) judge(artifacts string) ([]played, error) {
	paths, err := filepath.Glob(filepath.Join(artifacts, recordingsFolder, "*.jsonl"))
	if err != nil {
		return nil, fmt.Errorf("list recordings: %w", err)
	}
	var all []played
	for _, path := range paths {
		j, err := judgeRecording(path, artifacts, e.catalogue)
		if err != nil {
			// The end of the time may have come in the middle of a line.
			fmt.Fprintf(e.out, "rollcall: left out: %v\n", err)
			continue
		}
		if name := stress.NameOf(j.history.Scenario); name != "" {
			all = append(all, played{judged: j, name: name})
		}
	}
	slices.SortFunc(all, func(a, b played) int { return strings.Compare(a.name, b.name) })
	return all, nil
}

// shrink leaves acts out of the schedule while the requirement is still broken, on the control plane itself.
func (e *explorer) shrink(ctx context.Context, s schedule.Schedule, id requirements.ID) (smallest schedule.Schedule, err error) {
	until := time.Now().Add(e.shrinking)
	smallest = schedule.Minimize(s, func(candidates []schedule.Schedule) (int, bool) {
		names := map[string]schedule.Schedule{}
		for i, candidate := range candidates {
			names[numbered(i)] = candidate
		}
		var tried []played
		if tried, err = e.play(ctx, names, time.Until(until), func(reports.Event) {}); err != nil {
			return -1, false
		}
		again := ctx.Err() == nil && time.Now().Before(until)
		for _, one := range tried {
			place := slices.IndexFunc(candidates, func(candidate schedule.Schedule) bool { return names[one.name].String() == candidate.String() })
			if one.breaks(id) && place >= 0 {
				fmt.Fprintf(e.out, "rollcall: %s: %d acts break it, too\n", id, len(candidates[place].Steps))
				return place, again
			}
		}
		return -1, again
	})
	return smallest, err
}

// numbered is the name of a schedule that has no other.
func numbered(i int) string { return fmt.Sprintf("%04d", i+1) }
