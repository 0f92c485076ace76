package implementation

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"

	"github.com/rollcall-conformance/rollcall/reports/goldentest"
)

// The files that are made of Outline, of the comments of the types that it fills, and of fieldNotes.
const (
	referencePage = "../../docs/implementation-file.md"
	schemaPath    = "../../fixtures/implementation.schema.json"
)

func TestTheReferencePageAndTheSchemaAreOfWhatIsRead(t *testing.T) {
	fields, err := Outline()
	if err != nil {
		t.Fatal(err)
	}
	comments := commentsOf(t, "implementation.go", "../requirements/feature.go")
	described := map[string]string{}
	for _, f := range fields {
		described[f.Path] = describeField(f.Path, comments)
	}
	intro, err := os.ReadFile("testdata/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	goldentest.Equal(t, referencePage, string(page(string(intro), fields, described, comments)))
	goldentest.Equal(t, schemaPath, string(schemaOf(t, fields, described)))
}

// commentsOf reads the comments of structs' fields, as Struct.Field, and of constants.
func commentsOf(t *testing.T, paths ...string) map[string]string {
	t.Helper()
	comments := map[string]string{}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.TypeSpec:
				if structure, ok := node.Type.(*ast.StructType); ok {
					for _, field := range structure.Fields.List {
						for _, name := range field.Names {
							comments[node.Name.Name+"."+name.Name] = sentence(field.Doc.Text(), name.Name)
						}
					}
				}
			case *ast.ValueSpec:
				comments[node.Names[0].Name] = sentence(node.Doc.Text(), node.Names[0].Name)
			}
			return true
		})
	}
	return comments
}

// sentence is a comment without the name that it begins with.
func sentence(comment, name string) string {
	text := strings.Join(strings.Fields(comment), " ")
	for _, verb := range []string{" is ", " are ", ": "} {
		if rest, found := strings.CutPrefix(text, name+verb); found {
			return strings.ToUpper(rest[:1]) + rest[1:]
		}
	}
	return text
}

// describeField is what the page and the schema say of a field: its note, or else the comment of the struct field that it fills.
func describeField(path string, comments map[string]string) string {
	if note, ok := fieldNotes()[path]; ok {
		return note
	}
	for _, in := range []struct{ prefix, structure string }{
		{"spec.launch.process.", "ProcessSpec"}, {"spec.launch.image.", "ImageSpec"}, {"spec.launch.", "LaunchSpec"},
		{"spec.knownDeviations[].", "KnownDeviation"}, {"spec.", "Implementation"}, {"metadata.", "Implementation"},
	} {
		rest, found := strings.CutPrefix(path, in.prefix)
		if !found {
			continue
		}
		for name, comment := range comments {
			if strings.EqualFold(name, in.structure+"."+strings.ReplaceAll(rest, ".", "")) {
				return comment
			}
		}
		return ""
	}
	return ""
}

func page(intro string, fields []FieldOutline, described, comments map[string]string) []byte {
	var table, claims strings.Builder
	table.WriteString("| field | holds | |\n|---|---|---|\n")
	for _, f := range fields {
		holds := string(f.Type)
		if f.Required {
			holds += ", required"
		}
		about := described[f.Path]
		if len(f.Allowed) > 0 {
			about = strings.TrimSpace(about + " One of: `" + strings.Join(f.Allowed, "`, `") + "`.")
		}
		fmt.Fprintf(&table, "| `%s` | %s | %s |\n", f.Path, holds, strings.ReplaceAll(about, "|", "\\|"))
	}
	claims.WriteString("| feature | |\n|---|---|\n")
	for _, feature := range features() {
		fmt.Fprintf(&claims, "| `%s` | %s |\n", feature, comments[feature])
	}
	text := strings.NewReplacer("{{FIELDS}}\n", table.String(), "{{FEATURES}}\n", claims.String()).Replace(intro)
	return []byte(text)
}

// schemaOf is a JSON Schema, as editors take it.
func schemaOf(t *testing.T, fields []FieldOutline, described map[string]string) []byte {
	t.Helper()
	root := map[string]any{"$schema": "http://json-schema.org/draft-07/schema#", "title": "rollcall implementation file"}
	object(root)
	at := map[string]map[string]any{"": root}
	for _, f := range fields {
		parent, name := "", f.Path
		if i := strings.LastIndex(f.Path, "."); i >= 0 {
			parent, name = f.Path[:i], f.Path[i+1:]
		}
		schema := map[string]any{}
		if text := described[f.Path]; text != "" {
			schema["description"] = text
		}
		value := map[string]any{"type": "string"}
		if len(f.Allowed) > 0 {
			value["enum"] = f.Allowed
		}
		switch f.Type {
		case Text:
			schema["type"] = "string"
			if len(f.Allowed) > 0 {
				schema["enum"] = f.Allowed
			}
		case Texts:
			schema["type"], schema["items"] = "array", value
		case TextMap:
			schema["type"], schema["additionalProperties"] = "object", value
		case Group:
			object(schema)
			at[f.Path] = schema
		case Groups:
			items := map[string]any{}
			object(items)
			schema["type"], schema["items"] = "array", items
			at[f.Path+"[]"] = items
		}
		within := at[parent]
		within["properties"].(map[string]any)[name] = schema
		if f.Required {
			required, _ := within["required"].([]string)
			within["required"] = append(required, name)
		}
	}
	text, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(text, '\n')
}

