package schedule

import (
	"math/rand/v2"
	"slices"
	"time"
)

// Choices bounds A and B of a step.
const Choices = 21

// Waits are the times between acts: within what a controller takes to see a change, and longer.
func Waits() []time.Duration {
	return []time.Duration{0, 50 * time.Millisecond, 100 * time.Millisecond, 300 * time.Millisecond, 700 * time.Millisecond, 1500 * time.Millisecond}
}

// mostSteps and mostNodes bound what is drawn.
const (
	fewestSteps, mostSteps = 10, 30
	fewestNodes, mostNodes = 3, 6
)

// Draw makes a schedule of the seed: the same one every time. Each lever is left out of a third of the schedules, so that one does not always undo another.
func Draw(seed uint64, levers []Lever) Schedule {
	random := rand.New(rand.NewPCG(seed, 0))
	bag := Bag(slices.DeleteFunc(slices.Clone(levers), func(lever Lever) bool { return lever.Act != Update && random.IntN(3) == 0 }))
	strategies := Strategies()
	s := Schedule{
		Nodes:           fewestNodes + random.IntN(mostNodes-fewestNodes+1),
		Strategy:        strategies[random.IntN(len(strategies))],
		MinReadySeconds: max(0, random.IntN(5)-2),
	}
	waits := Waits()
	for range fewestSteps + random.IntN(mostSteps-fewestSteps+1) {
		s.Steps = append(s.Steps, Step{
			Wait: waits[random.IntN(len(waits))], Act: bag[random.IntN(len(bag))], A: random.IntN(Choices), B: random.IntN(Choices),
		})
	}
	return s
}
