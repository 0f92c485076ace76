package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// threadsOf are the threads of a process and of those that it has started, with what the kernel's scheduler says of each; nil if it says nothing.
func threadsOf(pid int) map[int]usage {
	folders, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/[0-9]*", pid))
	if err != nil {
		return nil
	}
	var threads map[int]usage
	add := func(id int, is usage) {
		if threads == nil {
			threads = map[int]usage{}
		}
		threads[id] = is
	}
	for _, folder := range folders {
		id, err := strconv.Atoi(filepath.Base(folder))
		if err != nil {
			continue
		}
		// A thread may end at any time, and with it what there is to read.
		if is, ok := readUsage(filepath.Join(folder, "schedstat")); ok {
			add(id, is)
		}
		children, err := os.ReadFile(filepath.Join(folder, "children"))
		if err != nil {
			continue
		}
		for _, child := range strings.Fields(string(children)) {
			if pid, err := strconv.Atoi(child); err == nil {
				for id, is := range threadsOf(pid) {
					add(id, is)
				}
			}
		}
	}
	return threads
}

// readUsage reads for how many nanoseconds a thread ran, and for how many it was ready to run and did not.
func readUsage(path string) (usage, bool) {
	text, err := os.ReadFile(path)
	if err != nil {
		return usage{}, false
	}
	fields := strings.Fields(string(text))
	if len(fields) < 2 {
		return usage{}, false
	}
	ran, errRan := strconv.ParseInt(fields[0], 10, 64)
	waited, errWaited := strconv.ParseInt(fields[1], 10, 64)
	return usage{time.Duration(ran), time.Duration(waited)}, errRan == nil && errWaited == nil
}
