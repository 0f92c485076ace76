package passive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"k8s.io/client-go/rest"
)

// How often the API server is asked for the time, and how often in a second: the times that it says have no fractions, so that what they leave open narrows where
// a second ends between two answers.
const (
	clockSamples = 12
	samplePause  = 100 * time.Millisecond
)

// clockOf is how far the API server's clock is ahead of this machine's, by the dates of its answers; of what they leave open, the most. Availability is judged by
// comparing timestamps in objects with when events came: a clock that is behind the cluster's would make lawful acts look too early.
func clockOf(ctx context.Context, config *rest.Config) (time.Duration, error) {
	server, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return 0, fmt.Errorf("read the cluster's address: %w", err)
	}
	client, err := rest.HTTPClientFor(config)
	if err != nil {
		return 0, fmt.Errorf("make a client: %w", err)
	}
	tick := time.NewTicker(samplePause)
	defer tick.Stop()
	var most time.Duration
	for i := range clockSamples {
		upper, err := atMostAhead(ctx, client, server.JoinPath("version").String())
		if err != nil {
			return 0, fmt.Errorf("compare the cluster's clock with this machine's: %w", err)
		}
		if i == 0 || upper < most {
			most = upper
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	return most, nil
}

// atMostAhead is how far ahead the clock can be at most, by one answer: whatever it says, be it that nobody may ask.
func atMostAhead(ctx context.Context, client *http.Client, url string) (time.Duration, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, http.NoBody)
	if err != nil {
		return 0, err
	}
	sent := time.Now()
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	_, err = io.Copy(io.Discard, response.Body)
	if err := errors.Join(err, response.Body.Close()); err != nil {
		return 0, err
	}
	date, err := http.ParseTime(response.Header.Get("Date"))
	if err != nil {
		return 0, fmt.Errorf("the API server's answer has no date: %w", err)
	}
	return date.Add(time.Second).Sub(sent), nil
}
