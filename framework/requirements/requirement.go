package requirements

import "github.com/rollcall-conformance/rollcall/reports"

// A row of the catalogue goes into every report as it is, so its type is the report's.
type (
	// ID names one requirement, such as SURGE-002.
	ID = reports.ID
	// Feature is what an implementation may claim in its implementation file.
	Feature = reports.Feature
	// Requirement is one row of the catalogue.
	Requirement = reports.Requirement
)
