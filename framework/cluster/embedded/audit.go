//go:build !windows

package embedded

import (
	"fmt"
	"os"
	"path/filepath"

	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/rollcall-conformance/rollcall/framework/audit"
)

var _ audit.Keeper = (*Cluster)(nil)

// AuditLog implements audit.Keeper: an audit.Folder. The log goes at Stop.
func (c *Cluster) AuditLog() audit.Log { return audit.Folder(c.auditDir()) }

func (c *Cluster) auditDir() string { return filepath.Join(c.options.Dir, "audit") }

// keepAuditLog has kube-apiserver write it.
func (c *Cluster) keepAuditLog(apiServer *envtest.APIServer) error {
	policy, err := audit.Policy(c.options.Workload)
	if err != nil {
		return err
	}
	path := filepath.Join(c.configDir(), "audit-policy.yaml")
	if err := os.WriteFile(path, policy, 0o600); err != nil {
		return fmt.Errorf("write the audit policy: %w", err)
	}
	for flag, value := range audit.Arguments(path, filepath.Join(c.auditDir(), audit.FileName)) {
		apiServer.Configure().Set(flag, value)
	}
	return nil
}
