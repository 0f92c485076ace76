package reports

import (
	"fmt"
	"slices"
)

// Situations are how much of a promise a run has tried: the situations that the promise's standing rule names, and those in which it was put to the test and
// kept. They decide no verdict.
type Situations struct {
	Seen  int `yaml:"seen"`
	Named int `yaml:"named"`
	// Unseen are the others, in the order of the rule.
	Unseen []string `yaml:"unseen,omitempty"`
}

// Sighting says in which situations one spec saw a requirement kept.
type Sighting struct {
	Requirement ID       `json:"requirement"`
	Situations  []string `json:"situations"`
}

// situationsOf sums up the sightings of a requirement whose rule names these situations.
func situationsOf(result RequirementResult, named []string, sightings []Sighting) *Situations {
	if len(named) == 0 || result.Verdict == Unsupported {
		return nil
	}
	situations := &Situations{Named: len(named)}
	for _, name := range named {
		seen := slices.ContainsFunc(sightings, func(s Sighting) bool {
			return s.Requirement == result.ID && slices.Contains(s.Situations, name)
		})
		if seen {
			situations.Seen++
		} else {
			situations.Unseen = append(situations.Unseen, name)
		}
	}
	if situations.Seen == 0 && !result.decided() {
		return nil
	}
	return situations
}

// decided reports whether a spec was to decide the requirement, and ran.
func (r RequirementResult) decided() bool {
	return r.Verdict == Pass || r.Verdict == Fail || r.Verdict == Inconclusive
}

// mergeSituations are those of a requirement in all shards.
func mergeSituations(merged RequirementResult, shards []RequirementResult) *Situations {
	var all *Situations
	for _, shard := range shards {
		switch {
		case shard.Situations == nil || merged.Verdict == Unsupported:
		case all == nil:
			of := *shard.Situations
			of.Unseen = slices.Clone(of.Unseen)
			all = &of
		default:
			all.Unseen = slices.DeleteFunc(all.Unseen, func(name string) bool { return !slices.Contains(shard.Situations.Unseen, name) })
			all.Seen = all.Named - len(all.Unseen)
		}
	}
	return all
}

// situations says in how many situations standing rules were tried.
func (s *summary) situations() {
	seen, named := 0, 0
	for _, result := range s.report.Requirements {
		if result.Situations != nil && result.decided() {
			seen, named = seen+result.Situations.Seen, named+result.Situations.Named
		}
	}
	if named > 0 {
		s.line(fmt.Sprintf("situations in which standing rules were put to the test: %d of %d; the report lists the others", seen, named), 0)
	}
}
