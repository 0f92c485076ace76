package trial

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

func TestBusyProcessesRunUntilTheyAreStopped(t *testing.T) {
	stop, err := Busy(t.Context(), 3)
	if err != nil {
		t.Fatal(err)
	}
	if n := len(children(t)); n != 3 {
		t.Errorf("%d busy processes, want 3", n)
	}
	stop()
	if left := children(t); len(left) > 0 {
		t.Errorf("%v still run", left)
	}
}

// children are the processes that this one started and that have not been waited for.
func children(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	var mine []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			// It has ended meanwhile.
			continue
		}
		_, rest, _ := strings.Cut(string(text), ") ")
		if fields := strings.Fields(rest); len(fields) > 1 && fields[1] == strconv.Itoa(os.Getpid()) {
			mine = append(mine, path)
		}
	}
	return mine
}
