package process_test

import (
	"net"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

func TestNoPortIsGivenTwice(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	given := map[int]bool{}
	for range 20 {
		port, err := process.FreePort()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(given).NotTo(HaveKey(port), "given before, and nobody listens on it yet")
		given[port] = true
	}
}

func TestAPortThatSomebodyListensOnIsNotGiven(t *testing.T) {
	g := NewWithT(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	first, err := process.FreePort()
	g.Expect(err).NotTo(HaveOccurred())
	next := first + 1
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(next)))
	g.Expect(err).NotTo(HaveOccurred())
	defer func() { g.Expect(listener.Close()).To(Succeed()) }()
	second, err := process.FreePort()
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(second).NotTo(Equal(next))
}
