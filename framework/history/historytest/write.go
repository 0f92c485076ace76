package historytest

import (
	"fmt"
	"io"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// WriteTo writes the history as a recording, in its order.
func WriteTo(out io.Writer, h *history.History) error {
	w, err := history.NewWriter(out, h.Header)
	if err != nil {
		return err
	}
	for _, entry := range h.Entries {
		if err := w.Entry(entry); err != nil {
			return fmt.Errorf("resourceVersion %d: %w", entry.ResourceVersion, err)
		}
	}
	for _, gap := range h.Gaps {
		if err := w.Gap(gap); err != nil {
			return err
		}
	}
	if !h.CaughtUp {
		return nil
	}
	return w.CaughtUp()
}
