package historytest

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Later is what a recording of the same would have been that began behind the first n entries: it has the state there, which is of others, and the entries since.
func Later(h *history.History, n int) (*history.History, error) {
	state := map[string]history.Entry{}
	for _, entry := range h.Entries[:n] {
		if entry.Object == nil {
			continue
		}
		key := fmt.Sprintf("%s %s/%s", entry.Kind, entry.Object.GetNamespace(), entry.Object.GetName())
		if entry.Type == watch.Deleted {
			delete(state, key)
			continue
		}
		version, err := strconv.ParseUint(entry.Object.GetResourceVersion(), 10, 64)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", key, err)
		}
		entry.ResourceVersion, entry.Type, entry.Author = version, watch.Added, &history.Author{Who: history.Others}
		state[key] = entry
	}
	later := *h
	later.Start = h.Entries[n-1].Time
	shift := later.Start.Sub(h.Start)
	later.Entries = append(slices.Collect(maps.Values(state)), h.Entries[n:]...)
	for i := range later.Entries {
		if entry := &later.Entries[i]; i < len(state) {
			entry.Time, entry.Received = later.Start, 0
		} else {
			entry.Received -= shift
		}
	}
	later.Sort()
	later.Evidence = slices.Clone(h.Evidence)
	for i := range later.Evidence {
		later.Evidence[i].Received -= shift
	}
	later.Standstills = slices.Clone(h.Standstills)
	for i := range later.Standstills {
		later.Standstills[i].From -= shift
		later.Standstills[i].Until -= shift
	}
	return &later, nil
}
