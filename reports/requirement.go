package reports

import (
	"fmt"
	"regexp"
	"strings"
)

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

// The levels, heaviest first.
const (
	// LevelCore: a design document states it, or a stated one cannot hold without it.
	LevelCore Level = "core"
	// LevelExtended: inferred, or about behaviour that is optional.
	LevelExtended Level = "extended"
	// LevelReference: what only the bundled reference controller offers today.
	LevelReference Level = "reference"
)

// AllLevels returns the closed list of levels, heaviest first.
func AllLevels() []Level { return []Level{LevelCore, LevelExtended, LevelReference} }

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
	// Partially means that it does so in some situations only; the note says in which.
	Partially Behaviour = "partial"
	// Differs means that it does something else.
	Differs Behaviour = "differs"
	// Absent means that it has no such behaviour to test.
	Absent Behaviour = "absent"
	// UnknownBehaviour means that nobody has found out yet.
	UnknownBehaviour Behaviour = "unknown"
)

// AllBehaviours returns the closed list of behaviours.
func AllBehaviours() []Behaviour {
	return []Behaviour{Conforms, Partially, Differs, Absent, UnknownBehaviour}
}

// Component is a part of Kubernetes that no implementation replaces.
type Component string

// APIServer is kube-apiserver.
const APIServer Component = "API server"

// AllComponents returns the closed list of components.
func AllComponents() []Component { return []Component{APIServer} }

// Kubernetes records what Kubernetes does today. It is context for whoever reads a report and decides no verdict.
type Kubernetes struct {
	Behaviour Behaviour `yaml:"behaviour" json:"behaviour"`
	// By is the component that breaks the requirement whatever the implementation does; empty if an implementation can keep it. Its failure is no failure
	// of the implementation: see Judge.
	By Component `yaml:"by,omitempty" json:"by,omitempty"`
	// Note explains the behaviour and links known issues; where it is deduced from the source only, it says so.
	Note string `yaml:"note,omitempty" json:"note,omitempty"`
}

// Feature is what an implementation may claim; requirements of a feature that it does not claim are unsupported.
type Feature string

// Source is a passage of a design document, written as "S0 L47" or "S0 L47-88": the document and its lines, counted from 1 and both
// included.
type Source string

// Document names a design document by its number, S0 to S4; "" if there is none of that number.
func Document(number string) string {
	return map[string]string{
		"S0": "DaemonSet maxSurge, KEP-1591", "S1": "in-place pod update, KEP-33", "S2": "DaemonSet updates",
		"S3": "PodDisruptionBudget to stable, KEP-85", "S4": "UnitedDaemonSet",
	}[number]
}

// Requirement is one row of the catalogue: the catalogue's files and the report write it alike.
type Requirement struct {
	ID ID `yaml:"id" json:"id"`
	// Title is a short name that stays when the statement is reworded; no other requirement of the family has the same.
	Title string `yaml:"title,omitempty" json:"title,omitempty"`
	Level Level  `yaml:"level" json:"level"`
	// LevelReason says why the level is what it is: always set for an inferred requirement that is core nevertheless.
	LevelReason string `yaml:"levelReason,omitempty" json:"levelReason,omitempty"`
	// Feature is what an implementation has to claim for the requirement to apply to it; empty if it applies to all.
	Feature Feature `yaml:"feature,omitempty" json:"feature"`
	Needs   Needs   `yaml:"needs,omitempty" json:"needs"`
	// Sources are the passages that state the requirement or, for an inferred one, those that it follows from.
	Sources []Source `yaml:"sources,omitempty,flow" json:"sources,omitempty"`
	// Inferred requirements are not stated by any document; those without a source always are.
	Inferred bool `yaml:"inferred,omitempty" json:"inferred,omitempty"`
	// Statement is the promise, in one sentence that a test can decide.
	Statement string `yaml:"statement" json:"statement"`
	// Decision says how the suite reads the documents where they are silent or contradict each other.
	Decision   string     `yaml:"decision,omitempty" json:"decision,omitempty"`
	Kubernetes Kubernetes `yaml:"kubernetes" json:"kubernetes"`
}

// Name is the ID and, if there is one, the title.
func (r Requirement) Name() string { return strings.TrimSpace(fmt.Sprintf("%s %s", r.ID, r.Title)) }

// BrokenBy says who breaks the requirement if that is not the implementation; empty otherwise.
func (r Requirement) BrokenBy() string {
	if r.Kubernetes.By == "" {
		return ""
	}
	return fmt.Sprintf("the %s of Kubernetes, whatever the implementation does", r.Kubernetes.By)
}
