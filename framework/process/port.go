package process

import (
	"fmt"
	"net"
)

// FreePort returns a TCP port of the loopback interface that nobody listens on. Somebody may take it before it is used; a program that
// cannot listen then says "address already in use", and its caller tries another.
func FreePort() (int, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, fmt.Errorf("looking for a free port: %w", err)
	}
	port := listener.Addr().(*net.TCPAddr).Port
	return port, listener.Close()
}
