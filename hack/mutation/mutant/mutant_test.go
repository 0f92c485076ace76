package mutant_test

import (
	"slices"
	"testing"

	"github.com/rollcall-conformance/rollcall/hack/mutation/mutant"
)

// lazily fails the test where an operand is asked that the code as it is would not ask.
func lazily(t *testing.T) func() bool {
	return func() bool {
		t.Error("the second operand was asked")
		return false
	}
}

func always(b bool) func() bool { return func() bool { return b } }

func TestTheCodeIsAsItIsWithNoMutantOn(t *testing.T) {
	mutant.Select(0)
	mutant.Trace(20)
	if mutant.And(1, always(false), lazily(t)) || !mutant.Or(3, always(true), lazily(t)) {
		t.Error("another result with no mutant on")
	}
	if mutant.Choose(5, 1, 2) != 1 || !mutant.Cond(6, true) || mutant.Not(8, false) || mutant.On(9) || mutant.Choose(10, 3, 3) != 3 {
		t.Error("another result with no mutant on")
	}
	if got, want := mutant.Met(), []int{1, 3, 5, 7, 8, 9}; !slices.Equal(got, want) {
		t.Errorf("met %v, want %v: those that would make a difference", got, want)
	}
}

func TestOneMutantIsOn(t *testing.T) {
	defer mutant.Select(0)
	for number, changed := range map[int]func() bool{
		1: func() bool { return mutant.And(1, always(false), always(true)) },
		2: func() bool { return mutant.And(1, always(true), always(false)) },
		3: func() bool { return !mutant.Or(3, always(true), always(false)) },
		4: func() bool { return !mutant.Or(3, always(false), always(true)) },
		5: func() bool { return mutant.Choose(5, 1, 2) == 2 },
		6: func() bool { return mutant.Cond(6, false) },
		7: func() bool { return !mutant.Cond(6, true) },
		8: func() bool { return mutant.Not(8, false) },
		9: func() bool { return mutant.On(9) },
	} {
		if mutant.Select(number); !changed() {
			t.Errorf("mutant %d changes nothing", number)
		}
		if mutant.Select(0); changed() {
			t.Errorf("mutant %d is on though it is not selected", number)
		}
	}
}
