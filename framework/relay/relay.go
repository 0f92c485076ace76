// Package relay stands between one client and an API server, on this machine, and fails the client as networks and API servers do: it holds back what they
// send each other, breaks watches so that they have to be listed again, delivers late what they send, and has single requests meet faults. It knows nothing of who
// the client is.
package relay

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// Relay passes on what its client asks of an API server, under the user name of the configuration that it was started with.
type Relay struct {
	server   *http.Server
	address  string
	upstream http.RoundTripper
	gate     gate
	delays   delays
	faults   faults
	told     told

	mu sync.Mutex
	// watches are those under way.
	watches map[*watchBody]bool
	// expired are the watches, by path, of which the next is told to list again.
	expired map[string]bool
}

// Start starts a relay to the API server that the configuration names. It listens on a free port of the loopback interface until Close.
func Start(config *rest.Config) (*Relay, error) {
	upstream, err := rest.TransportFor(config)
	if err != nil {
		return nil, fmt.Errorf("start a relay: %w", err)
	}
	target, _, err := rest.DefaultServerUrlFor(config)
	if err != nil {
		return nil, fmt.Errorf("start a relay: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("start a relay: %w", err)
	}
	r := &Relay{
		address: "http://" + listener.Addr().String(), upstream: upstream, watches: map[*watchBody]bool{}, expired: map[string]bool{},
	}
	proxy := &httputil.ReverseProxy{
		Rewrite: func(request *httputil.ProxyRequest) {
			request.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host, Path: target.Path})
			if watches(request.Out) {
				// The relay reads along. Since 1.37 API servers compress streamed lists for whoever lets them.
				request.Out.Header.Set("Accept-Encoding", "identity")
			}
		},
		Transport: r, FlushInterval: -1, ErrorHandler: abort,
	}
	r.server = &http.Server{Handler: proxy}
	// It ends when the server is closed. Should it end earlier, clients are refused, which they report.
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

// abort ends a request as a connection does that is lost.
func abort(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }

// Kubeconfig is the content of a kubeconfig file for the relay's client, which needs no credentials.
func (r *Relay) Kubeconfig() ([]byte, error) {
	const name = "relay"
	config := clientcmdapi.NewConfig()
	config.Clusters[name] = &clientcmdapi.Cluster{Server: r.address}
	config.AuthInfos[name] = &clientcmdapi.AuthInfo{}
	config.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
	config.CurrentContext = name
	return clientcmd.Write(*config)
}

// CutOff holds back everything that the client and the API server send each other, until Reconnect.
func (r *Relay) CutOff() { r.gate.close() }

// Reconnect lets pass what CutOff held back, and everything after it.
func (r *Relay) Reconnect() { r.gate.open() }

// BreakWatches ends every watch that is under way, and answers the next attempt to go on with each as an API server does that has forgotten where it was:
// 410 Gone. The client has to list again. It returns how many watches it broke.
func (r *Relay) BreakWatches() int {
	r.mu.Lock()
	broken := r.watches
	r.watches = map[*watchBody]bool{}
	for body := range broken {
		r.expired[body.path] = true
	}
	r.mu.Unlock()
	for body := range broken {
		body.lose()
	}
	return len(broken)
}

// DelayWatches has whatever watches of these resources send reach the client that much later than the API server sent it, in its order; without a resource those
// of all. 0 is no delay, and lets pass what was held back. Lists, and the answers to writes, are not delayed: the client sees its own writes late.
func (r *Relay) DelayWatches(by time.Duration, resources ...string) { r.delays.set(by, resources) }

// SetFaults has requests meet these faults from now on, and none that were set before. What a request has met already goes on.
func (r *Relay) SetFaults(all ...Fault) { r.faults.replace(all) }

// AwaitTold returns once a watch that is still under way has delivered the object with the UID to the client, in a later resourceVersion than after, or with the
// context's error. An empty after is for any version.
func (r *Relay) AwaitTold(ctx context.Context, uid types.UID, after string) error {
	return r.told.await(ctx, uid, after)
}

// Close ends all connections, and the relay.
func (r *Relay) Close() error {
	r.gate.open()
	r.delays.set(0, nil)
	if err := r.server.Close(); err != nil && !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("end a relay: %w", err)
	}
	return nil
}

// RoundTrip implements http.RoundTripper for the proxy.
func (r *Relay) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := r.gate.pass(request.Context()); err != nil {
		return nil, err
	}
	if request.Method == http.MethodGet {
		// Who lists again, be it by a watch that begins with what there is, need not be told to.
		lists := !watches(request) || streams(request)
		if forgotten := r.forgotten(request.URL.Path); forgotten && !lists {
			return gone(request), nil
		}
	}
	response, err := r.faults.roundTrip(request, r.upstream)
	if err != nil {
		return nil, err
	}
	if err := r.gate.pass(request.Context()); err != nil {
		return nil, errors.Join(err, response.Body.Close())
	}
	body := &watchBody{inner: response.Body, relay: r, path: request.URL.Path, lost: make(chan struct{})}
	body.ctx, body.cancel = context.WithCancel(request.Context())
	if watches(request) && response.StatusCode == http.StatusOK {
		asked, _ := requestOf(request)
		body.inner = newDelayedBody(body.ctx, response.Body, late{all: &r.delays.all, own: r.delays.resource(asked.Resource)})
		r.mu.Lock()
		r.watches[body] = true
		r.mu.Unlock()
		response.Body = newToldBody(body, response.Header.Get("Content-Type"), &r.told)
		return response, nil
	}
	response.Body = body
	return response, nil
}

// watches reports whether the request is a watch.
func watches(request *http.Request) bool {
	watch := request.URL.Query().Get("watch")
	return watch == "true" || watch == "1"
}

// forgotten reports whether a watch of the path was broken and nobody has been told so, or has listed again, since.
func (r *Relay) forgotten(path string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	forgotten := r.expired[path]
	delete(r.expired, path)
	return forgotten
}