func object(schema map[string]any) {
	schema["type"], schema["additionalProperties"], schema["properties"] = "object", false, map[string]any{}
}

// fieldNotes are for fields that no comment of a struct's field describes, or not for whoever writes a file.
func fieldNotes() map[string]string {
	return map[string]string{
		"apiVersion":                             "Which form of file it is.",
		"kind":                                   "Which form of file it is.",
		"metadata":                               "",
		"metadata.name":                          "Name in reports and file names: lower-case letters, digits and dashes.",
		"spec":                                   "",
		"spec.organization":                      "Heads the report.",
		"spec.project":                           "Heads the report.",
		"spec.url":                               "Heads the report. An address that begins with https:// or http://.",
		"spec.version":                           "Heads the report. For what is part of Kubernetes: `${KUBERNETES_VERSION}`.",
		"spec.contact":                           "Heads the report.",
		"spec.podUpdatePolicy":                   "How a workload asks for updates in place, for who claims InPlaceUpdate. Default: the reference's.",
		"spec.podUpdatePolicy.annotation":        "The annotation of the workload that says it.",
		"spec.podUpdatePolicy.inPlaceIfPossible": "Its value for pods that are patched where nothing but images differs. Default: `InPlaceIfPossible`.",
		"spec.podUpdatePolicy.recreate":          "Its value for pods that are deleted and created again, as without the annotation. Default: `Recreate`.",
		"spec.revisionLabel":                     "The label that tells the pods of two revisions apart. Default: `controller-revision-hash`.",
		"spec.features":                          "What it claims, see below. Requirements of other features are unsupported.",
		"spec.replaces":                          "Controllers of kube-controller-manager to switch off. Default: none.",
		"spec.workload":                          "The API that it reconciles, instead of DaemonSets of apps/v1.",
		"spec.launch":                            "How it comes to run: `process`, `image` or both, or `none`.",
		"spec.launch.process":                    "A process of this machine. It is used on embedded, and elsewhere if there is no image that the nodes can get; there, specs that kill, suspend or restart it are not run.",
		"spec.launch.image":                      "A Deployment in the cluster. It is used on kind, and on an existing cluster with `reference` or `controlPlane`.",
		"spec.launch.none":                       "Others launch it: write `none: {}`. Nothing can be done to it, so some requirements are not run.",
		"spec.launch.gates":                      "How specs switch feature gates, for who claims SurgeGate.",
		"spec.launch.gates.DaemonSetUpdateSurge": "The argument that switches it, in which `${ON}` stands for true or false.",
		"spec.launch.process.goPackage":          "A main package that is built first: an import path, resolved by the go.mod of the working directory, or a path that begins with `./` or `../`, relative to the file. Either this or `executable`.",
		"spec.launch.process.args":               "Arguments; with variables, see below.",
		"spec.launch.process.env":                "Environment variables, beside those of rollcall; with variables, see below.",
		"spec.launch.process.ready":              "When it counts as ready. Default: as soon as it runs. What is late from then on is held against it, so it should be ready once it leads.",
		"spec.launch.process.ready.url":          "An address that answers with 2xx once it works; certificates are not checked. With variables, see below.",
		"spec.launch.process.ready.contains":     "Must be part of the answer's body, for an address that answers before all works.",
		"spec.launch.process.ready.timeout":      "How long that may take, such as `90s`. Default: 60s.",
		"spec.launch.process.metrics":            "Where its metrics are. Default: nobody knows, and specs about them are not run.",
		"spec.launch.process.metrics.url":        "An address that answers with its metrics in the text format of Prometheus; certificates are not checked. With variables, see below.",
		"spec.launch.process.user":               "Whom its kubeconfig authenticates as. Default: its name, in group system:masters, whom RBAC never stops.",
		"spec.launch.process.user.name":          "User name, such as `system:serviceaccount:my-system:my-controller`.",
		"spec.launch.process.user.groups":        "Groups. Those of a service account are not added by themselves: `system:serviceaccounts`, `system:serviceaccounts:my-system`. Without them RBAC allows less than in a cluster.",
		"spec.launch.process.manifests":          "Files, relative to this one, that an administrator applies before the launch: its RBAC and definitions.",
		"spec.launch.image.manifests":            "Files, relative to this one, that an administrator applies, in this order. `${IMAGE}` in them stands for the image.",
		"spec.launch.image.goPackage":            "A main package that is built into an image of nothing but its program; paths as in `process`.",
		"spec.launch.image.archive":              "A file with one image, as `docker save` writes it, relative to this one.",
		"spec.launch.image.deployment.namespace": "Its namespace.",
		"spec.launch.image.deployment.name":      "Its name.",
		"spec.knownDeviations":                   "What it is known not to meet. Shown beside the verdict, which they never change.",
		"spec.knownDeviations[].requirement":     "A requirement, such as SURGE-024.",
	}
}
