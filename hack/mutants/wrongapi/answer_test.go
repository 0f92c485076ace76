package wrongapi

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

const collection, object = "/apis/apps/v1/namespaces/here/daemonsets", "/apis/apps/v1/namespaces/here/daemonsets/agent"

// right answers as an API server that stores whatever it is sent, unless it refuses it as invalid with that message.
func right(refusal string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch {
		case refusal != "":
			refuse(w, http.StatusUnprocessableEntity, metav1.StatusReasonInvalid, refusal)
		case r.Method == http.MethodPost:
			_ = write(w, http.StatusCreated, body)
		default:
			_ = write(w, http.StatusOK, body)
		}
	})
}

// daemonSet has these limits; empty ones are left out.
func daemonSet(maxSurge, maxUnavailable string) *appsv1.DaemonSet {
	limit := func(value string) *intstr.IntOrString {
		if value == "" {
			return nil
		}
		return ptr.To(intstr.Parse(value))
	}
	d := &appsv1.DaemonSet{}
	d.Spec.UpdateStrategy.RollingUpdate = &appsv1.RollingUpdateDaemonSet{MaxSurge: limit(maxSurge), MaxUnavailable: limit(maxUnavailable)}
	return d
}

// answerOf asks the API server with the fault, and returns its answer and the DaemonSet in it.
func answerOf(t *testing.T, fault string, api http.Handler, method, path string, sent *appsv1.DaemonSet) (*httptest.ResponseRecorder, *appsv1.DaemonSet) {
	t.Helper()
	f, err := Named(fault)
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(sent)
	if err != nil {
		t.Fatal(err)
	}
	answer := httptest.NewRecorder()
	f.Around(api).ServeHTTP(answer, httptest.NewRequest(method, path, strings.NewReader(string(body))))
	stored := &appsv1.DaemonSet{}
	if answer.Code < http.StatusBadRequest {
		if err := json.Unmarshal(answer.Body.Bytes(), stored); err != nil {
			t.Fatal(err)
		}
	}
	return answer, stored
}

func TestAFaultChangesWhatIsStoredByItsRequestsAlone(t *testing.T) {
	marked := daemonSet("25%", "0")
	metav1.SetMetaDataAnnotation(&marked.ObjectMeta, history.MarkAnnotation, "1")
	for _, row := range []struct {
		method, path string
		sent         *appsv1.DaemonSet
		want         string
	}{
		{http.MethodPost, collection, daemonSet("25%", "0"), "25"}, {http.MethodPut, object, daemonSet("25%", "0"), "25%"},
		{http.MethodPost, collection + "?dryRun=All", daemonSet("25%", "0"), "25%"}, {http.MethodPost, collection, marked, "25%"},
	} {
		answer, stored := answerOf(t, "api-forgets-percentages", right(""), row.method, row.path, row.sent)
		if got := rolling(stored).MaxSurge.String(); answer.Code >= http.StatusBadRequest || got != row.want {
			t.Errorf("%s %s: %d, maxSurge %s, want %s", row.method, row.path, answer.Code, got, row.want)
		}
	}
}

func TestWhatIsRefusedIsBelievedForItsMessageAlone(t *testing.T) {
	sent := daemonSet("0", "0")
	for message, want := range map[string]int{
		"spec.updateStrategy.rollingUpdate.maxUnavailable: Required value": http.StatusCreated, "spec.selector: Required value": http.StatusUnprocessableEntity,
	} {
		answer, stored := answerOf(t, "api-takes-any-limits", right(message), http.MethodPost, collection, sent)
		if answer.Code != want || want == http.StatusCreated && rolling(stored).MaxUnavailable.String() != "0" {
			t.Errorf("%s: %d, %+v, want %d", message, answer.Code, stored.Spec.UpdateStrategy, want)
		}
	}
}

func TestARefusalSaysWhy(t *testing.T) {
	answer, _ := answerOf(t, "api-insists-on-unavailability", right(""), http.MethodPost, collection, daemonSet("1", "0"))
	var status metav1.Status
	if err := json.Unmarshal(answer.Body.Bytes(), &status); err != nil {
		t.Fatal(err)
	}
	if answer.Code != http.StatusUnprocessableEntity || status.Reason != metav1.StatusReasonInvalid || !strings.Contains(status.Message, "maxUnavailable") {
		t.Errorf("%d, %+v", answer.Code, status)
	}
	if answer, _ := answerOf(t, "api-insists-on-unavailability", right(""), http.MethodPost, collection, daemonSet("0", "1")); answer.Code != http.StatusCreated {
		t.Errorf("%d, want what the API server answers", answer.Code)
	}
}

func TestWhatIsToldAboutIsNotWhatIsStored(t *testing.T) {
	var stored appsv1.DaemonSet
	api := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := json.NewDecoder(r.Body).Decode(&stored); err != nil {
			t.Error(err)
		}
		stored.Spec.UpdateStrategy.RollingUpdate = daemonSet("0", "1").Spec.UpdateStrategy.RollingUpdate
		_ = reply(w, http.StatusCreated, stored)
	})
	_, told := answerOf(t, "gate-off-keeps-all-surge", api, http.MethodPost, collection, daemonSet("2", "0"))
	if rolling(told).MaxSurge.String() != "2" || rolling(&stored).MaxSurge.String() != "0" {
		t.Errorf("told %s, stored %s", rolling(told).MaxSurge, rolling(&stored).MaxSurge)
	}
}

func TestAFaultThatDoesNotExistIsNamed(t *testing.T) {
	if _, err := Named("nobody"); err == nil || !strings.Contains(err.Error(), "nobody") {
		t.Errorf("got %v", err)
	}
}
