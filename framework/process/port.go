package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"github.com/gofrs/flock"
)

// The ports that FreePort chooses among. They lie below those that Linux takes for connections, any of which may be in use for a moment.
const (
	firstPort = 20000
	ports     = 12000
)

// portAttempts is how many ports StartOnPort tries.
const portAttempts = 5

// StartOnPort is Start for a program that listens on a free port of the loopback interface. Somebody else may take a port between its being found free
// and its being listened on: then another is tried.
func StartOnPort(ctx context.Context, options func(port int) Options) (*Process, error) {
	for attempt := 1; ; attempt++ {
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		// The program's last words are part of the error.
		started, err := Start(ctx, options(port))
		if err == nil || attempt == portAttempts || !strings.Contains(err.Error(), syscall.EADDRINUSE.Error()) {
			return started, err
		}
	}
}

// taken are the locks of the ports that this process was given; they end with it.
var taken struct {
	sync.Mutex
	locks []*flock.Flock
}

// FreePort returns a TCP port of the loopback interface that nobody listens on and that no other process gets from FreePort while this one lives:
// between its being found free and its being listened on, somebody else who was given it might start to, and be taken for the one that is waited for.
func FreePort() (int, error) {
	taken.Lock()
	defer taken.Unlock()
	dir, err := portDir()
	if err != nil {
		return 0, err
	}
	// Processes that look at the same time begin at different ports.
	start := os.Getpid() * 101
	for i := range ports {
		port := firstPort + (start+i)%ports
		lock := flock.New(filepath.Join(dir, strconv.Itoa(port)))
		locked, err := lock.TryLock()
		if err != nil {
			return 0, fmt.Errorf("reserve port %d: %w", port, err)
		}
		if !locked {
			continue
		}
		if listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port))); err == nil {
			taken.locks = append(taken.locks, lock)
			return port, listener.Close()
		}
		if err := lock.Close(); err != nil {
			return 0, fmt.Errorf("give port %d up: %w", port, err)
		}
	}
	return 0, errors.New("no port is free")
}

// portDir is where processes of one user find each other's reservations.
func portDir() (string, error) {
	base, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("find a folder for reserved ports: %w (set XDG_CACHE_HOME or HOME)", err)
	}
	dir := filepath.Join(base, "rollcall", "ports")
	return dir, os.MkdirAll(dir, 0o755)
}
