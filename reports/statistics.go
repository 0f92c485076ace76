package reports

import (
	"cmp"
	"slices"
)

// Statistics counts requirements by verdict.
type Statistics struct {
	Passed int `yaml:"passed" json:"passed"`
	Failed int `yaml:"failed" json:"failed"`
	// NotItsOwn are those of the failed that a component of Kubernetes breaks, whatever the implementation does: see Kubernetes.By.
	NotItsOwn    int `yaml:"notItsOwn,omitempty" json:"notItsOwn,omitempty"`
	Inconclusive int `yaml:"inconclusive" json:"inconclusive"`
	Unsupported  int `yaml:"unsupported" json:"unsupported"`
	NotRun       int `yaml:"notRun" json:"notRun"`
}

// Total is the number of requirements counted.
func (s Statistics) Total() int {
	return s.Passed + s.Failed + s.Inconclusive + s.Unsupported + s.NotRun
}

// ItsOwn is the number of requirements that the implementation failed.
func (s Statistics) ItsOwn() int { return s.Failed - s.NotItsOwn }

func (s *Statistics) add(result RequirementResult) {
	switch result.Verdict {
	case Pass:
		s.Passed++
	case Fail:
		s.Failed++
		if result.BrokenBy() != "" {
			s.NotItsOwn++
		}
	case Inconclusive:
		s.Inconclusive++
	case Unsupported:
		s.Unsupported++
	default:
		s.NotRun++
	}
}

func count(results []RequirementResult) Statistics {
	var statistics Statistics
	for _, result := range results {
		statistics.add(result)
	}
	return statistics
}

// LevelResult is the answer for the requirements of one level.
type LevelResult struct {
	// Result is undecided for a level of which nothing passed, for example because no feature of it is claimed.
	Result     Conformance `yaml:"result"`
	Statistics Statistics  `yaml:"statistics,flow"`
}

// Levels holds a result per level; nil for a level that has no requirements.
type Levels struct {
	Core      *LevelResult `yaml:"core,omitempty"`
	Extended  *LevelResult `yaml:"extended,omitempty"`
	Reference *LevelResult `yaml:"reference,omitempty"`
}

// Profile is the result for one family of requirements.
type Profile struct {
	// Name of the family, for example SURGE.
	Name       string     `yaml:"name"`
	Statistics Statistics `yaml:"statistics,flow"`
	Levels     `yaml:",inline"`
}

// FeatureStatistics counts the requirements of one feature.
type FeatureStatistics struct {
	Name Feature `yaml:"name"`
	// Claimed by the implementation.
	Claimed    bool       `yaml:"claimed"`
	Statistics Statistics `yaml:"statistics,flow"`
}

func levelsOf(results []RequirementResult) Levels {
	of := func(level Level) *LevelResult {
		var statistics Statistics
		for _, result := range results {
			if result.Level == level {
				statistics.add(result)
			}
		}
		if statistics.Total() == 0 {
			return nil
		}
		return &LevelResult{Result: conformanceOf(statistics), Statistics: statistics}
	}
	return Levels{Core: of(LevelCore), Extended: of(LevelExtended), Reference: of(LevelReference)}
}

func profilesOf(results []RequirementResult) []Profile {
	var names []string
	byFamily := map[string][]RequirementResult{}
	for _, result := range results {
		name := result.ID.Family()
		if _, known := byFamily[name]; !known {
			names = append(names, name)
		}
		byFamily[name] = append(byFamily[name], result)
	}
	profiles := make([]Profile, 0, len(names))
	for _, name := range names {
		profiles = append(profiles, Profile{Name: name, Statistics: count(byFamily[name]), Levels: levelsOf(byFamily[name])})
	}
	return profiles
}

func featuresOf(results []RequirementResult, claimed []Feature) []FeatureStatistics {
	byName := map[Feature]*FeatureStatistics{}
	for _, result := range results {
		if result.Feature == "" {
			continue
		}
		if byName[result.Feature] == nil {
			byName[result.Feature] = &FeatureStatistics{Name: result.Feature, Claimed: slices.Contains(claimed, result.Feature)}
		}
		byName[result.Feature].Statistics.add(result)
	}
	features := make([]FeatureStatistics, 0, len(byName))
	for _, feature := range byName {
		features = append(features, *feature)
	}
	slices.SortFunc(features, func(a, b FeatureStatistics) int { return cmp.Compare(a.Name, b.Name) })
	return features
}
