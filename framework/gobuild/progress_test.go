package gobuild

import (
	"bytes"
	"testing"
	"time"

	. "github.com/onsi/gomega"
)

func TestPackagesAreCountedAndShownNowAndThen(t *testing.T) {
	g := NewWithT(t)
	var out bytes.Buffer
	p := &progress{out: &out, next: time.Now().Add(time.Hour)}
	write := func(text string) {
		written, err := p.Write([]byte(text))
		g.Expect(written, err).To(Equal(len(text)))
	}
	write("go: downloading example.test/x v1.0.0\nk8s.io/api/co")
	write("re/v1\n# example.test/mine\n./main.go:3:1: no\n")
	g.Expect(out.String()).To(Equal("    go: downloading example.test/x v1.0.0\n"))
	p.next = time.Now()
	write("fmt\nos\n")
	g.Expect(out.String()).To(HaveSuffix("\n    2 packages compiled so far, now fmt\n"))
	write("cut")
	p.end()
	g.Expect(p.said).To(Equal([]string{"go: downloading example.test/x v1.0.0", "# example.test/mine", "./main.go:3:1: no", "cut"}))
}
