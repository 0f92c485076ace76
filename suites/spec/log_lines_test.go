package spec

import (
	"fmt"
	"testing"
	"time"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

func TestALineSaysWhenItWasPrinted(t *testing.T) {
	g := NewWithT(t)
	start := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	want := start.Add(62*time.Second + 123456*time.Microsecond)
	for _, line := range []string{
		"I1122 09:01:02.123456   12345 controller.go:7] deleting pod",
		`2026-11-22T09:01:02.123456Z INFO deleting pod`,
		`time=2026-11-22T10:01:02.123456+01:00 level=INFO msg="deleting pod"`,
		`{"level":"info","ts":1795338062.123456,"msg":"deleting pod"}`,
		`{"level":"info","ts":"2026-11-22T09:01:02.123456Z","msg":"deleting pod"}`,
		"2026/11/22 09:01:02.123456 deleting pod",
	} {
		at, ok := printedAt(line, start)
		g.Expect(ok).To(BeTrue(), line)
		g.Expect(at).To(BeTemporally("~", want, time.Millisecond), line)
	}
	for _, line := range []string{"", "deleting pod", "I1399 99:01:02.123456 1 a.go:1] no time", "at 1999-01-01T00:00:00Z nothing was printed"} {
		_, ok := printedAt(line, start)
		g.Expect(ok).To(BeFalse(), line)
	}
}

func TestTheLinesBesideAViolationAreKept(t *testing.T) {
	g := NewWithT(t)
	start := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	var lines []string
	for second := range 60 {
		lines = append(lines, fmt.Sprintf("I1122 09:00:%02d.500000 1 a.go:1] line %d", second, second))
		if second == 30 {
			lines = append(lines, "  its second line")
		}
	}
	broken := []judge.Violation{{Time: start.Add(31 * time.Second)}, {Time: start.Add(31 * time.Second)}, {}}
	health := healthOf(nil, "", lines, broken, start)
	var texts []string
	for _, line := range health.Beside {
		texts = append(texts, fmt.Sprintf("%.1f %s", line.At.Seconds(), line.Text[max(0, len(line.Text)-15):]))
	}
	g.Expect(texts).To(Equal([]string{"28.5 a.go:1] line 28", "29.5 a.go:1] line 29", "30.5 a.go:1] line 30", "30.5 its second line", "31.5 a.go:1] line 31"}))
	g.Expect(health.Log).To(HaveLen(LogLines))
	g.Expect(healthOf(nil, "exit status 2", []string{"no time"}, broken, start)).To(Equal(history.Health{Ended: "exit status 2", Log: []string{"no time"}}))
}

func TestLinesAboutOtherScenariosAreLeftOut(t *testing.T) {
	lines := []string{
		"surge-001-0a1b2c3d/daemon: created a pod", "status-002-deadbeef/daemon: it is invalid", "goroutine 1 [running]:",
		"surge-001-0a1b2c3d-probes beside status-002-deadbeef",
	}
	NewWithT(t).Expect(withoutOthers(lines, "surge-001-0a1b2c3d-t4")).To(Equal([]string{lines[0], lines[2], lines[3]}))
}
