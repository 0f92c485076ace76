package passive

import (
	"slices"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// listed is where the first lists of a recording are there. What is in them may have changed at any time before; from then on everything is recorded as it happens.
const listed history.Mark = "the first lists are there"

// begun is when everything was recorded from, by the entries of a recording; where they do not say, as those of other versions, when the recording began.
func begun(entries []history.Entry, start time.Time) time.Time {
	if i := slices.IndexFunc(entries, func(entry history.Entry) bool { return entry.Mark == listed }); i >= 0 {
		return entries[i].Time
	}
	return start
}
