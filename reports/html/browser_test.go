package html_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/rollcall-conformance/rollcall/reports"
)

var shots = flag.String("shots", "", "write a screenshot of what each browser test ends with to this folder")

// browserTimeout bounds one test in the browser, on a busy machine.
const browserTimeout = time.Minute

// browser is the one that all tests share; why says why there is none.
var (
	browser context.Context
	why     string
)

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(withBrowser(m.Run))
}

// withBrowser has the tests run beside a browser, if this machine has one.
func withBrowser(tests func() int) int {
	binary := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			binary = path
			break
		}
	}
	if binary == "" {
		why = "no browser here: `apt-get install chromium` brings one"
		return tests()
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(binary), chromedp.NoSandbox, chromedp.DisableGPU, chromedp.WSURLReadTimeout(browserTimeout))
	allocator, release := chromedp.NewExecAllocator(context.Background(), options...)
	defer release()
	ctx, end := chromedp.NewContext(allocator)
	defer end()
	if err := chromedp.Do(ctx); err != nil {
		fmt.Fprintf(os.Stderr, "start %s: %v\n", binary, err)
		return 1
	}
	browser = ctx
	return tests()
}

// browse opens the page of a run in a tab of the width. What the page's script throws fails the test.
func browse(t *testing.T, run reports.Run, width int64) context.Context {
	t.Helper()
	if browser == nil {
		t.Skip(why)
	}
	ctx, cancel := chromedp.NewContext(browser, chromedp.WithListener(errorsOf(t)))
	t.Cleanup(cancel)
	ctx, cancel = context.WithTimeout(ctx, browserTimeout)
	t.Cleanup(cancel)
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900), chromedp.Navigate("file://"+folderOf(t, run)+"/report.html")); err != nil {
		t.Fatal(err)
	}
	return ctx
}

