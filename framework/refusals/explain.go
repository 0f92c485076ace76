// Package refusals says why the API server refused a request of the implementation, and what to do about it. It is pure: it knows the API server's words.
package refusals

import (
	"cmp"
	"fmt"
	"net/http"
	"regexp"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// Explanation is why a request was refused.
type Explanation struct {
	// Rule that refused it, for example "RBAC" or "ResourceQuota compute"; empty if nobody knows.
	Rule string
	// Fix is what to do, in the imperative; empty if nobody knows.
	Fix string
}

// cause is a way to be refused: what the message looks like, and what that means. ${1} and so on stand for the groups of the pattern.
type cause struct {
	// code is that of the answer; 0 for any.
	code    int32
	pattern *regexp.Regexp
	rule    string
	fix     string
}

// causes are those that are known, the first that fits first.
var causes = []cause{
	{http.StatusForbidden, regexp.MustCompile(`User "([^"]*)" cannot (\S+) resource "([^"]+)" in API group "([^"]*)"`),
		`RBAC`, `grant ${2} on ${3} (API group "${4}") to ${1}`},
	{http.StatusForbidden, regexp.MustCompile(`cannot set blockOwnerDeletion`), `admission plugin OwnerReferencesPermissionEnforcement`,
		`grant update on the owner's finalizers (for a DaemonSet: resource daemonsets/finalizers, API group "apps"), or leave blockOwnerDeletion out of ownerReferences`},
	{http.StatusForbidden, regexp.MustCompile(`cannot set an ownerRef on a resource you can't delete`), `admission plugin OwnerReferencesPermissionEnforcement`,
		`grant delete on the object whose ownerReferences are changed`},
	{http.StatusForbidden, regexp.MustCompile(`exceeded quota: ([^,]+)`), `ResourceQuota ${1}`, `raise the quota, or remove it from the namespace`},
	{http.StatusForbidden, regexp.MustCompile(`failed quota: ([^:]+): must specify (.+?)( for: .*)?$`), `ResourceQuota ${1}`, `set ${2} in the pod, or remove the quota`},
	{http.StatusForbidden, regexp.MustCompile(`violates PodSecurity "([^"]+)"`), `Pod Security ${1}`,
		`create the pod as its template says, or label the namespace pod-security.kubernetes.io/enforce=privileged`},
	{0, regexp.MustCompile(`ValidatingAdmissionPolicy '([^']+)'`), `ValidatingAdmissionPolicy ${1}`, `obey the policy, or exempt the scenario's namespaces from it`},
	{0, regexp.MustCompile(`admission webhook "([^"]+)" denied`), `admission webhook ${1}`, `obey the webhook, or exempt the scenario's namespaces from it`},
	{0, regexp.MustCompile(`failed calling webhook "([^"]+)"`), `admission webhook ${1}, which does not answer`, `repair the webhook's server, or remove its configuration`},
	{http.StatusForbidden, regexp.MustCompile(`(maximum|minimum) .* usage per (Container|Pod)`), `LimitRange`, `create the pod as its template says, or remove the LimitRange`},
	{http.StatusForbidden, regexp.MustCompile(`no PriorityClass with name (\S+) was found`), `admission plugin Priority`, `create the PriorityClass ${1}, or name one that exists`},
	{http.StatusForbidden, regexp.MustCompile(`error looking up service account ([^:]+)`), `admission plugin ServiceAccount`, `create the service account ${1}, or name one that exists`},
	{http.StatusForbidden, regexp.MustCompile(`namespace (\S+) because it is being terminated`), `admission plugin NamespaceLifecycle`,
		`create nothing in a namespace that is being deleted`},
	{http.StatusTooManyRequests, regexp.MustCompile(`disruption budget`), `PodDisruptionBudget`, `try again once the budget allows a disruption`},
	{http.StatusTooManyRequests, regexp.MustCompile(``), `API priority and fairness`, `send fewer requests at once, and obey Retry-After`},
	{http.StatusUnauthorized, regexp.MustCompile(``), `authentication`, `use the credentials of the kubeconfig that rollcall passes, or the pod's service account`},
	{http.StatusUnprocessableEntity, regexp.MustCompile(`is invalid: \[?([^:]+): `), `validation`, `correct the object's ${1}`},
	{http.StatusUnprocessableEntity, regexp.MustCompile(``), `validation`, `correct the object`},
	{http.StatusNotFound, regexp.MustCompile(`namespaces "([^"]+)" not found`), `admission plugin NamespaceLifecycle`, `create objects in their owner's namespace`},
	{http.StatusConflict, regexp.MustCompile(`already exists`), `another object has the name`, `choose a name that is not in use, or use generateName`},
	{http.StatusBadRequest, regexp.MustCompile(``), `the request cannot be read`, `send an object of the version that the API server serves`},
	{http.StatusForbidden, regexp.MustCompile(``), `authorization or admission`, ``},
	{http.StatusInternalServerError, regexp.MustCompile(``), `a failure of the API server`, `look into its log`},
	{http.StatusServiceUnavailable, regexp.MustCompile(``), `a failure of the API server`, `look into its log`},
	{http.StatusGatewayTimeout, regexp.MustCompile(``), `a failure of the API server`, `look into its log`},
}

// Explain finds the rule behind a refusal by its code and message.
func Explain(r history.Refusal) Explanation {
	for _, c := range causes {
		if c.code != 0 && c.code != r.Code {
			continue
		}
		match := c.pattern.FindStringSubmatchIndex(r.Message)
		if match == nil {
			continue
		}
		expand := func(template string) string { return string(c.pattern.ExpandString(nil, template, r.Message, match)) }
		return Explanation{Rule: expand(c.rule), Fix: expand(c.fix)}
	}
	return Explanation{}
}

// What says what was refused and how often, for example "37 creates of pods".
func What(r history.Refusal) string { return fmt.Sprintf("%d %s", r.Count, requests(r)) }

// requests are the refused requests without their number.
func requests(r history.Refusal) string {
	verb := r.Verb
	if verb == "deletecollection" {
		verb = "collective delete"
	}
	switch {
	case r.Count == 1:
	case verb == "patch":
		verb = "patches"
	default:
		verb += "s"
	}
	resource := r.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	return verb + " of " + resource
}

// Answer is what the API server said, for example "403 Forbidden: pods is forbidden: …".
func Answer(r history.Refusal) string {
	text := fmt.Sprintf("%d %s", r.Code, cmp.Or(r.Reason, http.StatusText(int(r.Code))))
	if r.Message != "" {
		text += ": " + r.Message
	}
	return text
}

// Text says in a line what was refused, by which rule, and what to do about it; not what the API server said.
func Text(r history.Refusal) string {
	explained := Explain(r)
	text := fmt.Sprintf("%s: %d %s", What(r), r.Code, cmp.Or(r.Reason, http.StatusText(int(r.Code))))
	if explained.Rule != "" {
		text += ", " + explained.Rule
	}
	if explained.Fix != "" {
		text += " (fix: " + explained.Fix + ")"
	}
	return text
}

// Cause is Text without what differs between scenarios: the number, and names in a rule.
func Cause(r history.Refusal) string {
	r.Count = 2
	explained := Explain(r)
	text := fmt.Sprintf("the API server refuses the implementation's %s: %d %s", requests(r), r.Code, explained.Rule)
	if explained.Fix != "" {
		text += " (fix: " + explained.Fix + ")"
	}
	return text
}

// Main is the refusal that happened most often, the first of several; nil if there is none.
func Main(all []history.Refusal) *history.Refusal {
	var most *history.Refusal
	for i := range all {
		if most == nil || all[i].Count > most.Count {
			most = &all[i]
		}
	}
	return most
}
