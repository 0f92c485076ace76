package process

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
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

// taken are the reservations of the ports that this process was given: UDP sockets of the same numbers, which the kernel closes with it.
var taken struct {
	sync.Mutex
	reservations []net.PacketConn
}

// FreePort returns a TCP port of the loopback interface that nobody listens on and that no other process gets from FreePort while this one lives:
// between its being found free and its being listened on, somebody else who was given it might start to, and be taken for the one that is waited for.
func FreePort() (int, error) {
	taken.Lock()
	defer taken.Unlock()
	// Processes that look at the same time begin at different ports.
	start := os.Getpid() * 101
	var refused error
	for i := range ports {
		port := firstPort + (start+i)%ports
		address := net.JoinHostPort("127.0.0.1", strconv.Itoa(port))
		reservation, err := net.ListenPacket("udp", address)
		if err != nil {
			refused = err
			continue
		}
		listener, err := net.Listen("tcp", address)
		if err == nil {
			taken.reservations = append(taken.reservations, reservation)
			return port, listener.Close()
		}
		refused = errors.Join(err, reservation.Close())
	}
	return 0, fmt.Errorf("no port is free: %w", refused)
}
