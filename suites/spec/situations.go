package spec

import (
	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/framework/rules"
	"github.com/rollcall-conformance/rollcall/reports"
)

// Situations are those that each standing rule names, by its requirement.
func Situations() map[requirements.ID][]string {
	named := map[requirements.ID][]string{}
	for _, rule := range rules.All() {
		for _, situation := range rule.Situations {
			named[rule.Requirement] = append(named[rule.Requirement], situation.Name)
		}
	}
	return named
}

// Sightings are the situations in which standing rules were put to the test and kept, in the order of the rules.
func (j *Judgement) Sightings() []reports.Sighting {
	var sightings []reports.Sighting
	for _, ruled := range j.Standing {
		if len(ruled.Situations) > 0 {
			sightings = append(sightings, reports.Sighting{Requirement: ruled.Requirement, Situations: ruled.Situations})
		}
	}
	return sightings
}
