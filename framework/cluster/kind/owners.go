package kind

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gofrs/flock"
)

// prefix begins the names of clusters that may be removed when their owner is gone.
const prefix = "rollcall-"

// owners is the folder in which every owner of a cluster holds a lock for its life: `NAME.lock`. A lock that nobody holds means that its owner
// crashed. A cluster to be kept has none.
type owners struct {
	dir string
	// network is the Docker network of all clusters, see dockernetwork.go.
	network string
}

func openOwners() (owners, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return owners{}, fmt.Errorf("find the folder for the locks of kind clusters: %w (set XDG_CACHE_HOME or HOME)", err)
	}
	o := owners{dir: filepath.Join(cache, "rollcall", "kind"), network: "kind"}
	return o, os.MkdirAll(o.dir, 0o755)
}

func (o owners) path(name string) string { return filepath.Join(o.dir, name+".lock") }

// claim takes the lock of a cluster's name; nil if somebody else holds it.
func (o owners) claim(name string) (*flock.Flock, error) {
	lock := flock.New(o.path(name))
	taken, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock the name of kind cluster %s: %w", name, err)
	}
	if !taken {
		return nil, nil
	}
	return lock, nil
}

// disown removes a lock that one holds.
func disown(lock *flock.Flock) error {
	return errors.Join(os.Remove(lock.Path()), lock.Close())
}

// orphan is a name whose owner is gone, and its lock, which is held from now on.
type orphan struct {
	name string
	lock *flock.Flock
	// exists: there still is such a cluster.
	exists bool
}

// orphans finds the names whose owners crashed, given the clusters that there are.
func (o owners) orphans(clusters []string) ([]orphan, error) {
	locks, err := filepath.Glob(o.path(prefix + "*"))
	if err != nil {
		return nil, err
	}
	var found []orphan
	for _, path := range locks {
		name := strings.TrimSuffix(filepath.Base(path), ".lock")
		lock, err := o.claim(name)
		if err != nil {
			return found, err
		}
		if lock != nil {
			found = append(found, orphan{name: name, lock: lock, exists: slices.Contains(clusters, name)})
		}
	}
	return found, nil
}
