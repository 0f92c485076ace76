package workload

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/types"
)

const (
	contentType = "Content-Type"
	jsonType    = "application/json"
)

// Transport returns what makes a transport for clients that speak of DaemonSets of apps/v1, and mean the workload: every request goes to the workload's
// path, and names what it speaks of by the workload's name; the answers are translated back, watches frame by frame. What else refers to either, such as a
// pod's owner reference, is translated too. Clients must use JSON. For DaemonSet the transport is the one given. It fails for a codec that is not known.
func (w Workload) Transport() (func(under http.RoundTripper) http.RoundTripper, error) {
	codec, known := codecs()[cmp.Or(w.Codec, SameFields)]
	if !known {
		return nil, fmt.Errorf("workload %s: there is no codec %q: there are %s", w, w.Codec, strings.Join(Codecs(), ", "))
	}
	return func(under http.RoundTripper) http.RoundTripper {
		if w.IsDaemonSet() {
			return under
		}
		return &transport{workload: w, out: w.fromDaemonSet(codec), in: w.toDaemonSet(codec), under: under}
	}, nil
}

type transport struct {
	workload Workload
	out, in  translation
	under    http.RoundTripper
}

// RoundTrip implements http.RoundTripper.
func (t *transport) RoundTrip(request *http.Request) (*http.Response, error) {
	translated, err := t.request(request)
	if err != nil {
		if request.Body != nil {
			err = errors.Join(err, request.Body.Close())
		}
		return nil, fmt.Errorf("speak of %s: %w", t.workload, err)
	}
	response, err := t.under.RoundTrip(translated)
	if err != nil || proxied(request) || !isJSON(response.Header) {
		return response, err
	}
	if request.URL.Query().Get("watch") != "" && response.StatusCode == http.StatusOK {
		response.Body = &frames{translation: t.in, body: response.Body, decoder: json.NewDecoder(response.Body)}
		return response, nil
	}
	text, err := io.ReadAll(response.Body)
	if err = errors.Join(err, response.Body.Close()); err != nil {
		return nil, err
	}
	if text, err = t.in.text(text); err != nil {
		return nil, fmt.Errorf("understand %s: %w", t.workload, err)
	}
	response.Body, response.ContentLength = io.NopCloser(bytes.NewReader(text)), int64(len(text))
	response.Header.Del("Content-Length")
	return response, nil
}

// request is what is sent in the place of a request, which stays as it is.
func (t *transport) request(request *http.Request) (*http.Request, error) {
	translated := request.Clone(request.Context())
	path, concerned := t.workload.path(request.URL.Path)
	if concerned {
		// Nothing in it needs to be escaped.
		translated.URL.Path, translated.URL.RawPath = path, ""
	}
	if request.Body == nil || request.Body == http.NoBody || proxied(request) {
		return translated, nil
	}
	if strings.Contains(request.Header.Get(contentType), "protobuf") {
		return nil, errors.New("the client uses protobuf, which is not translated: have it use JSON")
	}
	text, err := io.ReadAll(request.Body)
	if err = errors.Join(err, request.Body.Close()); err != nil {
		return nil, err
	}
	switch {
	case request.Method == http.MethodPatch && concerned:
		if how := request.Header.Get(contentType); how != string(types.MergePatchType) {
			return nil, fmt.Errorf("a patch of the type %s is not translated: use a merge patch", how)
		}
		text, err = t.out.patch(text)
	case request.Method == http.MethodDelete && concerned:
		text, err = deleteOptions(text)
	default:
		text, err = t.out.text(text)
	}
	if err != nil {
		return nil, err
	}
	translated.ContentLength = int64(len(text))
	translated.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(text)), nil }
	translated.Body, err = translated.GetBody()
	return translated, err
}

// path is where the workload is, for a path of DaemonSets; concerned, if it is one.
func (w Workload) path(path string) (_ string, concerned bool) {
	canonical := DaemonSet()
	rest, isGroup := strings.CutPrefix(path, "/apis/"+canonical.names().apiVersion+"/")
	if !isGroup {
		return path, false
	}
	// namespaces/NAME/RESOURCE/…, or RESOURCE/… for all namespaces.
	parts := strings.Split(rest, "/")
	at := 0
	if parts[0] == "namespaces" && len(parts) > 2 {
		at = 2
	}
	if parts[at] != canonical.Resource {
		return path, false
	}
	parts[at] = w.Resource
	return "/apis/" + w.names().apiVersion + "/" + strings.Join(parts, "/"), true
}

// deleteOptions has the options say that they are those of any kind: a client says that they are those of its own group.
func deleteOptions(text []byte) ([]byte, error) {
	var options map[string]any
	if err := json.Unmarshal(text, &options); err != nil {
		return nil, fmt.Errorf("read the options of a deletion: %w", err)
	}
	options["apiVersion"], options["kind"] = "v1", "DeleteOptions"
	return json.Marshal(options)
}

// proxied reports whether the API server passes the request on to somebody else.
func proxied(request *http.Request) bool { return strings.Contains(request.URL.Path, "/proxy/") }

func isJSON(header http.Header) bool {
	return strings.HasPrefix(header.Get(contentType), jsonType)
}

// frames reads the events of a watch, each translated as it comes.
type frames struct {
	translation translation
	body        io.ReadCloser
	decoder     *json.Decoder
	frame       []byte
}

// Read implements io.Reader.
func (f *frames) Read(into []byte) (int, error) {
	if len(f.frame) == 0 {
		var frame json.RawMessage
		if err := f.decoder.Decode(&frame); err != nil {
			return 0, err
		}
		translated, err := f.translation.text(frame)
		if err != nil {
			return 0, err
		}
		f.frame = append(translated, '\n')
	}
	n := copy(into, f.frame)
	f.frame = f.frame[n:]
	return n, nil
}

// Close implements io.Closer.
func (f *frames) Close() error { return f.body.Close() }
