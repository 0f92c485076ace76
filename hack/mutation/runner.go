package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/hack/mutation/mutant"
)

// simulationPackage has the test by which a mutated planner is judged.
const simulationPackage = "impl/simulation"

// tooLong is how much processor time a trial may take: what takes more goes round in circles. Time by the clock says less, since others use the processors, too.
// One that nothing kills takes half a minute, and on a busy machine four times as long.
const tooLong = 10 * time.Minute

// runner is the simulation with all mutants in its planner.
type runner struct {
	folder, program string
	// steps is after how many steps of simulations a mutant counts as survived.
	steps int
	// plays are all simulations as they are with no mutant on.
	plays []mutant.Play
	// progress is what has become of mutants before.
	progress *progress
}

// build makes one program of all mutants: its planner's sources are replaced by mutated ones.
func build(ctx context.Context, root, scratch string, m *mutated) (*runner, error) {
	overlay := struct{ Replace map[string]string }{map[string]string{}}
	for path, text := range m.files {
		replacement := filepath.Join(scratch, strconv.Itoa(len(overlay.Replace))+"-"+filepath.Base(path))
		if err := os.WriteFile(replacement, []byte(text), 0o600); err != nil {
			return nil, fmt.Errorf("write a mutated file: %w", err)
		}
		overlay.Replace[path] = replacement
	}
	list, err := json.Marshal(overlay)
	if err != nil {
		return nil, fmt.Errorf("write the overlay: %w", err)
	}
	listPath := filepath.Join(scratch, "overlay.json")
	if err := os.WriteFile(listPath, list, 0o600); err != nil {
		return nil, fmt.Errorf("write the overlay: %w", err)
	}
	r := &runner{folder: filepath.Join(root, simulationPackage), program: filepath.Join(scratch, "simulation.test")}
	command := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-overlay", listPath, "-o", r.program, "./"+simulationPackage)
	command.Dir = root
	if output, err := command.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("build the mutated simulation: %w\n%s", err, output)
	}
	return r, nil
}

// trace plays everything with no mutant on, and notes which mutants are met where.
func (r *runner) trace(ctx context.Context, mutants int) error {
	lines, err := r.run(ctx, unlimited, fmt.Sprintf("-mutants=%d", mutants))
	if err != nil {
		return err
	}
	for _, line := range lines {
		var play mutant.Play
		if err := json.Unmarshal(line, &play); err != nil {
			return fmt.Errorf("read %s: %w", line, err)
		}
		r.plays = append(r.plays, play)
	}
	return nil
}

// meeting are the places of the simulations in which the mutant may make a difference: those made to show something first, then each flavour in its turn, short ones
// first.
func (r *runner) meeting(number int) []int {
	var places []int
	for place, play := range r.plays {
		if _, met := slices.BinarySearch(play.Met, number); met {
			places = append(places, place)
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(r.plays[a].Steps, r.plays[b].Steps) })
	turn, turns := map[int]int{}, map[string]int{}
	for _, place := range places {
		if flavour := r.plays[place].Flavour; !mutant.Made(flavour) {
			turns[flavour]++
			turn[place] = turns[flavour]
		}
	}
	slices.SortStableFunc(places, func(a, b int) int { return cmp.Compare(turn[a], turn[b]) })
	return places
}

// try has one mutant judged, unless that has been done.
func (r *runner) try(ctx context.Context, number int) (mutant.Trial, error) {
	if tried, known := r.progress.of(number); known {
		return tried, nil
	}
	tried, err := r.judged(ctx, number)
	if err != nil {
		return tried, err
	}
	return tried, r.progress.note(number, tried)
}

// judged has one mutant judged, in a process of its own: what it leaves behind harms no other.
func (r *runner) judged(ctx context.Context, number int) (mutant.Trial, error) {
	var places []string
	for _, place := range r.meeting(number) {
		places = append(places, strconv.Itoa(place))
	}
	if len(places) == 0 {
		return mutant.Trial{}, nil
	}
	lines, err := r.run(ctx, tooLong, fmt.Sprintf("-mutant=%d", number), fmt.Sprintf("-mutant-steps=%d", r.steps), "-plays="+strings.Join(places, ","))
	switch {
	case errors.Is(err, errTooLong):
		return mutant.Trial{Panic: "goes round in circles", Plays: len(places)}, nil
	case err != nil:
		return mutant.Trial{}, err
	case len(lines) != 1:
		return mutant.Trial{}, fmt.Errorf("mutant %d: %d lines", number, len(lines))
	}
	var trial mutant.Trial
	if err := json.Unmarshal(lines[0], &trial); err != nil {
		return trial, fmt.Errorf("read %s: %w", lines[0], err)
	}
	return trial, nil
}

// run starts the simulation and returns what it prints for this command.
func (r *runner) run(ctx context.Context, limit time.Duration, flags ...string) ([][]byte, error) {
	command := exec.CommandContext(ctx, r.program, append([]string{"-test.run=^TestMutants$"}, flags...)...)
	command.Dir = r.folder
	// Mutants are tried side by side.
	command.Env = append(os.Environ(), "GOMAXPROCS=1")
	output, err := limited(command, limit)
	if err != nil {
		return nil, fmt.Errorf("simulate %s: %w\n%s", strings.Join(flags, " "), err, output)
	}
	var lines [][]byte
	for line := range bytes.Lines(output) {
		if text, is := bytes.CutPrefix(bytes.TrimSpace(line), []byte(mutant.Prefix)); is {
			lines = append(lines, text)
		}
	}
	return lines, nil
}
