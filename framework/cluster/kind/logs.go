package kind

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	kinderrors "sigs.k8s.io/kind/pkg/errors"
	kindexec "sigs.k8s.io/kind/pkg/exec"
)

// ExportLogs implements cluster.Cluster: the machines' logs go into a folder in LogDir.
func (c *Cluster) ExportLogs(context.Context) error {
	if c.own == nil {
		return fmt.Errorf("export the logs of kind cluster %s: only who started it can", c.name)
	}
	if err := c.exportLogs(filepath.Join(c.options.LogDir, "kind")); err != nil {
		return fmt.Errorf("export the logs of kind cluster %s: %w", c.name, err)
	}
	return nil
}

func (c *Cluster) exportLogs(dir string) error {
	return withoutCrictl(c.provider.CollectLogs(c.name, dir))
}

// withoutCrictl drops the complaint that kind could not list a node's images: an image built without a registry has no crictl.
func withoutCrictl(failure error) error {
	if failures := kinderrors.Errors(failure); failures != nil {
		var others []error
		for _, err := range failures {
			others = append(others, withoutCrictl(err))
		}
		return errors.Join(others...)
	}
	if failed := kindexec.RunErrorForError(failure); failed != nil && slices.Contains(failed.Command, "crictl") {
		return nil
	}
	return failure
}
