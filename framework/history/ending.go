package history

// Ending says how a scenario ended. It is the last entry of a whole recording, so that the time that passed before it shows.
type Ending struct {
	// Aborted says why the scenario did not reach its end; empty if it did.
	Aborted string `json:"aborted,omitempty"`
	// Impossible says why the scenario cannot be played on this cluster; empty if it can.
	Impossible string `json:"impossible,omitempty"`
	// Nodes is the kind of nodes that it was played on: real or simulated; empty if it took none.
	Nodes string `json:"nodes,omitempty"`
}

// End returns how the scenario ended; nil if the recording was cut off before.
func (h *History) End() *Ending {
	for i := len(h.Entries) - 1; i >= 0; i-- {
		if ending := h.Entries[i].Ending; ending != nil {
			return ending
		}
	}
	return nil
}

// Bind gives the objects that a scenario chose the name by which its checks know them.
type Bind struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}
