package trial

import (
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/suites"
)

// Specs lists the suite's specs without running them. Ginkgo takes them once in a process.
func Specs() types.SpecReports {
	suites.Register()
	return ginkgo.PreviewSpecs("rollcall").SpecReports
}

// Focus is a regular expression for the texts of the specs that decide any of the requirements, and those of the requirements that none decides.
func Focus(specs types.SpecReports, ids []requirements.ID) (pattern string, undecided []requirements.ID) {
	undecided = slices.Clone(ids)
	var texts []string
	for _, spec := range specs {
		decides := func(id requirements.ID) bool { return slices.Contains(spec.Labels(), string(id)) }
		if slices.ContainsFunc(ids, decides) {
			texts = append(texts, regexp.QuoteMeta(spec.FullText()))
			undecided = slices.DeleteFunc(undecided, decides)
		}
	}
	return strings.Join(texts, "|"), undecided
}
