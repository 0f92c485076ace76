package workload

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync"
	"testing"

	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

// daemon is an API whose one field is called otherwise: spec.settleSeconds is minReadySeconds.
var daemon = Workload{Group: "rollcall.dev", Version: "v1alpha1", Kind: "Daemon", Resource: "daemons"}

type renamed struct{}

func (renamed) ToDaemonSet(object map[string]any) error {
	return move(object, "settleSeconds", "minReadySeconds")
}

func (renamed) FromDaemonSet(object map[string]any) error {
	return move(object, "minReadySeconds", "settleSeconds")
}

func move(object map[string]any, from, to string) error {
	if spec, ok := object["spec"].(map[string]any); ok && spec[from] != nil {
		spec[to] = spec[from]
		delete(spec, from)
	}
	return nil
}

// server is an API server that has one Daemon, and knows no DaemonSets. It notes what it is asked.
type server struct {
	t *testing.T

	mu     sync.Mutex
	daemon map[string]any
	// refuses every Daemon.
	refuses bool
	asked   []string
	bodies  []string
	// events are sent to whoever watches, one by one.
	events chan string
}

// client speaks to the server through the transport of the workload, with the codec.
func (s *server) client(codec Codec) kubernetes.Interface {
	s.t.Helper()
	s.events = make(chan string)
	served := httptest.NewServer(s)
	s.t.Cleanup(served.Close)
	through := &transport{workload: daemon, out: daemon.fromDaemonSet(codec), in: daemon.toDaemonSet(codec), under: http.DefaultTransport}
	config := &rest.Config{Host: served.URL, ContentConfig: rest.ContentConfig{ContentType: jsonType, AcceptContentTypes: jsonType}}
	client, err := kubernetes.NewForConfigAndClient(config, &http.Client{Transport: through})
	if err != nil {
		s.t.Fatal(err)
	}
	return client
}

const daemonsPath = "/apis/rollcall.dev/v1alpha1/namespaces/n/daemons"

// ServeHTTP implements http.Handler.
func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		s.t.Error(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked, s.bodies = append(s.asked, r.Method+" "+r.URL.Path), append(s.bodies, string(body))
	if strings.Contains(r.URL.Path, "daemonsets") || r.ContentLength != int64(len(body)) {
		s.t.Errorf("%s %s with %d bytes of %d", r.Method, r.URL.Path, len(body), r.ContentLength)
	}
	switch {
	case r.URL.Query().Get("watch") != "":
		s.mu.Unlock()
		s.watch(w, r)
		s.mu.Lock()
	case strings.HasPrefix(r.URL.Path, "/api/v1/"):
		// Pods are answered with what was sent, or with one that a Daemon owns.
		if len(body) == 0 {
			body = []byte(pod)
		}
		s.say(w, body)
	case r.Method == http.MethodPost, r.Method == http.MethodPut:
		s.store(w, body, strings.HasSuffix(r.URL.Path, "/status"))
	case r.Method == http.MethodPatch:
		s.daemon["metadata"].(map[string]any)["patched"] = string(body)
		s.sayDaemon(w)
	case r.Method == http.MethodDelete && strings.HasSuffix(r.URL.Path, "/daemons"):
		s.say(w, []byte(`{"kind":"DaemonList","apiVersion":"rollcall.dev/v1alpha1","metadata":{},"items":[]}`))
	case r.Method == http.MethodDelete:
		s.say(w, []byte(`{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Success","details":{"name":"d","group":"rollcall.dev","kind":"daemons","uid":"u"}}`))
	case strings.HasSuffix(r.URL.Path, "/daemons"):
		item, err := json.Marshal(s.daemon)
		if err != nil {
			s.t.Error(err)
		}
		s.say(w, []byte(`{"kind":"DaemonList","apiVersion":"rollcall.dev/v1alpha1","metadata":{"resourceVersion":"9"},"items":[`+string(item)+`]}`))
	default:
		s.sayDaemon(w)
	}
}

// store takes a Daemon, or its status, and answers with it.
func (s *server) store(w http.ResponseWriter, body []byte, statusOnly bool) {
	var sent map[string]any
	if err := json.Unmarshal(body, &sent); err != nil || s.refuses || sent["kind"] != "Daemon" || sent["apiVersion"] != "rollcall.dev/v1alpha1" {
		w.Header().Set(contentType, jsonType)
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"kind":"Status","apiVersion":"v1","status":"Failure","reason":"BadRequest","message":"no Daemon","code":400}`)
		return
	}
	if statusOnly {
		s.daemon["status"] = sent["status"]
	} else {
		s.daemon = sent
	}
	s.sayDaemon(w)
}

func (s *server) sayDaemon(w http.ResponseWriter) {
	text, err := json.Marshal(s.daemon)
	if err != nil {
		s.t.Error(err)
	}
	s.say(w, text)
}

func (s *server) say(w http.ResponseWriter, text []byte) {
	w.Header().Set(contentType, jsonType)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	if _, err := w.Write(text); err != nil {
		s.t.Error(err)
	}
}

func (s *server) watch(w http.ResponseWriter, r *http.Request) {
	w.Header().Set(contentType, jsonType)
	for {
		w.(http.Flusher).Flush()
		select {
		case event, open := <-s.events:
			if !open {
				return
			}
			if _, err := io.WriteString(w, event); err != nil {
				s.t.Error(err)
			}
		case <-r.Context().Done():
			return
		}
	}
}

// last is the newest request, and what was sent with it.
func (s *server) last() (asked, body string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.asked[len(s.asked)-1], s.bodies[len(s.bodies)-1]
}

const pod = `{"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","namespace":"n","ownerReferences":[
	{"apiVersion":"rollcall.dev/v1alpha1","kind":"Daemon","name":"d","uid":"u","controller":true},
	{"apiVersion":"apps/v1","kind":"DaemonSet","name":"another","uid":"v"}]}}`
