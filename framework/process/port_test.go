package process_test

import (
	"errors"
	"io"
	"net"
	"os"
	"strconv"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

func TestNoPortIsGivenTwice(t *testing.T) {
	g := NewWithT(t)
	given := map[int]bool{}
	for range 20 {
		port, err := process.FreePort()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(given).NotTo(HaveKey(port), "given before, and nobody listens on it yet")
		given[port] = true
	}
}

func TestAReservedPortCanBeListenedOn(t *testing.T) {
	g := NewWithT(t)
	port, err := process.FreePort()
	g.Expect(err).NotTo(HaveOccurred())
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(listener.Close()).To(Succeed())
}

func TestReservationsLeaveNoFiles(t *testing.T) {
	g := NewWithT(t)
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CACHE_HOME", home)
	t.Setenv("TMPDIR", home)
	_, err := process.FreePort()
	g.Expect(err).NotTo(HaveOccurred())
	left, err := os.ReadDir(home)
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(left).To(BeEmpty())
}

func TestAPortThatSomebodyListensOnIsNotGiven(t *testing.T) {
	for name, listen := range map[string]func(address string) (io.Closer, error){
		"uses":     func(address string) (io.Closer, error) { return net.Listen("tcp", address) },
		"reserved": func(address string) (io.Closer, error) { return net.ListenPacket("udp", address) },
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			first, err := process.FreePort()
			g.Expect(err).NotTo(HaveOccurred())
			// The next ones may be this process' own.
			next, other, err := first, io.Closer(nil), errors.New("none yet")
			for err != nil {
				next++
				other, err = listen(net.JoinHostPort("127.0.0.1", strconv.Itoa(next)))
			}
			defer func() { g.Expect(other.Close()).To(Succeed()) }()
			second, err := process.FreePort()
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(second).NotTo(Equal(next))
		})
	}
}
