package refusals_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/refusals"
)

// TestTheAPIServersWordsAreUnderstood has messages of kube-apiserver 1.37.0, word for word but for long lists.
func TestTheAPIServersWordsAreUnderstood(t *testing.T) {
	for message, row := range map[string]struct {
		code      int32
		rule, fix string
	}{
		`pods is forbidden: User "system:serviceaccount:my-system:my-controller" cannot create resource "pods" in API group "" in the namespace "plain"`: {
			403, "RBAC", `grant create on pods (API group "") to system:serviceaccount:my-system:my-controller`},
		`daemonsets.apps "daemon" is forbidden: User "me" cannot update resource "daemonsets/status" in API group "apps" in the namespace "plain"`: {
			403, "RBAC", `grant update on daemonsets/status (API group "apps") to me`},
		`nodes "n1" is forbidden: User "me" cannot patch resource "nodes" in API group "" at the cluster scope`: {
			403, "RBAC", `grant patch on nodes (API group "") to me`},
		`controllerrevisions.apps "daemon-774899597d" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil>`: {
			403, "admission plugin OwnerReferencesPermissionEnforcement", "daemonsets/finalizers"},
		`pods "daemon-5pswl" is forbidden: exceeded quota: compute, requested: pods=1, used: pods=0, limited: pods=0`: {403, "ResourceQuota compute", "raise the quota"},
		`pods "daemon-q45nx" is forbidden: failed quota: compute: must specify limits.cpu for: c`:                     {403, "ResourceQuota compute", "set limits.cpu in the pod"},
		`pods "daemon-n86w7" is forbidden: violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false)`: {
			403, "Pod Security restricted:latest", "pod-security.kubernetes.io/enforce"},
		`pods "daemon-dtdl5" is forbidden: ValidatingAdmissionPolicy 'no-pods' with binding 'no-pods-binding' denied request: no pods today`: {
			422, "ValidatingAdmissionPolicy no-pods", "obey the policy"},
		`admission webhook "hook.example.org" denied the request: no pods today`: {403, "admission webhook hook.example.org", "obey the webhook"},
		`Internal error occurred: failed calling webhook "hook.example.org": failed to call webhook: Post "https://127.0.0.1:1/x?timeout=10s": dial tcp 127.0.0.1:1: connect: connection refused`: {
			500, "admission webhook hook.example.org, which does not answer", "repair the webhook's server"},
		`pods "daemon-qf8kj" is forbidden: maximum cpu usage per Container is 1m, but limit is 1`:                     {403, "LimitRange", "as its template says"},
		`pods "daemon-" is forbidden: no PriorityClass with name nope was found`:                                      {403, "admission plugin Priority", "create the PriorityClass nope"},
		`pods "daemon-" is forbidden: error looking up service account plain/nope: serviceaccount "nope" not found`:   {403, "admission plugin ServiceAccount", "create the service account plain/nope"},
		`pods "daemon-" is forbidden: unable to create new content in namespace going because it is being terminated`: {403, "admission plugin NamespaceLifecycle", "being deleted"},
		`Cannot evict pod as it would violate the pod's disruption budget.`:                                           {429, "PodDisruptionBudget", "once the budget allows"},
		`Too many requests, please try again later.`:                                                                  {429, "API priority and fairness", "Retry-After"},
		`Unauthorized`: {401, "authentication", "credentials"},
		`DaemonSet.apps "daemon" is invalid: status.currentNumberScheduled: Invalid value: -1: must be greater than or equal to 0`: {422, "validation", "correct the object's status.currentNumberScheduled"},
		`Pod "daemon-kx8dq" is invalid: [metadata.ownerReferences[0].apiVersion: Required value: must not be empty, metadata.ownerReferences[0].kind: Required value: must not be empty]`: {
			422, "validation", "correct the object's metadata.ownerReferences[0].apiVersion"},
		`namespaces "nowhere" not found`: {404, "admission plugin NamespaceLifecycle", "their owner's namespace"},
		`pods "x" already exists, the server was not able to generate a unique name for the object`:                                                         {409, "another object has the name", "generateName"},
		`Pod in version "v1" cannot be handled as a Pod: json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container`: {400, "the request cannot be read", "version"},
		`in words that nobody foresaw`: {403, "authorization or admission", ""},
		`I'm a teapot`:                 {418, "", ""},
	} {
		got := refusals.Explain(history.Refusal{Code: row.code, Message: message})
		g := NewWithT(t)
		g.Expect(got.Rule).To(Equal(row.rule), message)
		g.Expect(got.Fix).To(ContainSubstring(row.fix), message)
		if row.fix == "" {
			g.Expect(got.Fix).To(BeEmpty(), message)
		}
	}
}

func TestARefusalIsToldInALine(t *testing.T) {
	refused := history.Refusal{
		Count: 37, Verb: "create", Resource: "pods", Code: 403, Reason: "Forbidden", Namespace: "surge-007-eeb7783e",
		Message: `pods is forbidden: User "me" cannot create resource "pods" in API group "" in the namespace "surge-007-eeb7783e"`,
	}
	g := NewWithT(t)
	g.Expect(refusals.Text(refused)).To(Equal(`37 creates of pods: 403 Forbidden, RBAC (fix: grant create on pods (API group "") to me)`))
	g.Expect(refusals.Answer(refused)).To(Equal("403 Forbidden: " + refused.Message))
	g.Expect(refusals.Cause(refused)).To(Equal(`the API server refuses the implementation's creates of pods: 403 RBAC (fix: grant create on pods (API group "") to me)`))

	g.Expect(refusals.What(history.Refusal{Count: 1, Verb: "update", Resource: "daemonsets", Subresource: "status"})).To(Equal("1 update of daemonsets/status"))
	g.Expect(refusals.What(history.Refusal{Count: 2, Verb: "patch", Resource: "pods"})).To(Equal("2 patches of pods"))
	g.Expect(refusals.What(history.Refusal{Count: 2, Verb: "deletecollection", Resource: "pods"})).To(Equal("2 collective deletes of pods"))
}

func TestTheMainRefusalIsTheMostFrequentOne(t *testing.T) {
	g := NewWithT(t)
	g.Expect(refusals.Main(nil)).To(BeNil())
	g.Expect(refusals.Main([]history.Refusal{{Count: 1, Verb: "a"}, {Count: 3, Verb: "b"}, {Count: 3, Verb: "c"}}).Verb).To(Equal("b"))
}
