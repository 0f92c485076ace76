package main

import "slices"

// hang is how many times longer than it ever took a test must have run, when the time is over, to have failed: what was cut short sooner says nothing.
const hang = 5

// baseline is what the reference and kube-controller-manager make of the tests of a subject.
type baseline struct {
	// counts are the tests that the reference passes each time: a variant of it that fails one is caught.
	counts []string
	// longest is the most seconds that each took.
	longest map[string]float64
	// leftOut are the tests that both failed, as they were when kube-controller-manager did: they do not hold on simulated nodes.
	leftOut []test
	// referenceFails are those that the reference failed and kube-controller-manager never did; ownFails those that it was the other way round.
	referenceFails, ownFails []test
}

// baselineOf reads the runs of the subject.
func baselineOf(runs []run, of subject) baseline {
	b := baseline{longest: map[string]float64{}}
	failed := map[string]test{}
	for _, t := range testsOf(runs, reference, of) {
		if !t.passed() {
			failed[t.Name] = t
		}
		b.longest[t.Name] = max(b.longest[t.Name], t.Seconds)
	}
	for name := range b.longest {
		if _, found := failed[name]; found {
			delete(b.longest, name)
			continue
		}
		b.counts = append(b.counts, name)
	}
	slices.Sort(b.counts)
	for _, t := range testsOf(runs, kubernetesOwn, of) {
		_, found := failed[t.Name]
		switch {
		case t.passed():
		case found:
			b.leftOut = append(b.leftOut, t)
			delete(failed, t.Name)
		case slices.Contains(b.counts, t.Name):
			b.ownFails = append(b.ownFails, t)
		}
	}
	for _, t := range testsOf(runs, reference, of) {
		if _, found := failed[t.Name]; found && !t.passed() {
			b.referenceFails = append(b.referenceFails, t)
			delete(failed, t.Name)
		}
	}
	return b
}

// testsOf are the tests of all runs against an implementation.
func testsOf(runs []run, name string, of subject) []test {
	var tests []test
	for _, r := range runs {
		if r.Name == name && r.Subject == of.name {
			tests = append(tests, r.Tests...)
		}
	}
	return tests
}

// caught are the tests that count and failed. decided is false if none did and one was cut short.
func (b baseline) caught(r run) (failed []test, decided bool) {
	decided = true
	for _, t := range r.Tests {
		switch {
		case t.passed() || !slices.Contains(b.counts, t.Name):
		case t.cutShort() && t.Seconds < hang*b.longest[t.Name]:
			decided = false
		default:
			failed = append(failed, t)
		}
	}
	return failed, decided || len(failed) > 0
}
