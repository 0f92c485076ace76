package requirements

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Unknown returns an error that lists every ID which the catalogue lacks, each with the nearest that it has, or nil
// if it has them all.
func (c *Catalogue) Unknown(ids ...ID) error {
	var unknown []error
	for _, id := range ids {
		if _, ok := c.Get(id); !ok {
			unknown = append(unknown, fmt.Errorf("unknown requirement %q: %s", string(id), c.suggestion(id)))
		}
	}
	return errors.Join(unknown...)
}

// suggestion mends spelling (`surge_2`), then the number, then points to the family with the longest common prefix.
func (c *Catalogue) suggestion(id ID) string {
	family, number := split(id)
	if n, err := strconv.Atoi(number); err == nil {
		corrected := ID(fmt.Sprintf("%s-%03d", family, n))
		if _, ok := c.Get(corrected); ok {
			return fmt.Sprintf("did you mean %s?", corrected)
		}
	}
	nearest, shared := "", 1
	for _, candidate := range c.families() {
		// A typing error late in a name leaves a long prefix; a single shared letter says nothing.
		if n := commonPrefix(candidate, family); n > shared || candidate == family {
			nearest, shared = candidate, n
		}
	}
	if nearest == "" {
		return "the families are " + strings.Join(c.families(), ", ")
	}
	rows := c.Family(nearest)
	if len(rows) == 1 {
		return fmt.Sprintf("%s has only %s", nearest, rows[0].ID)
	}
	return fmt.Sprintf("%s goes from %s to %s", nearest, rows[0].ID, rows[len(rows)-1].ID)
}

func (c *Catalogue) families() []string {
	var names []string
	for _, r := range c.requirements {
		if family := r.ID.Family(); !slices.Contains(names, family) {
			names = append(names, family)
		}
	}
	return names
}

// split parts an ID of any spelling into its letters, in upper case, and its digits.
func split(id ID) (family, number string) {
	for _, r := range strings.ToUpper(string(id)) {
		switch {
		case r >= '0' && r <= '9':
			number += string(r)
		case r >= 'A' && r <= 'Z':
			family += string(r)
		}
	}
	return family, number
}

func commonPrefix(a, b string) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}
