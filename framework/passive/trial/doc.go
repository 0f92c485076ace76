// Package trial tries package passive on a control plane, whose DaemonSet controller is kube-controller-manager's.
package trial
