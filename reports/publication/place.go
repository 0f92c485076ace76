package publication

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"golang.org/x/mod/semver"

	"github.com/rollcall-conformance/rollcall/reports"
)

// Files of a publication, beside reports.YAMLFile.
const (
	// SumsFile has the SHA-256 digests of the report and of each recording, in the form of the command sha256sum.
	SumsFile = "SHA256SUMS"
	// SignatureFile is the SSH signature of SumsFile, if there is one: `ssh-keygen -Y sign -n rollcall -f KEY SHA256SUMS` makes it.
	SignatureFile = SumsFile + ".sig"
	// Namespace of that signature: one that was made for another purpose is not taken for it.
	Namespace = "rollcall"
	// GuideFile says what the report is of, and how to make it again.
	GuideFile = "README.md"
)

// unsafe is what names of folders do without.
var unsafe = regexp.MustCompile(`[^a-zA-Z0-9.]+`)

// Place is where the report belongs below the root of all publications: ORGANIZATION-PROJECT/VERSION/PROVIDER. The error says what is missing in the
// implementation file.
func Place(report *reports.ConformanceReport) (string, error) {
	of := report.Implementation
	var missing []error
	part := func(field, text string) string {
		name := strings.Trim(unsafe.ReplaceAllString(text, "-"), "-.")
		if name == "" {
			missing = append(missing, fmt.Errorf("the implementation has no %s: a published report names it, set spec.%s in the implementation file", field, field))
		}
		return strings.ToLower(name)
	}
	owner := part("organization", of.Organization) + "-" + part("project", of.Project)
	version := part("version", of.Version)
	return filepath.Join(owner, version, report.Provenance.Provider), errors.Join(missing...)
}

// Check says why the report cannot be published: it must be of a whole run that ended by itself, made by a build that others can make, too.
func Check(report *reports.ConformanceReport) error {
	p := report.Provenance
	switch {
	case p.Focus != "" || p.Shard != nil:
		return errors.New("it is of a part of the suites: publish a whole run, or the merged shards of one")
	case p.CutShort():
		return errors.New("the run did not get to its end")
	case len(p.RelaxedTimeouts) > 0:
		return errors.New("timeouts were relaxed: publish a run with the default ones")
	case p.Rollcall.Commit == "" && !semver.IsValid(p.Rollcall.Version):
		return fmt.Errorf("rollcall was built as %q, which says neither version nor commit: build it in a git checkout, without -buildvcs=false", p.Rollcall.Version)
	case strings.HasSuffix(p.Rollcall.Version, "+dirty"):
		return errors.New("rollcall was built with changes that are not committed: nobody else can build it")
	}
	return nil
}
