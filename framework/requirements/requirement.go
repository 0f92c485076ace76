package requirements

import "regexp"

// ID names one requirement, such as SURGE-002: the family, then a number of three digits that is never reused.
type ID string

var idForm = regexp.MustCompile(`^([A-Z]+)-[0-9]{3}$`)

// Family returns the part before the number, or "" if the ID is malformed.
func (id ID) Family() string {
	match := idForm.FindStringSubmatch(string(id))
	if match == nil {
		return ""
	}
	return match[1]
}

// Level says on whose word a requirement stands. See docs/verdicts.md.
type Level string

const (
	// Core requirements are stated by a design document, or a stated one cannot hold without them.
	Core Level = "core"
	// Extended requirements are inferred, or belong to behaviour that is optional.
	Extended Level = "extended"
	// Reference requirements describe what only the bundled reference controller offers today.
	Reference Level = "reference"
)

// Levels returns the closed list of levels, heaviest first.
func Levels() []Level { return []Level{Core, Extended, Reference} }

// Needs names the least that a cluster must offer for a requirement to be decided on it.
type Needs string

const (
	// NeedsUnit is decided by Go tests, without a cluster.
	NeedsUnit Needs = "unit"
	// NeedsAPIServer is decided by the API server's answers alone.
	NeedsAPIServer Needs = "apiserver"
	// NeedsSimulated takes the control plane and simulated nodes.
	NeedsSimulated Needs = "simulated"
	// NeedsSimulatedControl takes, besides simulated nodes, control over the implementation's process, the clock,
	// status writes or injected faults.
	NeedsSimulatedControl Needs = "simulated+control"
	// NeedsKubelet takes real nodes.
	NeedsKubelet Needs = "kubelet"
	// NeedsReference takes switches, such as feature gates, that only the reference controller has.
	NeedsReference Needs = "reference"
)

// AllNeeds returns the closed list of needs, the cheapest first.
func AllNeeds() []Needs {
	return []Needs{NeedsUnit, NeedsAPIServer, NeedsSimulated, NeedsSimulatedControl, NeedsKubelet, NeedsReference}
}

// Behaviour sums up how Kubernetes 1.36 and 1.37 relate to a requirement.
type Behaviour string

const (
	// Conforms means that Kubernetes does what the statement says.
	Conforms Behaviour = "conforms"
	// Partial means that it does so in some situations only; the note says in which.
	Partial Behaviour = "partial"
	// Differs means that it does something else.
	Differs Behaviour = "differs"
	// Absent means that it has no such behaviour to test.
	Absent Behaviour = "absent"
	// UnknownBehaviour means that nobody has found out yet.
	UnknownBehaviour Behaviour = "unknown"
)

// Behaviours returns the closed list of behaviours.
func Behaviours() []Behaviour {
	return []Behaviour{Conforms, Partial, Differs, Absent, UnknownBehaviour}
}

// Kubernetes records what Kubernetes does today. It is context for whoever reads a report and decides no verdict.
type Kubernetes struct {
	Behaviour Behaviour `yaml:"behaviour" json:"behaviour"`
	// Note explains the behaviour and links known issues; where it is deduced from the source only, it says so.
	Note string `yaml:"note" json:"note,omitempty"`
}

// Requirement is one row of the catalogue.
type Requirement struct {
	ID    ID    `json:"id"`
	Level Level `json:"level"`
	// LevelReason says why the level is what it is: always set for an inferred requirement that is core nevertheless.
	LevelReason string `json:"levelReason,omitempty"`
	// Feature is what an implementation has to claim for the requirement to apply to it.
	Feature Feature `json:"feature"`
	Needs   Needs   `json:"needs"`
	// Sources are the passages that state the requirement or, for an inferred one, those that it follows from.
	Sources []Source `json:"sources,omitempty"`
	// Inferred requirements are not stated by any document; those without a source always are.
	Inferred bool `json:"inferred,omitempty"`
	// Statement is the promise, in one sentence that a test can decide.
	Statement string `json:"statement"`
	// Decision says how the suite reads the documents where they are silent or contradict each other.
	Decision   string     `json:"decision,omitempty"`
	Kubernetes Kubernetes `json:"kubernetes"`
}
