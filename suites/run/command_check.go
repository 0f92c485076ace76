package run

import (
	"errors"
	"fmt"
	"io"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// checkFiles is `rollcall check`: it reads implementation files, and runs nothing.
func checkFiles(args []string, out io.Writer) (int, error) {
	flags := newFlags("check", out)
	describe(flags, `rollcall check FILE...

Reads implementation files, looks for the manifests and main packages that they name, and says what is wrong, each with its line. Nothing is built or run.
`)
	if err := parseFlags(flags, args); err != nil {
		return exitUsage, err
	}
	if flags.NArg() == 0 {
		return exitUsage, usagef("name an implementation file: `rollcall init` writes one")
	}
	catalogue, err := requirements.Load()
	if err != nil {
		return exitHarness, err
	}
	var wrong []error
	for _, path := range flags.Args() {
		read, err := implementation.Load(path, catalogue)
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		claimed := 0
		for _, requirement := range catalogue.All() {
			if read.Claims(requirement.Feature) {
				claimed++
			}
		}
		fmt.Fprintf(out, "%s: %s claims %s: %d of %d requirements\n", path, read.Name, joinFeatures(read.Features), claimed, len(catalogue.All()))
	}
	if err := errors.Join(wrong...); err != nil {
		return exitUsage, usageError{err}
	}
	return exitConformant, nil
}
