// Package requirements holds the catalogue of numbered requirements: what each promises, where it comes from, how
// much it weighs, and what a cluster must offer to decide it. The catalogue is embedded and validated as it is loaded.
// The package knows nothing about clusters, specs or verdicts.
package requirements

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

//go:embed catalogue/*.yaml
var embedded embed.FS

// Catalogue is the validated list of requirements. It does not change once loaded and is safe for concurrent use.
type Catalogue struct {
	requirements []Requirement
	index        map[ID]int
	digest       string
}

// Families returns the families of requirements in the order of the catalogue: those drawn from the design documents, then rollcall's own. Each
// has a file of its own.
func Families() []string { return slices.Concat(documented(), added()) }

// documented are the families drawn from the design documents.
func documented() []string {
	return []string{
		"API", "AVAIL", "SURGE", "PAUSE", "UNREADY", "DRAIN", "HOSTPORT", "GATE", "ROLLING", "ONDELETE", "ROLLOVER",
		"ROLLBACK", "STATUS", "COND", "HISTORY", "TARGET", "RECOVERY", "STRESS", "KUBECTL", "INPLACE", "PDBAPI", "PDB",
		"EVICT", "CROSS", "UNITED",
	}
}

// added are the families of what no design document has a passage for, but real clusters make a difference to.
func added() []string { return []string{"TAKEOVER", "KUBELET"} }

// Load reads the embedded catalogue. Its errors name the file, the line and the requirement, and join all that is
// wrong, so that one run of the tests shows everything to repair.
func Load() (*Catalogue, error) {
	return load(embedded, Families())
}

func load(files fs.FS, families []string) (*Catalogue, error) {
	if err := refuseStrayFiles(files, families); err != nil {
		return nil, err
	}
	c := &Catalogue{index: map[ID]int{}}
	for _, family := range families {
		rows, err := readFamily(files, family)
		if err != nil {
			return nil, err
		}
		for _, r := range rows {
			c.index[r.ID] = len(c.requirements)
			c.requirements = append(c.requirements, r)
		}
	}
	content, err := json.Marshal(c.requirements)
	if err != nil {
		return nil, fmt.Errorf("computing the catalogue's digest: %w", err)
	}
	sum := sha256.Sum256(content)
	c.digest = "sha256:" + hex.EncodeToString(sum[:])
	return c, nil
}

// refuseStrayFiles keeps a family that was forgotten in Families from going unnoticed.
func refuseStrayFiles(files fs.FS, families []string) error {
	names, err := fs.Glob(files, "catalogue/*.yaml")
	if err != nil {
		return fmt.Errorf("listing the catalogue: %w", err)
	}
	for _, name := range names {
		family := strings.ToUpper(strings.TrimSuffix(path.Base(name), ".yaml"))
		if !slices.Contains(families, family) {
			return fmt.Errorf("%s: no family %s; add it to Families or remove the file", name, family)
		}
	}
	return nil
}

// All returns every requirement in the order of the catalogue: by family, then by number.
func (c *Catalogue) All() []Requirement { return slices.Clone(c.requirements) }

// Get returns the requirement of that ID, and whether there is one.
func (c *Catalogue) Get(id ID) (Requirement, bool) {
	i, ok := c.index[id]
	if !ok {
		return Requirement{}, false
	}
	return c.requirements[i], true
}

// Family returns the requirements of a family such as SURGE by number, or none if there is no such family.
func (c *Catalogue) Family(name string) []Requirement {
	var rows []Requirement
	for _, r := range c.requirements {
		if r.ID.Family() == name {
			rows = append(rows, r)
		}
	}
	return rows
}

// Digest identifies the content of the catalogue in reports: `sha256:` and 64 hexadecimal digits. It changes with
// every word of a requirement, and not with the layout of the files.
func (c *Catalogue) Digest() string { return c.digest }
