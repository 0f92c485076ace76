package reports

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/invopop/jsonschema"

	"github.com/rollcall-conformance/rollcall/reports/goldentest"
)

// TestTheSchemasAreOfTheTypes makes the schemas of the types and of their comments: `go test ./reports -run Schemas -update`.
func TestTheSchemasAreOfTheTypes(t *testing.T) {
	goldentest.Equal(t, "../fixtures/report.schema.json", schemaOf(t, "yaml", "rollcall report", &ConformanceReport{}))
	goldentest.Equal(t, "../fixtures/events.schema.json", schemaOf(t, "json", "A line of what rollcall prints with -json", &Event{}))
}

// schemaOf is the JSON Schema of a type, in the draft that editors know. tag names its fields.
func schemaOf(t *testing.T, tag, title string, of any) string {
	t.Helper()
	reflector := &jsonschema.Reflector{FieldNameTag: tag, Anonymous: true, ExpandedStruct: true, Mapper: mapped, AllowAdditionalProperties: tag == "json"}
	if err := reflector.AddGoComments("github.com/rollcall-conformance/rollcall/reports", "./", jsonschema.WithFullComment()); err != nil {
		t.Fatal(err)
	}
	for name, comment := range reflector.CommentMap {
		reflector.CommentMap[name] = strings.Join(strings.Fields(comment), " ")
	}
	schema := reflector.Reflect(of)
	schema.Version, schema.Title = "http://json-schema.org/draft-07/schema#", title
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(text), "$defs", "definitions") + "\n"
}

// mapped are the types whose values are fewer than those of their kind, or are written otherwise.
func mapped(of reflect.Type) *jsonschema.Schema {
	switch of {
	case reflect.TypeFor[time.Duration]():
		return &jsonschema.Schema{Type: "string", Pattern: `^-?([0-9]+(\.[0-9]+)?(h|m|s|ms|µs|ns))+$`}
	case reflect.TypeFor[ID]():
		return &jsonschema.Schema{Type: "string", Pattern: idForm.String()}
	case reflect.TypeFor[Verdict]():
		return oneOf(precedence())
	case reflect.TypeFor[Conformance]():
		return oneOf([]Conformance{Conformant, NotConformant, Partial, Undecided})
	case reflect.TypeFor[Level]():
		return oneOf(AllLevels())
	case reflect.TypeFor[Needs]():
		return oneOf(AllNeeds())
	case reflect.TypeFor[Behaviour]():
		return oneOf(AllBehaviours())
	case reflect.TypeFor[Component]():
		return oneOf(AllComponents())
	case reflect.TypeFor[EventKind]():
		return oneOf(EventKinds())
	}
	return nil
}

func oneOf[T ~string](values []T) *jsonschema.Schema {
	schema := &jsonschema.Schema{Type: "string"}
	for _, value := range values {
		schema.Enum = append(schema.Enum, value)
	}
	return schema
}
