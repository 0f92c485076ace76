package implementation

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// The tests run this very binary again as the implementation that is launched, in one of these roles.
const (
	roleVariable = "ROLLCALL_IMPLEMENTATION_TEST_ROLE"

	roleServe     = "serve"      // becomes ready on the address in its first argument, and prints its other arguments, its folder and GREETING
	roleUnready   = "unready"    // answers that it is not ready
	rolePortTaken = "port taken" // fails to listen the first time
	roleSlow      = "slow"       // serves, and ends half a second after SIGTERM
	roleStubborn  = "stubborn"   // serves, and only SIGKILL ends it

	badFlag = "--bad" // ends any of them at once
)

func TestMain(m *testing.M) {
	role := os.Getenv(roleVariable)
	if role == "" {
		os.Exit(m.Run())
	}
	if err := play(role); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func play(role string) error {
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM)
	if role == rolePortTaken {
		mark := filepath.Join(os.Getenv("RUN_DIR"), "tried")
		if _, err := os.Stat(mark); err != nil {
			return fmt.Errorf("listen tcp %s: bind: address already in use (%w)", os.Args[1], os.WriteFile(mark, nil, 0o600))
		}
	}
	dir, err := os.Getwd()
	if err != nil {
		return err
	}
	fmt.Printf("%q in %s%s\n", os.Args[2:], dir, os.Getenv("GREETING"))
	if slices.Contains(os.Args, badFlag) {
		return errors.New("unknown flag " + badFlag)
	}
	served := make(chan error, 1)
	go func() {
		served <- http.ListenAndServe(os.Args[1], http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			if role == roleUnready {
				http.Error(w, "caches are not synced", http.StatusServiceUnavailable)
				return
			}
			_, _ = fmt.Fprintln(w, "listening")
		}))
	}()
	select {
	case err := <-served:
		return err
	case <-terminated:
	}
	switch role {
	case roleSlow:
		time.Sleep(500 * time.Millisecond)
	case roleStubborn:
		return <-served
	}
	return nil
}

func catalogue(t *testing.T) *requirements.Catalogue {
	t.Helper()
	loaded, err := requirements.Load()
	NewWithT(t).Expect(err).NotTo(HaveOccurred())
	return loaded
}

// load writes an implementation file and loads it.
func load(t *testing.T, text string) (*Implementation, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "mine.yaml")
	NewWithT(t).Expect(os.WriteFile(path, []byte(text), 0o600)).To(Succeed())
	return Load(path, catalogue(t))
}
