package schedule

import (
	"fmt"
	"slices"
)

// Strategy is an update strategy.
type Strategy struct {
	OnDelete bool
	// MaxSurge and MaxUnavailable are numbers or percentages, one of them "0"; empty with OnDelete.
	MaxSurge, MaxUnavailable string
}

// String is the strategy in words.
func (s Strategy) String() string {
	if s.OnDelete {
		return "OnDelete"
	}
	return fmt.Sprintf("maxSurge %s, maxUnavailable %s", s.MaxSurge, s.MaxUnavailable)
}

// Surges reports whether the strategy has a maxSurge above 0.
func (s Strategy) Surges() bool { return !s.OnDelete && s.MaxSurge != "0" }

// Surging are the strategies with maxSurge that schedules choose among.
func Surging() []Strategy {
	return []Strategy{
		{MaxSurge: "1", MaxUnavailable: "0"}, {MaxSurge: "2", MaxUnavailable: "0"}, {MaxSurge: "25%", MaxUnavailable: "0"},
		{MaxSurge: "50%", MaxUnavailable: "0"}, {MaxSurge: "100%", MaxUnavailable: "0"},
	}
}

// Rolling are those with maxUnavailable.
func Rolling() []Strategy {
	return []Strategy{
		{MaxSurge: "0", MaxUnavailable: "1"}, {MaxSurge: "0", MaxUnavailable: "2"}, {MaxSurge: "0", MaxUnavailable: "25%"},
		{MaxSurge: "0", MaxUnavailable: "50%"}, {MaxSurge: "0", MaxUnavailable: "100%"},
	}
}

// Strategies are all of them.
func Strategies() []Strategy {
	return slices.Concat(Surging(), Rolling(), []Strategy{{OnDelete: true}})
}
