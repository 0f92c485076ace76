// Package embedded runs a real Kubernetes control plane as local processes: etcd and kube-apiserver (through controller-runtime's
// envtest), kube-controller-manager, kube-scheduler, and KWOK for the nodes. RBAC, admission and service-account tokens are the real ones;
// only the nodes are simulated.
//
// Several run side by side. They end with the process that started them, even when that one is killed with SIGKILL.
package embedded

import (
	"github.com/rollcall-conformance/rollcall/framework/workload"
)

// ProviderName is what reports call this provider.
const ProviderName = "embedded"

// Options says what to start.
type Options struct {
	// Binary returns the path of a control-plane binary by name: kube-apiserver, kube-controller-manager, kube-scheduler, etcd, kwok.
	Binary func(name string) string
	// KubernetesVersion of those binaries, for example "v1.37.0".
	KubernetesVersion string
	// Dir receives what the control plane needs to run, in folders that go at Stop; the folder itself stays. No two share one.
	Dir string
	// LogDir receives one log per component; it stays. Default: logs in Dir.
	LogDir string
	// DisabledControllers are the controllers of kube-controller-manager that the implementation replaces, for example
	// "daemonset-controller". Default: none.
	DisabledControllers []string
	// CheckOwnerReferences has the admission plugin OwnerReferencesPermissionEnforcement on, as some distributions have it. Default: off, as kubeadm has it.
	CheckOwnerReferences bool
	// Workload is what the implementation reconciles: the audit log holds the writes to it. Default: DaemonSets.
	Workload workload.Workload
}
