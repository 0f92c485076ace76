package judge

import "github.com/rollcall-conformance/rollcall/framework/history"

// byImplementation reports whether the event is the implementation's act. An event that has an author, whom somebody knows, is its author's; of any other
// the inference, which looks at what else is in the recording, decides.
func byImplementation(entry history.Entry, inferred func() bool) bool {
	if entry.Author == nil || entry.Author.Who == history.Unknown {
		return inferred()
	}
	return entry.Author.Who == history.Implementation
}
