package reports

import "fmt"

// Decided is the number of requirements that passed or failed, or that could not be decided.
func (s Statistics) Decided() int { return s.Passed + s.Failed + s.Inconclusive }

// Skipped is the number of requirements that were not run or are of a feature that is not claimed.
func (s Statistics) Skipped() int { return s.Unsupported + s.NotRun }

// String counts with the words that the whole report uses, inconclusive by itself: "17 passed, 3 failed, 67 inconclusive, 4 unsupported, 257 not run".
func (s Statistics) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d inconclusive, %d unsupported, %d not run", s.Passed, s.Failed, s.Inconclusive, s.Unsupported, s.NotRun)
}

// Closing is the end of a run's output: the line that CI reads, after lines that say what it has no place for. It counts inconclusive as failed, and what
// a component of Kubernetes breaks as skipped.
func (s Statistics) Closing() string {
	said := ""
	if s.Inconclusive > 0 {
		said += fmt.Sprintf("The last line, which is for CI, counts the %d inconclusive as failed.\n", s.Inconclusive)
	}
	if s.NotItsOwn > 0 {
		said += fmt.Sprintf("The last line, which is for CI, counts the %d failed that Kubernetes itself breaks as skipped.\n", s.NotItsOwn)
	}
	return said + fmt.Sprintf("requirements: %d passed, %d failed, %d skipped\n", s.Passed, s.ItsOwn()+s.Inconclusive, s.Skipped()+s.NotItsOwn)
}
