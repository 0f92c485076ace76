// Package component runs a part of a cluster as a local process that serves its health on a port of its own.
package component

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

// portAttempts is how many ports are tried: somebody else may take one between its being found free and its being used.
const portAttempts = 5

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
	for attempt := 1; ; attempt++ {
		port, err := process.FreePort()
		if err != nil {
			return nil, fmt.Errorf("find a port for %s: %w", options.Name, err)
		}
		started, err := process.Start(ctx, process.Options{
			Name:         options.Name,
			Path:         options.Path,
			Args:         options.Args(port),
			LogPath:      options.LogPath,
			Ready:        healthy(Address(port), options.Plain),
			ReadyTimeout: options.ReadyTimeout,
		})
		// The component's last words are part of the error.
		if err == nil || attempt == portAttempts || !strings.Contains(err.Error(), syscall.EADDRINUSE.Error()) {
			return started, err
		}
	}
}

// Address is the port on the loopback interface.
func Address(port int) string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)) }

func healthy(address string, plain bool) func(context.Context) error {
	scheme := "https"
	if plain {
		scheme = "http"
	}
	url := scheme + "://" + address + "/healthz"
	// Each component signs its own serving certificate; it is asked for its health and told nothing.
	client := &http.Client{
		Timeout:   2 * time.Second,
		Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}, DisableKeepAlives: true},
	}
	return func(ctx context.Context) error {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		response, err := client.Do(request)
		if err != nil {
			return err
		}
		defer response.Body.Close()
		if response.StatusCode != http.StatusOK {
			return fmt.Errorf("GET %s: %s", url, response.Status)
		}
		return nil
	}
}
