package implementation

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

const (
	// answerTimeout bounds one question; an implementation that takes longer is asked again.
	answerTimeout = 5 * time.Second
	// readAtMost is how much of an answer is looked at, and quoted how much of it an error shows.
	readAtMost = 64 << 10
	quoted     = 500
)

// readiness asks an address once; it is ready when it answers with a 2xx status and a body that contains the text.
func readiness(url, text string) func(context.Context) error {
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
