package reports

import (
	"time"
)

// APIVersion and Kind head every report file.
const (
	APIVersion = "rollcall.dev/v1alpha1"
	Kind       = "ConformanceReport"
)

// ConformanceReport says what one run found out about one implementation. Its blocks stand in the order in which they are written:
// what differs between two runs with the same outcome (Provenance, Durations) comes last.
type ConformanceReport struct {
	APIVersion     string         `yaml:"apiVersion"`
	Kind           string         `yaml:"kind"`
	Implementation Implementation `yaml:"implementation"`
	// Conformance is the answer; it goes with ExitCode.
	Conformance Conformance `yaml:"conformance"`
	// Statistics over all requirements of the catalogue.
	Statistics Statistics `yaml:"statistics,flow"`
	// Levels holds the same per level, Features per feature, sorted by name; requirements without a feature are in no feature.
	Levels   Levels              `yaml:"levels"`
	Features []FeatureStatistics `yaml:"features,omitempty"`
	// Profiles holds one entry per family of requirements, in catalogue order.
	Profiles []Profile `yaml:"profiles"`
	// Requirements holds the whole catalogue in its order, also what was not run.
	Requirements []RequirementResult `yaml:"requirements"`
	// Observations are what specs noted without it deciding anything.
	Observations []Observation `yaml:"observations,omitempty"`
	// Measurements of clients on the nodes, by spec.
	Measurements []Measurement `yaml:"measurements,omitempty"`
	// Circumstances of the specs that failed, could not be decided or were played again, by spec.
	Circumstances []Circumstances `yaml:"circumstances,omitempty"`
	Provenance    Provenance      `yaml:"provenance"`
	// Durations by requirement: the sum over the specs that decide it. A spec that decides several requirements counts in each, so
	// the durations do not add up to the run's.
	Durations map[ID]time.Duration `yaml:"durations,omitempty"`
}

// Implementation is the controller that was tested, as its implementation file describes it.
type Implementation struct {
	Name         string   `yaml:"name"`
	Organization string   `yaml:"organization,omitempty"`
	Project      string   `yaml:"project,omitempty"`
	URL          string   `yaml:"url,omitempty"`
	Version      string   `yaml:"version,omitempty"`
	Contact      []string `yaml:"contact,omitempty"`
	// Workload is what it reconciles, for example "rollcall.dev/v1alpha1 Daemon"; empty for DaemonSets of apps/v1. Texts of the report call it DaemonSet.
	Workload string `yaml:"workload,omitempty"`
	// Features that it claims, sorted.
	Features []Feature `yaml:"features,omitempty"`
	// KnownDeviations that it declares, sorted by requirement. They explain a failure and never excuse it.
	KnownDeviations []KnownDeviation `yaml:"knownDeviations,omitempty"`
}

// KnownDeviation is a requirement that the implementation is known to break, and where that is being followed.
type KnownDeviation struct {
	Requirement ID     `yaml:"requirement"`
	Issue       string `yaml:"issue"`
}

// Provenance is what a reader needs to trust a report or to run it again.
type Provenance struct {
	Rollcall          Rollcall  `yaml:"rollcall"`
	Catalogue         Catalogue `yaml:"catalogue"`
	KubernetesVersion string    `yaml:"kubernetesVersion"`
	// Provider of the cluster: embedded, kind or existing.
	Provider string `yaml:"provider"`
	// On is the name of the control plane, if it was kept from run to run; empty if it was the run's own.
	On string `yaml:"on,omitempty"`
	// NodeKinds that specs ran on, for example simulated or real, sorted.
	NodeKinds []string `yaml:"nodeKinds,omitempty"`
	// Authors says how it is known who made a recorded change: "audit log", or "inferred" where there is none.
	Authors  string        `yaml:"authors,omitempty"`
	Seed     int64         `yaml:"seed"`
	Started  time.Time     `yaml:"started"`
	Duration time.Duration `yaml:"duration"`
	// Parallelism is the number of specs that could run at once.
	Parallelism int `yaml:"parallelism"`
	// RelaxedTimeouts lists every timeout that was not the default, sorted by name.
	RelaxedTimeouts []RelaxedTimeout `yaml:"relaxedTimeouts,omitempty"`
	// Focus is the selection of specs; empty if all were selected.
	Focus string `yaml:"focus,omitempty"`
	// Shard of the selected specs that ran; nil if all of them did, here or in the shards that the report was merged from.
	Shard *Shard `yaml:"shard,omitempty,flow"`
	// Interrupted: somebody stopped the run before its end.
	Interrupted bool `yaml:"interrupted"`
	// EndedEarly says why not all specs ran, though nobody interrupted the run: the first ones could not be decided, the implementation ended, or as many had
	// failed as the run was to go on with.
	EndedEarly string `yaml:"endedEarly,omitempty"`
	// ImplementationFailure says how the implementation failed: it could not be built or started, stayed not ready, or ended by itself.
	ImplementationFailure string `yaml:"implementationFailure,omitempty"`
	// HarnessFailure says how the harness failed.
	HarnessFailure string `yaml:"harnessFailure,omitempty"`
}

// CutShort reports whether the run did not get to its end, or the implementation or the harness failed in it.
func (p Provenance) CutShort() bool {
	return p.Interrupted || p.EndedEarly != "" || p.ImplementationFailure != "" || p.HarnessFailure != ""
}

// Rollcall is the build that ran.
type Rollcall struct {
	Version string `yaml:"version"`
	Commit  string `yaml:"commit,omitempty"`
}

// Catalogue identifies the requirements that were tested.
type Catalogue struct {
	// Digest of the catalogue's text, with its algorithm, for example "sha256:…".
	Digest string `yaml:"digest"`
	// Size is the number of requirements; Assemble fills it in.
	Size int `yaml:"size"`
}

// RelaxedTimeout is a timeout that the user changed.
type RelaxedTimeout struct {
	Name    string        `yaml:"name"`
	Default time.Duration `yaml:"default"`
	Used    time.Duration `yaml:"used"`
}

// Observation is something worth knowing that decides no requirement.
type Observation struct {
	// Requirement that it is related to; may be empty.
	Requirement ID     `yaml:"requirement,omitempty"`
	Spec        string `yaml:"spec,omitempty"`
	Text        string `yaml:"text"`
}
