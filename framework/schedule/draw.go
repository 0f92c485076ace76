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

// longWait is longer than anything may take that is due: what is not done by then never is.
const longWait = 8 * time.Second

// Draw makes a schedule of the seed: the same one every time. Between a sixth and five sixths of the levers are left out of each, so that one does not always
// undo another. Every second act is on what the one before was on. Some schedules hurry all the time; in others every eighth or every fourth act waits until
// what is due has been done.
func Draw(seed uint64, levers []Lever) Schedule {
	random := rand.New(rand.NewPCG(seed, 0))
	leftOut, patience := 1+random.IntN(5), random.IntN(3)
	bag := Bag(slices.DeleteFunc(slices.Clone(levers), func(lever Lever) bool { return lever.Act != Update && random.IntN(6) < leftOut }))
	strategies, waits := Strategies(), Waits()
	s := Schedule{
		Nodes:           fewestNodes + random.IntN(mostNodes-fewestNodes+1),
		Strategy:        strategies[random.IntN(len(strategies))],
		MinReadySeconds: max(0, random.IntN(5)-2),
	}
	a := random.IntN(Choices)
	for range fewestSteps + random.IntN(mostSteps-fewestSteps+1) {
		step := Step{Wait: waits[random.IntN(len(waits))], Act: bag[random.IntN(len(bag))], B: random.IntN(Choices)}
		if random.IntN(8) < patience {
			step.Wait = longWait
		}
		if random.IntN(2) == 0 {
			a = random.IntN(Choices)
		}
		step.A = a
		s.Steps = append(s.Steps, step)
	}
	// Every second schedule is of the plain form.
	if forms := Forms(); random.IntN(2) == 0 {
		s.Form = forms[random.IntN(len(forms))].Name
	}
	return s
}
