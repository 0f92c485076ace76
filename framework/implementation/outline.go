package implementation

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// FieldType is what a field of an implementation file holds.
type FieldType string

// The types.
const (
	// Text is a string.
	Text FieldType = "text"
	// Texts is a list of strings.
	Texts FieldType = "list of texts"
	// TextMap maps names to strings.
	TextMap FieldType = "texts by name"
	// Group holds further fields.
	Group FieldType = "fields"
	// Groups is a list of such.
	Groups FieldType = "list of fields"
)

// FieldOutline is one field that an implementation file may have.
type FieldOutline struct {
	// Path from the document's root, with a dot before each name; [] stands for every item of a list.
	Path     string
	Type     FieldType
	Required bool
	// Allowed values; any if there are none.
	Allowed []string
}

// Outline lists the fields that an implementation file may have, in the order in which they are read. It is what Load reads by, so nothing is missing.
func Outline() ([]FieldOutline, error) {
	catalogue, err := requirements.Load()
	if err != nil {
		return nil, err
	}
	o := &outline{}
	// What is said to be wrong with no file is of no interest.
	_, _ = decodeBy(&reader{outline: o}, "", nil, "", catalogue, func(string) ([]byte, error) { return nil, errors.New("nothing is read") })
	if len(o.fields) == 0 {
		return nil, fmt.Errorf("the outline of an implementation file is empty")
	}
	return o.fields, nil
}

// outline collects fields while a reader goes through all that it could read.
type outline struct {
	fields []FieldOutline
	// allowed is what the last check that was probed allows.
	allowed []string
}

var item = regexp.MustCompile(`\[\d+\]`)

// mapping adds fields and looks what is in them.
func (o *outline) mapping(where string, fields []field) {
	where = item.ReplaceAllString(where, "[]")
	for _, f := range fields {
		path := f.name
		if where != "" {
			path = where + "." + f.name
		}
		at := o.find(path)
		if at == nil {
			o.fields = append(o.fields, FieldOutline{Path: path, Type: Group, Required: f.required})
		}
		// It takes either a mapping or a list, and says which by what it then asks for.
		f.read(&yaml.Node{Kind: yaml.MappingNode})
		before := len(o.fields)
		f.read(&yaml.Node{Kind: yaml.SequenceNode, Content: []*yaml.Node{{Kind: yaml.MappingNode}}})
		if len(o.fields) > before && strings.HasPrefix(o.fields[before].Path, path+"[]") {
			o.find(path).Type = Groups
		}
	}
}

// leaf says what a field holds that holds no others.
func (o *outline) leaf(where string, holds FieldType) {
	if known := o.find(item.ReplaceAllString(where, "[]")); known != nil {
		known.Type = holds
	}
}

// probe asks a check what it allows.
func (o *outline) probe(where string, check func(*yaml.Node, string)) {
	if check == nil {
		return
	}
	o.allowed = nil
	check(&yaml.Node{}, "")
	if known := o.find(item.ReplaceAllString(where, "[]")); known != nil {
		known.Allowed = slices.Clone(o.allowed)
	}
	o.allowed = nil
}

func (o *outline) find(path string) *FieldOutline {
	at := slices.IndexFunc(o.fields, func(f FieldOutline) bool { return f.Path == path })
	if at < 0 {
		return nil
	}
	return &o.fields[at]
}
