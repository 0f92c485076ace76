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

// Closing is the end of a run's output: the line that CI reads, which has no place for inconclusive and counts it as failed, after a line that says
// so if there is any.
func (s Statistics) Closing() string {
	line := fmt.Sprintf("requirements: %d passed, %d failed, %d skipped\n", s.Passed, s.Failed+s.Inconclusive, s.Skipped())
	if s.Inconclusive == 0 {
		return line
	}
	return fmt.Sprintf("The next line, which is for CI, counts the %d inconclusive as failed.\n", s.Inconclusive) + line
}
