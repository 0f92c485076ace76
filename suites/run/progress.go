package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

const (
	// progressInterval is how often the specs' processes are heard.
	progressInterval = 200 * time.Millisecond
	// sayInterval is how often progress is said where it is not a line that changes, sayAnyway how often where there is none.
	sayInterval = 15 * time.Second
	sayAnyway   = time.Minute
)

// progress says what the specs' processes tell while they run: each failure once, and how far they are.
type progress struct {
	path    string
	total   int
	verbose bool
	// stop is called once, after stopAfter specs have failed, if others have not ended; never if stopAfter is 0.
	stopAfter int
	stop      func()
	out       *console
	// events, if -json asks for them.
	events *events

	said time.Time
	// saidEnded is how many specs had ended then.
	saidEnded int
	pace      pace
	read      int64
	rest      []byte
	ended     int
	verdicts  map[reports.Verdict]int
	// stories counts the specs that broke a requirement and whose stories of that were told.
	stories map[reports.ID]int
	// quiet: the run is being stopped, and what ends now is not decided; ending is closed when somebody else has that done.
	quiet  bool
	ending <-chan struct{}
}

// follow says what there is to say until the context ends, and then what is left.
func (p *progress) follow(ctx context.Context) {
	p.said, p.pace, p.verdicts = time.Now(), pace{{at: time.Now()}}, map[reports.Verdict]int{}
	p.stories = map[reports.ID]int{}
	tick := time.NewTicker(progressInterval)
	defer tick.Stop()
	for {
		select {
		case <-p.ending:
			p.quiet = true
		default:
		}
		p.hear()
		select {
		case <-ctx.Done():
			p.hear()
			p.out.status("")
			return
		case <-tick.C:
			p.sayWhere(time.Now())
		}
	}
}

// hear reads what was told since it last did.
func (p *progress) hear() {
	file, err := os.Open(p.path)
	if err != nil {
		return // nothing was told yet
	}
	defer file.Close()
	if _, err := file.Seek(p.read, io.SeekStart); err != nil {
		return
	}
	text, err := io.ReadAll(file)
	if err != nil {
		return
	}
	p.read += int64(len(text))
	p.rest = append(p.rest, text...)
	for {
		line, rest, whole := bytes.Cut(p.rest, []byte("\n"))
		if !whole {
			return
		}
		p.rest = rest
		var told spec.Progress
		if json.Unmarshal(line, &told) == nil {
			p.take(told)
		}
	}
}

// take counts one thing that was told, and says what a person should know of it.
func (p *progress) take(told spec.Progress) {
	if p.quiet {
		return
	}
	p.events.tell(told.Event())
	if !told.Ended {
		if p.verbose {
			fmt.Fprintf(p.out, "begins: %s\n", told.Spec)
		}
		return
	}
	p.ended++
	verdict := told.Verdict()
	if told.NotItsOwn() {
		// The summary has it. It neither counts as a failure nor ends the run.
		verdict = reports.Pass
	}
	p.verdicts[verdict]++
	fmt.Fprint(p.out, account(told, p.verbose, p.stories))
	// Once all have ended Ginkgo writes its report, which an interruption would leave unfinished.
	if p.stopAfter > 0 && p.verdicts[reports.Fail] == p.stopAfter && p.ended < p.total {
		p.quiet = true
		p.stop()
	}
}

// storiesTold is how many specs' stories of one broken requirement are told while specs run: what an implementation never does, most specs see broken.
const storiesTold = 3

// account is what a person should know of a spec that has ended: nothing, if it passed and not everything is asked for. before counts the specs whose stories of a
// requirement were told, and this one's are added.
func account(told spec.Progress, verbose bool, before map[reports.ID]int) string {
	verdict := told.Verdict()
	silent := verdict == reports.Pass || verdict == reports.Unsupported || verdict == reports.NotRun || told.NotItsOwn()
	if silent && told.Failure == "" && !verbose {
		return ""
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%s: %s (%.1f s)\n", verdict, told.Spec, told.Took.Seconds())
	text.WriteString(stories(told, verbose, before))
	// One line for all that are undecided for the same reason.
	var reasons []string
	undecided := map[string][]string{}
	for _, of := range told.Verdicts {
		if of.Verdict != reports.Inconclusive {
			continue
		}
		if !slices.Contains(reasons, of.Reason) {
			reasons = append(reasons, of.Reason)
		}
		undecided[of.Reason] = append(undecided[of.Reason], string(of.Requirement))
	}
	for _, reason := range reasons {
		fmt.Fprintf(&text, "  %s inconclusive: %s\n", strings.Join(undecided[reason], ", "), strings.ReplaceAll(reason, "\n", "\n    "))
	}
	if told.Failure != "" {
		fmt.Fprintf(&text, "  the harness failed: %s\n", strings.ReplaceAll(told.Failure, "\n", "\n    "))
	}
	return text.String()
}

// stories are those of what the spec saw broken, but for requirements of which enough was told before, unless all is wanted.
func stories(told spec.Progress, all bool, before map[reports.ID]int) string {
	var texts, again []string
	var counted []reports.ID
	for _, story := range told.Stories {
		switch {
		case all || before[story.Requirement] < storiesTold:
			texts = append(texts, strings.TrimRight(story.Text, "\n"))
			if !slices.Contains(counted, story.Requirement) {
				counted = append(counted, story.Requirement)
			}
		case !slices.Contains(again, string(story.Requirement)):
			again = append(again, string(story.Requirement))
		}
	}
	for _, id := range counted {
		before[id]++
	}
	var text strings.Builder
	if len(texts) > 0 {
		if told.Circumstances != "" {
			texts = append(texts, strings.TrimRight(told.Circumstances, "\n"))
		}
		fmt.Fprintf(&text, "\n%s\n\n", strings.Join(texts, "\n\n"))
	}
	if len(again) > 0 {
		fmt.Fprintf(&text, "  %s broken, too: told of %d specs above; report.html tells this one, and -v all of them here\n", strings.Join(again, ", "), storiesTold)
	}
	return text.String()
}

// sayWhere says how far the specs are: on a terminal in a line that changes, elsewhere now and then.
func (p *progress) sayWhere(now time.Time) {
	p.pace = p.pace.with(now, p.ended)
	where := p.where(now)
	if p.quiet {
		where = "stopping"
	}
	if p.out.terminal {
		p.out.status(where)
	} else if since := now.Sub(p.said); since >= sayAnyway || since >= sayInterval && p.ended > p.saidEnded {
		p.said, p.saidEnded = now, p.ended
		fmt.Fprintf(p.out, "rollcall: %s\n", where)
	}
}

// where is how far the specs are, and how long the rest takes if it goes on like this.
func (p *progress) where(now time.Time) string {
	text := fmt.Sprintf("%d of %d specs, %d failed", p.ended, p.total, p.verdicts[reports.Fail])
	if n := p.verdicts[reports.Inconclusive]; n > 0 {
		text += fmt.Sprintf(", %d inconclusive", n)
	}
	const tooFew = 3
	if p.ended < tooFew || p.ended >= p.total {
		return text
	}
	left, known := p.pace.left(now, p.ended, p.total)
	if !known {
		return text
	}
	return text + fmt.Sprintf(", about %s more", left.Round(time.Second))
}
