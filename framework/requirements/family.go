package requirements

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollcall-conformance/rollcall/reports"
)

// readFamily reads and validates the file of one family.
func readFamily(files fs.FS, family string) ([]Requirement, error) {
	name := "catalogue/" + strings.ToLower(family) + ".yaml"
	content, err := fs.ReadFile(files, name)
	if err != nil {
		return nil, fmt.Errorf("reading the requirements of family %s: %w", family, err)
	}
	rows, lines, err := decodeRows(content)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("%s: holds no requirement", name)
	}

	var wrong []error
	var previous ID
	for i, row := range rows {
		for _, problem := range append(problemsOf(row), placement(row.ID, previous, family)) {
			if problem != nil {
				wrong = append(wrong, fmt.Errorf("%s:%d: %s: %w", name, lines[i], label(row, i), problem))
			}
		}
		previous = row.ID
	}
	if err := errors.Join(wrong...); err != nil {
		return nil, err
	}
	return rows, nil
}

// decodeRows decodes strictly and returns the rows with the line on which each starts. It decodes twice because a
// yaml.Node knows its line but cannot be decoded strictly.
func decodeRows(content []byte) ([]Requirement, []int, error) {
	var rows []Requirement
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(&rows); err != nil && !errors.Is(err, io.EOF) {
		return nil, nil, err
	}
	if err := decoder.Decode(new(yaml.Node)); !errors.Is(err, io.EOF) {
		return nil, nil, errors.New("holds more than one YAML document; keep one")
	}
	var nodes []yaml.Node
	if err := yaml.Unmarshal(content, &nodes); err != nil {
		return nil, nil, err
	}
	lines := make([]int, len(nodes))
	for i, node := range nodes {
		lines[i] = node.Line
	}
	return rows, lines, nil
}

func label(r Requirement, i int) string {
	if r.ID == "" {
		return fmt.Sprintf("row %d", i+1)
	}
	return string(r.ID)
}

// placement keeps IDs unique and files in order: each belongs to its family's file and follows a smaller number.
func placement(id, previous ID, family string) error {
	switch {
	case id.Family() == "":
		return fmt.Errorf("malformed id %q; write it as %s-001", string(id), family)
	case id.Family() != family:
		return fmt.Errorf("belongs in catalogue/%s.yaml", strings.ToLower(id.Family()))
	case id == previous:
		return errors.New("is listed twice")
	case id < previous:
		return fmt.Errorf("comes after %s; keep the numbers in ascending order, each once", previous)
	}
	return nil
}

// problemsOf validates the row by itself: everything that is wrong with it; some may be nil.
func problemsOf(r Requirement) []error {
	wrong := []error{
		oneOf("level", r.Level, reports.AllLevels()),
		oneOf("feature", r.Feature, Features()),
		oneOf("needs", r.Needs, reports.AllNeeds()),
		oneOf("kubernetes behaviour", r.Kubernetes.Behaviour, reports.AllBehaviours()),
		title(r.Title),
		sentence("statement", r.Statement, true),
		sentence("levelReason", r.LevelReason, false),
		sentence("decision", r.Decision, false),
		sentence("kubernetes note", r.Kubernetes.Note, false),
	}
	if r.Kubernetes.By != "" {
		wrong = append(wrong, oneOf("component of Kubernetes", r.Kubernetes.By, reports.AllComponents()), onlyBroken(r.Kubernetes))
	}
	for _, source := range r.Sources {
		wrong = append(wrong, checkSource(source))
	}
	if len(r.Sources) == 0 && !r.Inferred {
		wrong = append(wrong, errors.New("has no source; name one or mark it inferred: true"))
	}
	if r.Inferred && r.Level == reports.LevelCore && r.LevelReason == "" {
		wrong = append(wrong, errors.New("is inferred, yet core; "+
			"say in levelReason which stated requirement cannot hold without it, or make it extended"))
	}
	return wrong
}

// onlyBroken keeps a requirement that Kubernetes meets from having a component that breaks it.
func onlyBroken(k reports.Kubernetes) error {
	if k.Behaviour == reports.Differs || k.Behaviour == reports.Partially {
		return nil
	}
	return fmt.Errorf("names the %s as what breaks it, but Kubernetes %s", k.By, k.Behaviour)
}

// titleLength bounds a title: it names a test in lists, beside its ID.
const titleLength = 60

// title fails for one that is no short name: too long, more than a line, or a sentence.
func title(text string) error {
	if len(text) > titleLength || strings.HasSuffix(text, ".") || strings.Contains(text, "\n") {
		return fmt.Errorf("title %q: write a short name, at most %d characters in one line, without a full stop", text, titleLength)
	}
	return nil
}

// sentence fails unless text ends with a full stop; only a required one may not be empty.
func sentence(field, text string, required bool) error {
	if text == "" && !required {
		return nil
	}
	if strings.TrimSpace(text) == "" {
		return fmt.Errorf("%s is empty", field)
	}
	if !strings.HasSuffix(text, ".") {
		return fmt.Errorf("%s does not end with a full stop", field)
	}
	return nil
}

// oneOf fails unless value is among known, which it then lists.
func oneOf[T ~string](what string, value T, known []T) error {
	names := make([]string, len(known))
	for i, k := range known {
		if k == value {
			return nil
		}
		names[i] = string(k)
	}
	return fmt.Errorf("unknown %s %q; known: %s", what, string(value), strings.Join(names, ", "))
}
