package implementation

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"time"
)

const (
	// metricsTimeout bounds one question for the metrics.
	metricsTimeout = 10 * time.Second
	// metricsAtMost is how many bytes of the answer are read.
	metricsAtMost = 8 << 20
)

// measured is a local process that is asked for its metrics.
type measured struct{ *local }

// Available implements Capability.
func (l measured) Available(context.Context) error {
	if l.metricsURL == "" {
		return unavailablef("the implementation file does not say where the metrics of %s are: spec.launch.process.metrics.url does", l.tested.Name)
	}
	return nil
}

// Metrics implements Metered. Of two replicas it is the one that leads.
func (l measured) Metrics(ctx context.Context) (string, error) {
	text, err := read(ctx, l.metricsURL)
	if err != nil {
		return "", fmt.Errorf("reading the metrics of %s: %w", l.tested.Name, err)
	}
	return text, nil
}

// metricsURL is where the metrics are of the process to which the values belong.
func (i *Implementation) metricsURL(values map[string]string) string {
	return expand(i.Launch.Process.MetricsURL, values)
}

// read returns what an address answers with; certificates are not checked.
func read(ctx context.Context, url string) (string, error) {
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: transport, Timeout: metricsTimeout}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return "", err
	}
	response, err := client.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	body, err := io.ReadAll(io.LimitReader(response.Body, metricsAtMost))
	if err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s answers with %s", url, response.Status)
	}
	return string(body), nil
}
