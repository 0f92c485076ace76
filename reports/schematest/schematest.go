// Package schematest checks what a test made against the JSON Schemas that rollcall prints.
package schematest

import (
	"bytes"
	"fmt"
	"io/fs"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/fixtures"
)

// Check returns an error that says where the document, in YAML or JSON, is not as the schema has it. name is the schema's: report, events or implementation.
func Check(name string, document []byte) error {
	file := name + ".schema.json"
	text, err := fs.ReadFile(fixtures.Files(), file)
	if err != nil {
		return err
	}
	schema, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(file, schema); err != nil {
		return err
	}
	compiled, err := compiler.Compile(file)
	if err != nil {
		return err
	}
	asJSON, err := yaml.YAMLToJSON(document)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return err
	}
	return compiled.Validate(value)
}
