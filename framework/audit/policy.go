package audit

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
	"sigs.k8s.io/yaml"
)

// writes are the verbs that change something.
func writes() []string { return []string{"create", "update", "patch", "delete", "deletecollection"} }

// recorded are the resources of the kinds that a recording can hold (history.NewObject), but for events, which are evidence only.
func recorded() []auditv1.GroupResources {
	return []auditv1.GroupResources{
		{Group: "", Resources: []string{"pods", "pods/status", "pods/binding", "pods/eviction", "pods/ephemeralcontainers", "pods/resize", "nodes", "nodes/status"}},
		{Group: "apps", Resources: []string{
			"daemonsets", "daemonsets/status", "statefulsets", "statefulsets/status", "statefulsets/scale", "controllerrevisions",
		}},
		{Group: "policy", Resources: []string{"poddisruptionbudgets", "poddisruptionbudgets/status"}},
	}
}

// Policy returns the audit policy of a control plane whose changes are to be attributed, as the YAML that kube-apiserver's --audit-policy-file reads:
// the writes to the kinds that recordings hold, with the response, since that alone has the resourceVersion; nothing else. Each request is logged
// once, when it has been answered.
func Policy() ([]byte, error) {
	policy := auditv1.Policy{
		TypeMeta:          metav1.TypeMeta{APIVersion: auditv1.SchemeGroupVersion.String(), Kind: "Policy"},
		OmitStages:        []auditv1.Stage{auditv1.StageRequestReceived, auditv1.StageResponseStarted},
		OmitManagedFields: true,
		Rules: []auditv1.PolicyRule{
			{Level: auditv1.LevelRequestResponse, Verbs: writes(), Resources: recorded()},
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
