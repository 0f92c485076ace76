package controlplane

import "time"

// The modules of programs that only real nodes need.
const (
	containerd = "containerd"
	coredns    = "coredns"
)

// nodePrograms are what a node with a real kubelet needs beside the control plane. Nobody gets them without asking for them by name.
func nodePrograms() []program {
	return []program{
		{
			name: "kubeadm", module: kubernetes, pkg: "k8s.io/kubernetes/cmd/kubeadm", cold: 30 * time.Second,
			versionArgs: []string{"version", "--output=short"}, versionText: "v",
		},
		{
			name: "kubelet", module: kubernetes, pkg: "k8s.io/kubernetes/cmd/kubelet", cold: 75 * time.Second,
			versionArgs: []string{"--version"}, versionText: "Kubernetes v",
		},
		{
			name: "kube-proxy", module: kubernetes, pkg: "k8s.io/kubernetes/cmd/kube-proxy", cold: 30 * time.Second,
			versionArgs: []string{"--version"}, versionText: "Kubernetes v",
		},
		{
			name: "containerd", module: containerd, pkg: "github.com/containerd/containerd/v2/cmd/containerd", cold: 60 * time.Second,
			versionArgs: []string{"--version"}, versionText: "containerd/v2 v",
		},
		{
			name: "ctr", module: containerd, pkg: "github.com/containerd/containerd/v2/cmd/ctr", cold: 15 * time.Second,
			versionArgs: []string{"--version"}, versionText: "containerd/v2 v",
		},
		{
			name: "containerd-shim-runc-v2", module: containerd, pkg: "github.com/containerd/containerd/v2/cmd/containerd-shim-runc-v2", cold: 10 * time.Second,
			versionArgs: []string{"-v"}, versionText: "Version:  v",
		},
		{
			name: "coredns", module: coredns, pkg: "github.com/coredns/coredns", cold: 80 * time.Second,
			versionArgs: []string{"-version"}, versionText: "CoreDNS-",
		},
	}
}

// NodeNames lists the programs that Ensure provides only when Options.Names has them: those of nodes with real kubelets.
func NodeNames() []string { return namesOf(nodePrograms()) }
