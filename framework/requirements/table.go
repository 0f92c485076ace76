package requirements

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/rollcall-conformance/rollcall/reports"
)

// WriteTable writes one line per requirement (ID, level, feature, the specs that decide it or "no spec yet") in the
// order of the catalogue, then a line that sums up. deciding maps a requirement to the names of its specs; a key that
// is not in the catalogue is an error, and nothing is written then.
func WriteTable(w io.Writer, c *Catalogue, deciding map[ID][]string) error {
	if err := c.Unknown(slices.Sorted(maps.Keys(deciding))...); err != nil {
		return fmt.Errorf("listing the specs that decide requirements: %w", err)
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "REQUIREMENT\tLEVEL\tFEATURE\tDECIDED BY")
	levels := map[reports.Level]int{}
	decided := 0
	for _, r := range c.requirements {
		levels[r.Level]++
		specs := "no spec yet"
		if len(deciding[r.ID]) > 0 {
			decided++
			specs = strings.Join(slices.Sorted(slices.Values(deciding[r.ID])), "; ")
		}
		fmt.Fprintf(table, "%s\t%s\t%s\t%s\n", r.ID, r.Level, r.Feature, specs)
	}
	if err := table.Flush(); err != nil {
		return fmt.Errorf("writing the table of requirements: %w", err)
	}
	_, err := fmt.Fprintf(w, "\n%d requirements: %d core, %d extended, %d reference; %d decided by a spec, %d with no spec yet\n",
		len(c.requirements), levels[reports.LevelCore], levels[reports.LevelExtended], levels[reports.LevelReference], decided, len(c.requirements)-decided)
	if err != nil {
		return fmt.Errorf("writing the table of requirements: %w", err)
	}
	return nil
}
