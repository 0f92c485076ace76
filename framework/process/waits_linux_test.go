package process

import (
	"os"
	"testing"
)

func TestTheKernelTellsOfEveryThread(t *testing.T) {
	if _, err := os.Stat("/proc/self/schedstat"); err != nil {
		t.Skip("this kernel does not say how long threads wait")
	}
	threads := threadsOf(os.Getpid())
	if len(threads) < 2 {
		t.Fatalf("threads %v, want several: this is a Go program", threads)
	}
	ran := false
	for _, is := range threads {
		ran = ran || is.ran > 0
	}
	if !ran {
		t.Errorf("no thread of %v has run", threads)
	}
	if gone := threadsOf(1 << 30); gone != nil {
		t.Errorf("threads %v of no process", gone)
	}
}
