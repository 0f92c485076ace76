// Package mutant is what mutated code asks at run time: every mutant is in one program, and at most one of them is selected. hack/mutation writes the
// calls; nothing in the repository has any. One goroutine at a time may run mutated code.
package mutant

// selected is the number of the mutant that is on; mutants count from 1.
var selected int

// marks says of mutants, by their number, that the code met one where it may make a difference; nil while nobody asks.
var marks []bool

// Select turns one mutant on, and the one before off. Zero turns all off.
func Select(number int) { selected = number }

// Trace begins to note which mutants, up to the number, are met, and forgets those before.
func Trace(most int) { marks = make([]bool, most+1) }

// Met returns the numbers of the mutants that the code has met since Trace where their choice would have been another one than that of the code as it is.
func Met() []int {
	var met []int
	for number, is := range marks {
		if is {
			met = append(met, number)
		}
	}
	return met
}

// mark notes that the mutant would make a difference here.
func mark(number int) {
	if number < len(marks) {
		marks[number] = true
	}
}

// On reports whether the mutant is selected, for a statement that it leaves out, or puts in.
func On(number int) bool {
	mark(number)
	return number == selected
}

// Choose returns changed if the mutant is selected, else original.
func Choose[T comparable](number int, original, changed T) T {
	if original != changed {
		mark(number)
	}
	if number == selected {
		return changed
	}
	return original
}

// Not is original, or its negation.
func Not(number int, original bool) bool { return Choose(number, original, !original) }

// Cond is original, or true by the first mutant, or false by the next.
func Cond(number int, original bool) bool {
	if number+1 == selected {
		return false
	}
	if original {
		mark(number + 1)
	}
	return Choose(number, original, true)
}

// And is a && b, or by two mutants: b; a.
func And(number int, a, b func() bool) bool {
	switch selected {
	case number:
		return b()
	case number + 1:
		return a()
	}
	if !a() {
		mark(number)
		return false
	}
	if !b() {
		mark(number + 1)
		return false
	}
	return true
}

// Or is a || b, or by two mutants: b; a.
func Or(number int, a, b func() bool) bool {
	switch selected {
	case number:
		return b()
	case number + 1:
		return a()
	}
	if a() {
		mark(number)
		return true
	}
	if b() {
		mark(number + 1)
		return true
	}
	return false
}
