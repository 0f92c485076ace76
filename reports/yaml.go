package reports

import (
	"errors"
	"fmt"
	"io"

	"go.yaml.in/yaml/v3"
)

// WriteYAML writes the report. The same report is always the same bytes; two runs with the same verdicts and no violations differ in
// the last two blocks, provenance and durations, alone.
func WriteYAML(out io.Writer, report *ConformanceReport) error {
	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(2)
	if err := encoder.Encode(report); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	if err := encoder.Close(); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// WriteRequirements writes the report's requirements alone, as they stand in it.
func WriteRequirements(out io.Writer, report *ConformanceReport) error {
	encoder := yaml.NewEncoder(out)
	encoder.SetIndent(2)
	section := struct {
		Requirements []RequirementResult `yaml:"requirements"`
	}{report.Requirements}
	if err := encoder.Encode(section); err != nil {
		return fmt.Errorf("write requirements: %w", err)
	}
	return encoder.Close()
}

// largestReport is more than any run writes: the catalogue, and a few violations of each requirement.
const largestReport = 32 << 20

// ReadYAML reads one report of at most 32 MiB. Unknown or repeated fields, unknown verdicts, another apiVersion or kind, a requirement listed twice, a picture
// that cannot be drawn, anything after the report, and a report that was cut off are errors that name the line or the thing.
func ReadYAML(in io.Reader) (*ConformanceReport, error) {
	limited := &io.LimitedReader{R: in, N: largestReport}
	decoder := yaml.NewDecoder(limited)
	decoder.KnownFields(true)
	report := &ConformanceReport{}
	switch err := decoder.Decode(report); {
	case limited.N <= 0:
		return nil, fmt.Errorf("read report: it is larger than %d MiB, which no run writes", largestReport>>20)
	case errors.Is(err, io.EOF):
		return nil, errors.New("read report: it is empty")
	case err != nil:
		return nil, fmt.Errorf("read report: %w", err)
	}
	if err := decoder.Decode(&yaml.Node{}); !errors.Is(err, io.EOF) {
		return nil, errors.New("read report: there is more than one document in it")
	}
	if report.APIVersion != APIVersion || report.Kind != Kind {
		return nil, fmt.Errorf("read report: it has apiVersion %q and kind %q: want %s and %s", report.APIVersion, report.Kind, APIVersion, Kind)
	}
	seen := map[ID]bool{}
	for _, result := range report.Requirements {
		if !result.Verdict.Valid() {
			return nil, fmt.Errorf("read report: requirement %s has no verdict", result.ID)
		}
		if seen[result.ID] {
			return nil, fmt.Errorf("read report: requirement %s is listed twice", result.ID)
		}
		seen[result.ID] = true
		for _, violation := range result.Violations {
			if violation.Picture == nil {
				continue
			}
			if err := violation.Picture.Check(); err != nil {
				return nil, fmt.Errorf("read report: violation of %s: %w", result.ID, err)
			}
		}
	}
	if err := whole(report); err != nil {
		return nil, err
	}
	return report, nil
}

// whole says whether all requirements are there that the statistics count, which stand before them in the file. So a report that was cut off is noticed even
// where what is left of it is YAML.
func whole(report *ConformanceReport) error {
	listed, said := count(report.Requirements), report.Statistics
	// Whose failure a fail is follows from the requirement, and is no verdict.
	listed.NotItsOwn, said.NotItsOwn = 0, 0
	if len(report.Requirements) == 0 || listed != said {
		return fmt.Errorf("read report: its requirements are not those that its statistics count: %s, against %s: it was cut off or changed; take it as the run wrote it", listed, said)
	}
	return nil
}
