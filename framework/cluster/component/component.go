// Package component runs a part of a cluster as a local process that serves its health on a port of its own.
package component

import (
	"context"
	"fmt"
	"net"
	"strconv"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// Options says what to run.
type Options struct {
	// Name is the component's in messages; Path its program.
	Name, Path string
	// Args are the program's arguments, given the port on which it is to serve /healthz.
	Args func(port int) []string
	// Plain: it serves without TLS.
	Plain bool
	// LogPath is the file to which it prints.
	LogPath string
	// ReadyTimeout bounds the wait for its being healthy.
	ReadyTimeout time.Duration
}

// Start runs the component on a free port of the loopback interface and returns once its /healthz says ok. The error shows its last words.
func Start(ctx context.Context, options Options) (*process.Process, error) {
	scheme := "https"
	if options.Plain {
		scheme = "http"
	}
	return process.StartOnPort(ctx, func(port int) process.Options {
		return process.Options{
			Name:         options.Name,
			Path:         options.Path,
			Args:         options.Args(port),
			LogPath:      options.LogPath,
			Ready:        process.Answers(fmt.Sprintf("%s://%s/healthz", scheme, Address(port)), ""),
			ReadyTimeout: options.ReadyTimeout,
		}
	})
}

// Address is the port on the loopback interface.
func Address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }
