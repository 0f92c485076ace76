package wrongapi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// around is the API server with a fault.
type around = func(api http.Handler) http.Handler

// answering has requests of these patterns, which are those of http.ServeMux, answered by the function, unless they are none of a scenario. An error of the
// function is an internal one of the API server.
func answering(answer func(api http.Handler, w http.ResponseWriter, r *http.Request) error, patterns ...string) around {
	return func(api http.Handler) http.Handler {
		mux := http.NewServeMux()
		mux.Handle("/", api)
		for _, pattern := range patterns {
			mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
				body, err := io.ReadAll(r.Body)
				if r = with(r, body); err == nil && !ofScenario(r, body) {
					api.ServeHTTP(w, r)
					return
				}
				if err == nil {
					err = answer(api, w, r)
				}
				if err != nil {
					refuse(w, http.StatusInternalServerError, metav1.StatusReasonInternalError, err.Error())
				}
			})
		}
		return mux
	}
}

// ofScenario reports whether a scenario may have sent the request. Requests that the query makes dry runs are the reference's, by which it asks whether its
// admission policies are in force; those in protobuf are controllers', or marks of the recorder; and other marks have its annotation.
func ofScenario(r *http.Request, body []byte) bool {
	inProtobuf := r.Header.Get("Content-Type") == runtime.ContentTypeProtobuf
	return !inProtobuf && !r.URL.Query().Has("dryRun") && !bytes.Contains(body, []byte(history.MarkAnnotation))
}

// storing changes objects before they are stored.
func storing[T any](change func(object *T), patterns ...string) around {
	return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
		object, r, err := sent[T](r)
		if err != nil {
			return err
		}
		change(object)
		return pass(api, w, r, object)
	}, patterns...)
}

// telling changes what is answered about objects that were stored. That which was sent is not changed.
func telling[T any](change func(sent, stored *T), patterns ...string) around {
	return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
		asked, r, err := sent[T](r)
		if err != nil {
			return err
		}
		answer := ask(api, r)
		if answer.Code >= http.StatusBadRequest {
			return hand(w, answer)
		}
		stored := new(T)
		if err := json.Unmarshal(answer.Body.Bytes(), stored); err != nil {
			return fmt.Errorf("read the answer: %w", err)
		}
		change(asked, stored)
		return reply(w, answer.Code, stored)
	}, patterns...)
}

// refusing refuses objects as invalid of which the function says why.
func refusing[T any](why func(object *T) string, patterns ...string) around {
	return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
		object, r, err := sent[T](r)
		if err != nil {
			return err
		}
		if message := why(object); message != "" {
			refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, message)
			return nil
		}
		api.ServeHTTP(w, r)
		return nil
	}, patterns...)
}

// believing answers what is refused as invalid, with these words in the message, as if it had been stored: with what was sent, or with what there is in
// answer to a patch.
func believing(words string, patterns ...string) around {
	return answering(func(api http.Handler, w http.ResponseWriter, r *http.Request) error {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		answer := ask(api, with(r, body))
		if answer.Code != http.StatusUnprocessableEntity || !strings.Contains(answer.Body.String(), words) {
			return hand(w, answer)
		}
		switch r.Method {
		case http.MethodPost:
			return write(w, http.StatusCreated, body)
		case http.MethodPatch:
			return hand(w, ask(api, getting(r, strings.TrimSuffix(r.URL.Path, "/status"))))
		}
		return write(w, http.StatusOK, body)
	}, patterns...)
}

// sent reads the object that a request carries. The request returned carries it still.
func sent[T any](r *http.Request) (*T, *http.Request, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, nil, fmt.Errorf("read the request: %w", err)
	}
	object := new(T)
	if err := json.Unmarshal(body, object); err != nil {
		return nil, nil, fmt.Errorf("read the request: %w", err)
	}
	return object, with(r, body), nil
}

// with is the request with another body.
func with(r *http.Request, body []byte) *http.Request {
	other := r.Clone(r.Context())
	other.Body, other.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	other.Header.Del("Content-Length")
	return other
}

// getting reads what is at the path, as whoever sent the request.
func getting(r *http.Request, path string) *http.Request { return asking(r, http.MethodGet, path) }

// asking is a request without a body of whoever sent the other.
func asking(r *http.Request, method, path string) *http.Request {
	other := with(r, nil)
	other.Method, other.URL.Path, other.URL.RawQuery = method, path, ""
	return other
}

// pass has the API server answer the request with the object in it.
func pass(api http.Handler, w http.ResponseWriter, r *http.Request, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	api.ServeHTTP(w, with(r, body))
	return nil
}

// ask returns the API server's answer, which nothing compresses.
func ask(api http.Handler, r *http.Request) *httptest.ResponseRecorder {
	r.Header.Del("Accept-Encoding")
	answer := httptest.NewRecorder()
	api.ServeHTTP(answer, r)
	return answer
}

// hand passes an answer on.
func hand(w http.ResponseWriter, answer *httptest.ResponseRecorder) error {
	for name, values := range answer.Header() {
		if name != "Content-Length" {
			w.Header()[name] = values
		}
	}
	w.WriteHeader(answer.Code)
	_, err := w.Write(answer.Body.Bytes())
	return err
}

// reply answers with the object.
func reply(w http.ResponseWriter, code int, object any) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return write(w, code, body)
}

func write(w http.ResponseWriter, code int, body []byte) error {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, err := w.Write(body)
	return err
}

// refuse answers with a Status that says why not.
func refuse(w http.ResponseWriter, code int32, reason metav1.StatusReason, message string, causes ...metav1.StatusCause) {
	status := metav1.Status{
		TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: metav1.StatusFailure, Code: code, Reason: reason, Message: message,
	}
	if len(causes) > 0 {
		status.Details = &metav1.StatusDetails{Causes: causes}
	}
	// Whoever asked may have gone.
	_ = reply(w, int(code), status)
}
