package spec

import (
	"context"
	"fmt"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/rollcall-conformance/rollcall/framework/audit"
	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/framework/cluster/embedded"
)

// Paths by which specs that are alone ask the run for control planes. All take a POST.
const (
	// BorrowPath answers with a Loan.
	BorrowPath = "/control-planes/borrow"
	// ReturnPath takes a Returned.
	ReturnPath = "/control-planes/return"
	// UserPath takes a LoanUser, and answers with the path of its kubeconfig.
	UserPath = "/control-planes/user"
	// SwitchOffPath takes a SwitchedOff.
	SwitchOffPath = "/control-planes/switch-off"
)

// Loan is a control plane that the run lends to a spec that is alone: it is the only one that uses it, and may not be the first.
type Loan struct {
	// Name by which the run knows it.
	Name string `json:"name"`
	// Dir is a folder for what the spec runs there, and Logs one for its logs, where those of the control plane are.
	Dir  string `json:"dir"`
	Logs string `json:"logs"`
	// Kubeconfig is an administrator's.
	Kubeconfig string `json:"kubeconfig"`
	// AuditFolder has the audit log.
	AuditFolder string `json:"auditFolder"`
	// StorageURL is where etcd is.
	StorageURL        string `json:"storageURL"`
	KubernetesVersion string `json:"kubernetesVersion"`
}

// Returned is a control plane that is given back.
type Returned struct {
	Name string `json:"name"`
	// AsItWas: another spec may have it.
	AsItWas bool `json:"asItWas,omitempty"`
}

// LoanUser is a user of a control plane that was lent.
type LoanUser struct {
	Name   string   `json:"name"`
	User   string   `json:"user"`
	Groups []string `json:"groups,omitempty"`
}

// SwitchedOff are the controllers that kube-controller-manager is to run without.
type SwitchedOff struct {
	Name        string   `json:"name"`
	Controllers []string `json:"controllers,omitempty"`
}

// lent is a control plane as the spec has it. The run does what only the process that started it can do.
type lent struct {
	Loan
	run    supervisor
	config *rest.Config
}

var (
	_ cluster.Cluster = (*lent)(nil)
	_ cluster.Storage = (*lent)(nil)
	_ audit.Keeper    = (*lent)(nil)
)

// borrow returns a control plane of the run that nobody else uses.
func (s supervisor) borrow(ctx context.Context) (*lent, error) {
	l := &lent{run: s}
	err := s.ask(ctx, BorrowPath, nil, struct{}{}, &l.Loan)
	if err == nil {
		l.config, err = clientcmd.BuildConfigFromFlags("", l.Kubeconfig)
	}
	if err != nil {
		return nil, fmt.Errorf("get a control plane of its own: %w", err)
	}
	l.config.QPS, l.config.Burst = 1000, 2000
	return l, nil
}

// Provider implements cluster.Cluster.
func (l *lent) Provider() string { return embedded.ProviderName }

// KubernetesVersion implements cluster.Cluster.
func (l *lent) KubernetesVersion() string { return l.Loan.KubernetesVersion }

// Config implements cluster.Cluster.
func (l *lent) Config() *rest.Config { return l.config }

// KubeconfigFor implements cluster.Cluster.
func (l *lent) KubeconfigFor(ctx context.Context, user string, groups ...string) (path string, err error) {
	return path, l.run.ask(ctx, UserPath, nil, LoanUser{Name: l.Name, User: user, Groups: groups}, &path)
}

// SwitchOff implements cluster.Cluster.
func (l *lent) SwitchOff(ctx context.Context, controllers ...string) error {
	return l.run.ask(ctx, SwitchOffPath, nil, SwitchedOff{Name: l.Name, Controllers: controllers}, nil)
}

// ExportLogs implements cluster.Cluster: there is nothing to do, since the components write into Logs themselves.
func (l *lent) ExportLogs(context.Context) error { return nil }

// Stop implements cluster.Cluster: nobody gets it again.
func (l *lent) Stop(ctx context.Context) error {
	return l.run.ask(ctx, ReturnPath, nil, Returned{Name: l.Name}, nil)
}

// StorageURL implements cluster.Storage.
func (l *lent) StorageURL() string { return l.Loan.StorageURL }

// AuditLog implements audit.Keeper.
func (l *lent) AuditLog() audit.Log { return audit.Folder(l.AuditFolder) }

// giveBack leaves the control plane to another spec. The implementation that is started for that must not wait for a Lease by which the one before it led: where
// that cannot be removed, nobody gets the control plane again.
func (l *lent) giveBack(ctx context.Context) error {
	if l.removeLeases(ctx) != nil {
		return l.Stop(ctx)
	}
	return l.run.ask(ctx, ReturnPath, nil, Returned{Name: l.Name, AsItWas: true}, nil)
}

// removeLeases removes all that are neither a node's nor the API server's.
func (l *lent) removeLeases(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(l.config)
	if err != nil {
		return err
	}
	leases, err := client.CoordinationV1().Leases(corev1.NamespaceAll).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("look for Leases of the implementation: %w", err)
	}
	for _, lease := range leases.Items {
		if ofControlPlane(&lease) {
			continue
		}
		if err := client.CoordinationV1().Leases(lease.Namespace).Delete(ctx, lease.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("remove Lease %s in namespace %s: %w", lease.Name, lease.Namespace, err)
		}
	}
	return nil
}

// apiServerIdentityLabel marks the Lease that each API server keeps.
const apiServerIdentityLabel = "apiserver.kubernetes.io/identity"

func ofControlPlane(lease *coordinationv1.Lease) bool {
	_, identity := lease.Labels[apiServerIdentityLabel]
	return identity || lease.Namespace == corev1.NamespaceNodeLease
}
