package run

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rollcall-conformance/rollcall/fixtures"
)

// schemaName is the name of the schema's file, which the first line of an implementation file refers to.
const schemaName = "rollcall.schema.json"

// writeStart is `rollcall init`: an implementation file to start from.
func writeStart(args []string, out io.Writer) (int, error) {
	flags := newFlags("init", out)
	describe(flags, `rollcall init [flags]

Writes an implementation file with comments, to start from, and beside it its JSON Schema, by which editors complete and check it. A file that is there is
not replaced; the schema is.
`)
	output := flags.String("output", "my-controller.yaml", "the `file` to write")
	if err := parseFlagsOnly(flags, args); err != nil {
		return exitUsage, err
	}
	text, err := fs.ReadFile(fixtures.Files(), "init/implementation.yaml")
	if err != nil {
		return exitHarness, err
	}
	schema, err := fs.ReadFile(fixtures.Files(), "implementation.schema.json")
	if err != nil {
		return exitHarness, err
	}
	file, err := os.OpenFile(*output, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return exitUsage, usagef("-output: %w: it is not replaced: name another file", err)
	}
	if err != nil {
		return exitUsage, usagef("-output: %w", err)
	}
	_, err = file.Write(text)
	if err := errors.Join(err, file.Close()); err != nil {
		return exitHarness, err
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(*output), schemaName), schema, 0o644); err != nil {
		return exitHarness, err
	}
	fmt.Fprintf(out, "%s: change what is yours, then\n    rollcall check %s\n    rollcall run -implementation=%s -focus=API\n", *output, *output, asPath(*output))
	return exitConformant, nil
}

// asPath is the path so that it is not taken for the name of a shipped file.
func asPath(path string) string {
	if filepath.Base(path) == path {
		return "." + string(os.PathSeparator) + path
	}
	return path
}
