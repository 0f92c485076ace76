package run

import (
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/rollcall-conformance/rollcall/fixtures"
)

const schemaSuffix = ".schema.json"

// printSchema is `rollcall schema`.
func printSchema(args []string, out io.Writer) (int, error) {
	flags := newFlags("schema", out)
	describe(flags, `rollcall schema KIND

Prints a JSON Schema: of report, which is report.yaml; of events, which are the lines that -json prints; or of implementation, the file that describes a controller.
`)
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() != 1 {
		return exitUsage, usagef("name one schema: %s", listed(schemas()))
	}
	if !slices.Contains(schemas(), flags.Arg(0)) {
		return exitUsage, usagef("there is no schema %q: want one of %s", flags.Arg(0), listed(schemas()))
	}
	text, err := fs.ReadFile(fixtures.Files(), flags.Arg(0)+schemaSuffix)
	if err != nil {
		return exitHarness, err
	}
	_, err = out.Write(text)
	return exitConformant, err
}

// schemas are the names of those there are.
func schemas() []string {
	// The pattern is a constant and valid, which is the only way for this to fail.
	paths, _ := fs.Glob(fixtures.Files(), "*"+schemaSuffix)
	for i, path := range paths {
		paths[i] = strings.TrimSuffix(path, schemaSuffix)
	}
	return paths
}
