// Command rollcall-apiserver is kube-apiserver with a fault, which --fault names, behind it the right one, whose path --behind names; these come first, in
// this order. All other arguments are those of kube-apiserver. It stands in the place of kube-apiserver on an embedded control plane. Package wrongapi
// lists the faults.
package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/rollcall-conformance/rollcall/framework/process"
	"github.com/rollcall-conformance/rollcall/hack/mutants/wrongapi"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:])
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "rollcall-apiserver:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	fault, behind, others, err := choose(args)
	if err != nil {
		return err
	}
	if slices.Contains(others, "--help") {
		// Asked for its flags: they are the other's.
		return syscall.Exec(behind, append([]string{behind}, others...), os.Environ())
	}
	front, err := newFront(others)
	if err != nil {
		return err
	}
	script, err := process.WrapForDeath(behind, front.folder)
	if err != nil {
		return err
	}
	server := exec.Command(script, front.argsBehind...)
	server.Stdout, server.Stderr = os.Stdout, os.Stderr
	if err := server.Start(); err != nil {
		return fmt.Errorf("start kube-apiserver: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Wait() }()
	served := make(chan error, 1)
	web := &http.Server{Addr: front.address, Handler: front.handler(fault), TLSConfig: front.tls, ReadHeaderTimeout: time.Minute}
	go func() { served <- web.ListenAndServeTLS("", "") }()
	select {
	case err := <-ended:
		return fmt.Errorf("kube-apiserver ended: %w", err)
	case err := <-served:
		return errors.Join(fmt.Errorf("serve at %s: %w", front.address, err), server.Process.Kill())
	case <-ctx.Done():
		return errors.Join(server.Process.Signal(syscall.SIGTERM), <-ended)
	}
}

// choose returns the fault and the path of the right kube-apiserver, and the arguments of that.
func choose(args []string) (fault wrongapi.Fault, behind string, others []string, err error) {
	if len(args) < 2 {
		return fault, "", nil, errors.New("the first arguments have to be --fault=NAME and --behind=PATH")
	}
	name, named := strings.CutPrefix(args[0], "--fault=")
	behind, given := strings.CutPrefix(args[1], "--behind=")
	if !named || !given || !filepath.IsAbs(behind) {
		return fault, "", nil, fmt.Errorf("the first arguments have to be --fault=NAME and --behind=PATH, an absolute one, not %q", args[:2])
	}
	fault, err = wrongapi.Named(name)
	return fault, behind, args[2:], err
}