// folderOf is the folder of a run with its page and the recording that it links to.
func folderOf(t *testing.T, run reports.Run) string {
	t.Helper()
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, "recordings"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"report.html": pageOf(t, run), recording: "the recording"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// errorsOf fails the test at its end for what a page's script threw.
func errorsOf(t *testing.T) func(event any) {
	t.Helper()
	var guard sync.Mutex
	var thrown []string
	t.Cleanup(func() {
		guard.Lock()
		defer guard.Unlock()
		if len(thrown) > 0 {
			t.Errorf("the page's script failed: %s", strings.Join(thrown, "\n"))
		}
	})
	return func(event any) {
		if failed, ok := event.(*runtime.EventExceptionThrown); ok {
			guard.Lock()
			defer guard.Unlock()
			thrown = append(thrown, fmt.Sprintf("%s in line %d: %+v", failed.ExceptionDetails.Text, failed.ExceptionDetails.LineNumber, failed.ExceptionDetails.Exception))
		}
	}
}

func do(ctx context.Context, t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// value is what the script's expression is.
func value[T any](ctx context.Context, t *testing.T, expression string) T {
	t.Helper()
	got, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return got
}

// becomes waits until the script's expression has the value. While a link is being followed there is no page to ask.
func becomes[T comparable](ctx context.Context, t *testing.T, expression string, want T) {
	t.Helper()
	var got T
	var err error
	for ctx.Err() == nil {
		read, failed := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
		if failed == nil && read == want {
			return
		}
		if ctx.Err() == nil {
			got, err = read, failed
		}
		select {
		case <-ctx.Done():
		case <-time.After(20 * time.Millisecond):
		}
	}
	t.Fatalf("%s is %v (%v), want %v", expression, got, err, want)
}

const shown = `document.querySelectorAll('.row:not([hidden])').length`

func TestAReaderFindsWhatFailed(t *testing.T) {
	for _, width := range []int64{390, 820, 1400} {
		t.Run(fmt.Sprint(width), func(t *testing.T) {
			ctx := browse(t, run(), width)
			becomes(ctx, t, `document.documentElement.scrollWidth <= innerWidth`, true)
			becomes(ctx, t, shown, 35)

			do(ctx, t, chromedp.KeyEvent("/"))
			becomes(ctx, t, `document.activeElement.name`, "q")
			// The protocol types the character even where the page has used its key.
			do(ctx, t, chromedp.KeyEvent(kb.Escape), chromedp.KeyEvent("at MOST maxsurge"))
			becomes(ctx, t, shown, 1)
			becomes(ctx, t, `document.getElementById('shown').textContent`, "1 of 35")
			do(ctx, t, chromedp.KeyEvent(kb.Escape))
			becomes(ctx, t, shown, 35)
			do(ctx, t, chromedp.KeyEvent("no such words"))
			becomes(ctx, t, `document.getElementById('nothing').hidden`, false)
			do(ctx, t, chromedp.Click(chromedp.CSS(`#nothing [data-reset]`)))
			becomes(ctx, t, shown, 35)

			for filter, want := range map[string]int{"family=DRAIN": 30, "verdict=fail": 2, "level=extended": 1, "feature=Surge": 3, "feature=Surge&level=core": 2} {
				value[string](ctx, t, fmt.Sprintf("location.hash = %q", filter))
				becomes(ctx, t, shown, want)
			}
			do(ctx, t, chromedp.Click(chromedp.CSS(`.tally.v-inconclusive`)))
			becomes(ctx, t, shown, 1)

			openFailure(ctx, t)
			becomes(ctx, t, `document.documentElement.scrollWidth <= innerWidth`, true)
			shoot(ctx, t)
			do(ctx, t, chromedp.Click(chromedp.CSS(`#SURGE-002 .violation a[href="#SURGE-003"]`)))
			becomes(ctx, t, `document.getElementById('SURGE-003').open`, true)
			do(ctx, t, chromedp.Click(chromedp.CSS(`#SURGE-002 .again a`)))
			becomes(ctx, t, `location.pathname.endsWith('/recordings/surge-002-1.jsonl')`, true)
		})
	}
}

// openFailure follows the link to a failure that a filter hides, and uses its picture by keyboard.
func openFailure(ctx context.Context, t *testing.T) {
	t.Helper()
	const figure = `document.querySelector('#SURGE-002 figure')`
	do(ctx, t, chromedp.Click(chromedp.CSS(`.failures a[href="#SURGE-002"]`)))
	becomes(ctx, t, `document.getElementById('SURGE-002').open`, true)
	becomes(ctx, t, shown, 35)
	do(ctx, t, chromedp.ScrollIntoView(chromedp.CSS(`#SURGE-002 .drawing`)), chromedp.WaitVisible(chromedp.CSS(`#SURGE-002 .drawing svg`)))
	// Runs of a stage: agent-a is available and terminating, agent-b pending, running, Ready, available and ended; terminating has a hatch on it.
	becomes(ctx, t, figure+`.querySelectorAll('.drawing rect[class^=st-]').length`, 7)
	becomes(ctx, t, figure+`.querySelector('.drawing .broke').textContent`, "▲ SURGE-002 broken")

	do(ctx, t, chromedp.Focus(chromedp.CSS(`#SURGE-002 .drawing`)), chromedp.KeyEvent(kb.Home))
	becomes(ctx, t, figure+`.querySelector('.now').textContent`, "−20.0 s: nothing changes")
	do(ctx, t, chromedp.KeyEvent(kb.ArrowRight), chromedp.KeyEvent(kb.ArrowRight))
	becomes(ctx, t, figure+`.querySelector('.now').textContent`,
		"−250 ms: rollcall: evict pod agent-a; pod agent-b (updated) on node-1 started running")
	becomes(ctx, t, `document.querySelectorAll('#SURGE-002 tr.here').length`, 1)
	const budget = `document.querySelectorAll('#SURGE-002 figure')[1]`
	becomes(ctx, t, budget+`.querySelectorAll('.drawing path.series').length`, 4)
	becomes(ctx, t, budget+`.querySelector('.keys').textContent`, "a−250 mseviction of agent-a accepted")

	const drawn = figure + `.querySelector('.drawing svg').width.baseVal.value`
	before := value[float64](ctx, t, drawn)
	do(ctx, t, chromedp.Click(chromedp.CSS(`#SURGE-002 [data-do=in]`)))
	if after := value[float64](ctx, t, drawn); after <= before {
		t.Errorf("zooming in makes the drawing %v wide, it was %v", after, before)
	}
	do(ctx, t, chromedp.Click(chromedp.CSS(`#SURGE-002 [data-do=fit]`)), chromedp.Click(chromedp.CSS(`#SURGE-002 [data-do=scale]`)))
	becomes(ctx, t, figure+`.querySelector('[data-do=scale]').getAttribute('aria-pressed')`, "true")
	// To scale the 20 s before the moment are wider than the 9 s after it.
	becomes(ctx, t, `(([a, b]) => a > 2 * b)([...`+figure+`.querySelectorAll('.drawing .st-A')].map(r => r.width.baseVal.value))`, true)
}

func shoot(ctx context.Context, t *testing.T) {
	t.Helper()
	if *shots == "" {
		return
	}
	image, err := chromedp.Run(ctx, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(*shots, strings.ReplaceAll(t.Name(), "/", "-")+".png"), image, 0o644); err != nil {
		t.Fatal(err)
	}
}

func TestHostileTextsRunNothing(t *testing.T) {
	for i, text := range hostile {
		t.Run(fmt.Sprint(i), func(t *testing.T) {
			ctx := browse(t, taint(run(), text), 1000)
			value[int](ctx, t, `[...document.querySelectorAll('details')].map(d => d.open = true).length`)
			do(ctx, t, chromedp.ScrollIntoView(chromedp.CSS(`#SURGE-002 .drawing`)),
				chromedp.WaitVisible(chromedp.CSS(`#SURGE-002 .drawing svg`)), chromedp.Focus(chromedp.CSS(`#SURGE-002 .drawing`)), chromedp.KeyEvent(kb.ArrowLeft))
			becomes(ctx, t, `window.pwned === undefined && document.images.length === 0`, true)
			becomes(ctx, t, `[...document.links].every(a => /^(#|https?:|file:)/.test(a.getAttribute('href')[0] === '#' ? '#' : a.href))`, true)
			shoot(ctx, t)
		})
	}
}
