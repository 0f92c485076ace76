package main

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// refusalPattern is what RBAC says when it refuses a request, in whatever error it is told.
var refusalPattern = regexp.MustCompile(`cannot (\w+) resource "([^"]*)" in API group "([^"]*)" (at the cluster scope|in the namespace "([^"]*)")`)

// ownerRefusal is what the admission plugin OwnerReferencesPermissionEnforcement says to whom RBAC would refuse an update of the owner's
// finalizers; no request for them is ever made.
const ownerRefusal = "cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on"

// refusals lists, without repetition, what the API server refused to the process with this log, in its own words.
func refusals(log string) []string {
	// The log quotes errors.
	log = strings.ReplaceAll(log, `\"`, `"`)
	all := refusalPattern.FindAllString(log, -1)
	if strings.Contains(log, ownerRefusal) {
		all = append(all, ownerRefusal)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// explains reports whether somebody without the permission is refused with these words.
func (p permission) explains(refusal string) bool {
	if owner, isFinalizers := strings.CutSuffix(p.resource, "/finalizers"); isFinalizers && owner != "" {
		return refusal == ownerRefusal
	}
	if subresource, ofAny := strings.CutPrefix(p.resource, "*"); ofAny {
		of := refusalPattern.FindStringSubmatch(refusal)
		return of != nil && of[1] == p.verb && strings.HasSuffix(of[2], subresource)
	}
	words := fmt.Sprintf(`cannot %s resource "%s" in API group "%s"`, p.verb, p.resource, p.group)
	if p.namespace != "" {
		return refusal == fmt.Sprintf(`%s in the namespace "%s"`, words, p.namespace)
	}
	return strings.HasPrefix(refusal, words+" ")
}
