package recorder_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/rest"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/recorder"
)

// kindServer serves one kind: a list of the objects with these names, a watch with one event, and writes, which it answers with version 12.
func kindServer(t *testing.T, definition history.Definition, names ...string) (sources func(namespace string) ([]recorder.Source, error), asked *[]string) {
	t.Helper()
	gvk := definition.GroupVersionKind
	object := func(name, version string) string {
		namespace := map[bool]string{true: "n"}[definition.Namespaced]
		return fmt.Sprintf(`{"kind":%q,"apiVersion":%q,"metadata":{"name":%q,"namespace":%q,"resourceVersion":%q}}`,
			gvk.Kind, gvk.GroupVersion().String(), name, namespace, version)
	}
	asked = &[]string{}
	served := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "application/json")
		answer := ""
		switch {
		case r.Method == http.MethodPost:
			var sent metav1.PartialObjectMetadata
			if err := json.Unmarshal(body, &sent); err != nil || sent.GroupVersionKind() != gvk {
				t.Errorf("%s: %v (%v)", r.URL.Path, sent.GroupVersionKind(), err)
			}
			answer = object(sent.Name, "12")
		case r.Method == http.MethodPatch:
			answer = object("a", "12")
		case r.URL.Query().Get("watch") != "":
			answer = `{"type":"ADDED","object":` + object("b", "11") + "}\n"
		default:
			var items []string
			for _, name := range names {
				items = append(items, object(name, "5"))
			}
			answer = fmt.Sprintf(`{"kind":"%sList","apiVersion":%q,"metadata":{"resourceVersion":"10"},"items":[%s]}`,
				gvk.Kind, gvk.GroupVersion().String(), strings.Join(items, ","))
		}
		*asked = append(*asked, r.Method+" "+r.URL.Path)
		if _, err := io.WriteString(w, answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(served.Close)
	return func(namespace string) ([]recorder.Source, error) {
		client, err := recorder.NewClient(&rest.Config{Host: served.URL, ContentConfig: rest.ContentConfig{ContentType: "application/json"}})
		if err != nil {
			return nil, err
		}
		if !definition.Namespaced {
			source, err := recorder.Nodes(client, labels.Set{"mine": ""})
			return []recorder.Source{source}, err
		}
		return recorder.Namespaced(client, namespace, definition.Name())
	}, asked
}

func TestEveryKindThatIsDefinedCanBeRecorded(t *testing.T) {
	for _, definition := range history.Definitions() {
		t.Run(string(definition.Name()), func(t *testing.T) {
			g := NewWithT(t)
			all, asked := kindServer(t, definition, "a")
			sources, err := all("n")
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(sources).To(HaveLen(1))

			list, err := sources[0].ListerWatcher.ListWithContext(t.Context(), metav1.ListOptions{})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(list).To(BeAssignableToTypeOf(definition.EmptyList))
			watching, err := sources[0].ListerWatcher.WatchWithContext(t.Context(), metav1.ListOptions{ResourceVersion: "10"})
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect((<-watching.ResultChan()).Object).To(BeAssignableToTypeOf(definition.Empty))
			version, err := sources[0].Mark(t.Context())
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(version).To(BeEquivalentTo(12))

			path := map[bool]string{true: "/api/v1/", false: "/apis/" + definition.Group + "/" + definition.Version + "/"}[definition.Group == ""] +
				map[bool]string{true: "namespaces/n/"}[definition.Namespaced] + definition.Resource
			g.Expect(*asked).To(Equal([]string{"GET " + path, "GET " + path, "GET " + path, "PATCH " + path + "/a"}))
		})
	}
}

func TestWhereThereIsNothingToMarkAnInertObjectIsMadeIfThatMayBe(t *testing.T) {
	for _, definition := range history.Definitions() {
		t.Run(string(definition.Name()), func(t *testing.T) {
			g := NewWithT(t)
			all, asked := kindServer(t, definition)
			sources, err := all("n")
			g.Expect(err).NotTo(HaveOccurred())
			version, err := sources[0].Mark(t.Context())
			if definition.Inert == nil {
				g.Expect(err).To(MatchError("there is nothing to mark"))
				g.Expect(*asked).To(HaveLen(1))
				return
			}
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(version).To(BeEquivalentTo(12))
			g.Expect(*asked).To(ContainElement(And(HavePrefix("POST "), HaveSuffix("/namespaces/n/"+definition.Resource))))
		})
	}
}

func TestWhatCannotBeRecordedInANamespaceIsRefused(t *testing.T) {
	g := NewWithT(t)
	client, err := recorder.NewClient(&rest.Config{})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = recorder.Namespaced(client, "n", history.KindNode)
	g.Expect(err).To(MatchError("record Node in namespace n: it is no kind that can be recorded there"))
	_, err = recorder.Namespaced(client, "n", "Secret")
	g.Expect(err).To(MatchError(HavePrefix(`record Secret in namespace n: kind "Secret" cannot be recorded: `)))
}
