package kind

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// All kind clusters of an engine share a Docker network, which kind makes and never removes. A file remembers that it was not there before a cluster of
// ours was, until nobody uses it any more. Whoever creates machines shares a lock, so that it does not go under their feet.

func (o owners) networkMark() string { return filepath.Join(o.dir, "network") }

func (o owners) networkLock() *flock.Flock { return flock.New(filepath.Join(o.dir, "network.lock")) }

func (o owners) networkExists(ctx context.Context) (bool, error) {
	id, err := docker(ctx, "network", "ls", "--quiet", "--filter", "name=^"+o.network+"$")
	return id != "", err
}

// withNetwork creates machines, and the network if it does not exist.
func (o owners) withNetwork(ctx context.Context, create func() error) (err error) {
	lock := o.networkLock()
	if err := lock.RLock(); err != nil {
		return fmt.Errorf("share the Docker network %s: %w", o.network, err)
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	exists, err := o.networkExists(ctx)
	if err != nil {
		return err
	}
	if !exists {
		if err := os.WriteFile(o.networkMark(), nil, 0o644); err != nil {
			return err
		}
	}
	return create()
}

// removeNetwork removes the network if it exists for our clusters' sake alone, and nobody uses it or is about to.
func (o owners) removeNetwork(ctx context.Context) (err error) {
	if _, err := os.Stat(o.networkMark()); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	lock := o.networkLock()
	alone, err := lock.TryLock()
	if err != nil || !alone {
		return err
	}
	defer func() { err = errors.Join(err, lock.Close()) }()
	// Containers that do not run use it too.
	users, err := docker(ctx, "ps", "--all", "--quiet", "--filter", "network="+o.network)
	if err != nil || users != "" {
		return err
	}
	exists, err := o.networkExists(ctx)
	if err != nil {
		return err
	}
	if exists {
		if _, err := docker(ctx, "network", "rm", o.network); err != nil {
			return err
		}
	}
	return os.Remove(o.networkMark())
}
