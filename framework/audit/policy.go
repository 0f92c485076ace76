package audit

import (
	"fmt"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// writes are the verbs that change something.
func writes() []string { return []string{"create", "update", "patch", "delete", "deletecollection"} }

// recorded are the resources of the kinds that a recording can hold, but for evidence, and the workload's, by group.
func recorded(tested workload.Workload) []auditv1.GroupResources {
	resources := map[string][]string{}
	add := func(resource schema.GroupResource, subresources []string) {
		all := append(resources[resource.Group], resource.Resource)
		for _, subresource := range subresources {
			all = append(all, resource.Resource+"/"+subresource)
		}
		resources[resource.Group] = all
	}
	for _, definition := range history.Definitions() {
		if !definition.EvidenceOnly {
			add(definition.GroupResource(), definition.Subresources)
		}
	}
	if !tested.IsDaemonSet() {
		add(tested.GroupResource(), []string{"status"})
	}
	var groups []auditv1.GroupResources
	for _, group := range slices.Sorted(maps.Keys(resources)) {
		groups = append(groups, auditv1.GroupResources{Group: group, Resources: resources[group]})
	}
	return groups
}

// Policy returns the audit policy of a control plane whose changes are to be attributed, as the YAML that kube-apiserver's --audit-policy-file reads:
// the writes to the kinds that recordings hold, with the response, since that alone has the resourceVersion; nothing else. Each request is logged
// once, when it has been answered. The workload is what recordings show as DaemonSets.
func Policy(tested workload.Workload) ([]byte, error) {
	policy := auditv1.Policy{
		TypeMeta:          metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		OmitStages:        []auditv1.Stage{auditv1.StageRequestReceived, auditv1.StageResponseStarted},
		OmitManagedFields: true,
		Rules: []auditv1.PolicyRule{
			{Level: auditv1.LevelRequestResponse, Verbs: writes(), Resources: recorded(tested)},
			{Level: auditv1.LevelNone},
		},
	}
	text, err := yaml.Marshal(policy)
	if err != nil {
		return nil, fmt.Errorf("encode the audit policy: %w", err)
	}
	return text, nil
}

// Arguments returns kube-apiserver's flags, without the dashes, for a log of that policy.
//
// The log is written before the request is done with (blocking), since a change whose line is still in a batch at the recording's end has no author.
// A size that no run reaches keeps it in one file.
func Arguments(policyPath, logPath string) map[string]string {
	return map[string]string{
		"audit-policy-file": policyPath,
		"audit-log-path":    logPath,
		"audit-log-mode":    "blocking",
		"audit-log-maxsize": "1000000",
	}
}
