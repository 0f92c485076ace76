package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
	"github.com/rollcall-conformance/rollcall/suites"
)

// exercise are requirements whose specs together make the reference do everything that it may do.
func exercise() []requirements.ID {
	return []requirements.ID{
		"API-010",     // waits for the status, in which alone it shows that the DaemonSet was seen
		"API-020",     // rolls out and back: pods and history objects are created, old pods deleted, a history object renumbered
		"HISTORY-017", // lets a history object go
		"HISTORY-026", // leaves pods and history to be adopted, before which the DaemonSet is read past the cache
	}
}

// specs lists the suite's specs without running them. Ginkgo takes them once in a process.
func specs() types.SpecReports {
	suites.Register()
	return ginkgo.PreviewSpecs("rollcall").SpecReports
}

// focus is a regular expression for the texts of the specs that decide the requirements. A requirement that none decides is an error.
func focus(specs types.SpecReports, ids []requirements.ID) (string, error) {
	missing := slices.Clone(ids)
	var texts []string
	for _, spec := range specs {
		decides := func(id requirements.ID) bool { return slices.Contains(spec.Labels(), string(id)) }
		if slices.ContainsFunc(ids, decides) {
			texts = append(texts, regexp.QuoteMeta(spec.FullText()))
			missing = slices.DeleteFunc(missing, decides)
		}
	}
	if len(missing) > 0 {
		return "", fmt.Errorf("no spec decides %s: the reference would not be seen to need all that it needs", missing)
	}
	return strings.Join(texts, "|"), nil
}
