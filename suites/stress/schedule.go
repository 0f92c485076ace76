package stress

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// planned is one act of a schedule, as plain data. What it is done to depends on A.
type planned struct {
	Wait time.Duration
	Act  string
	A    int
}

// String is one line of a schedule.
func (p planned) String() string {
	return fmt.Sprintf("after %s: %s (%d)", p.Wait, p.Act, p.A)
}

// choices bounds A.
const choices = 1000

// draw makes a schedule of that many acts of the seed: the same one every time.
func draw(seed int64, acts int, weights map[string]int) []planned {
	random := rand.New(rand.NewPCG(uint64(seed), 0))
	var names []string
	for name, weight := range weights {
		names = append(names, slices.Repeat([]string{name}, weight)...)
	}
	slices.Sort(names)
	waits := []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond, 700 * time.Millisecond}
	all := make([]planned, acts)
	for i := range all {
		all[i] = planned{Wait: waits[random.IntN(len(waits))], Act: names[random.IntN(len(names))], A: random.IntN(choices)}
	}
	return all
}

// lines is the schedule for a reader.
func lines(schedule []planned) []string {
	var text []string
	for _, p := range schedule {
		text = append(text, p.String())
	}
	return text
}
