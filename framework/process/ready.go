package process

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// answerTimeout bounds one question to an address; a program that takes longer is asked again.
	answerTimeout = 5 * time.Second
	// readAtMost is how many bytes of an answer are looked at, and quoted how many of them an error shows.
	readAtMost = 64 << 10
	quoted     = 500
)

// AwaitReady returns when Options.Ready says that the program, as last started, is ready, at once if it is. Options.ReadyTimeout bounds the wait; the
// error shows the last log lines, also of a program that has ended.
func (p *Process) AwaitReady(ctx context.Context) error {
	if err := p.awaitReady(ctx, p.latest()); err != nil {
		return fmt.Errorf("waiting for %s: %w", p.options.Name, err)
	}
	return nil
}

func (p *Process) awaitReady(ctx context.Context, run *incarnation) error {
	if p.options.Ready == nil {
		return nil
	}
	deadline, cancel := context.WithTimeout(ctx, p.options.ReadyTimeout)
	defer cancel()
	go func() {
		select {
		case <-run.exited:
			cancel()
		case <-deadline.Done():
		}
	}()

	ticker := time.NewTicker(ReadyInterval)
	defer ticker.Stop()
	// The last answer that was not itself cut short by the deadline says what was missing.
	notReady := errors.New("readiness was never answered")
	for {
		err := p.options.Ready(deadline)
		if err == nil && !run.gone() {
			return nil
		}
		if err != nil && deadline.Err() == nil {
			notReady = err
		}
		select {
		case <-ticker.C:
			continue
		case <-deadline.Done():
		}
		switch {
		case run.gone():
			return fmt.Errorf("it ended (%s) before it was ready%s", run.status, p.lastWords())
		case ctx.Err() != nil:
			return fmt.Errorf("gave up waiting for readiness: %w; last answer: %w%s", context.Cause(ctx), notReady, p.lastWords())
		default:
			return fmt.Errorf("not ready after %s: %w%s", p.options.ReadyTimeout, notReady, p.lastWords())
		}
	}
}

// lastWords is the end of the log in the form in which errors quote it.
func (p *Process) lastWords() string {
	lines := p.LogTail(tailInErrors)
	if len(lines) == 0 {
		return fmt.Sprintf("; it printed nothing (%s)", p.options.LogPath)
	}
	return fmt.Sprintf("\n  the last lines of %s:\n    %s", p.options.LogPath, strings.Join(lines, "\n    "))
}

// Answers makes an Options.Ready of an HTTP address: the program is ready when the address answers with a 2xx status and a body that contains the text.
func Answers(url, text string) func(context.Context) error {
	client := &http.Client{
		Timeout: answerTimeout,
		Transport: &http.Transport{
			// The certificate of a process that was started a moment ago on this machine is its own; nothing secret is sent to it.
			TLSClientConfig:   &tls.Config{InsecureSkipVerify: true},
			DisableKeepAlives: true,
		},
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
		defer func() { _ = response.Body.Close() }()
		content, err := io.ReadAll(io.LimitReader(response.Body, readAtMost))
		if err != nil {
			return err
		}
		body := strings.TrimSpace(string(content))
		shown := body[:min(len(body), quoted)]
		if response.StatusCode < 200 || response.StatusCode >= 300 {
			return fmt.Errorf("%s answers %s: %s", url, response.Status, shown)
		}
		if !strings.Contains(body, text) {
			return fmt.Errorf("%s answers without %q: %s", url, text, shown)
		}
		return nil
	}
}
