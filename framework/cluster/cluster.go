// Package cluster says what the harness needs of a Kubernetes cluster, whoever provides it: a way in, and logs. Its folders are the
// providers. It knows nothing about scenarios, nodes or implementations.
package cluster

import (
	"context"

	"k8s.io/client-go/rest"
)

// Cluster is a running control plane.
type Cluster interface {
	// Provider is the provider's name, for example "embedded".
	Provider() string
	// KubernetesVersion of the API server, for example "v1.37.0".
	KubernetesVersion() string
	// Config is an administrator's client configuration. Callers copy it before changing it.
	Config() *rest.Config
	// KubeconfigFor writes a kubeconfig file for the user with these groups and returns its path; RBAC decides what the user may do.
	KubeconfigFor(ctx context.Context, user string, groups ...string) (string, error)
	// SwitchOff has kube-controller-manager run without these controllers, for example "daemonset-controller", and with all others, from the
	// return on. Nothing else changes.
	SwitchOff(ctx context.Context, controllers ...string) error
	// ExportLogs brings the logs that are elsewhere, if any, to where the others are.
	ExportLogs(ctx context.Context) error
	// Stop ends the cluster and frees what it used; logs stay. It does nothing the second time.
	Stop(ctx context.Context) error
}
