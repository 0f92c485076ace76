package process

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
)

func TestAnAddressIsReadyWhenItAnswersWell(t *testing.T) {
	for name, tt := range map[string]struct {
		status           int
		body, text, says string
	}{
		"any answer":            {status: http.StatusNoContent},
		"the text":              {status: http.StatusOK, body: "all\n[+]well\n", text: "[+]well"},
		"not the text":          {status: http.StatusOK, body: "half well", text: "all well", says: `answers without "all well": half well`},
		"a refusal":             {status: http.StatusServiceUnavailable, body: "all well", text: "all well", says: "answers 503 Service Unavailable: all well"},
		"a refusal at length":   {status: http.StatusTeapot, body: strings.Repeat("x", 2*quoted), says: ": " + strings.Repeat("x", quoted)},
		"text beyond any limit": {status: http.StatusOK, body: strings.Repeat("x", readAtMost) + "well", text: "well", says: "answers without"},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(tt.status)
				_, _ = fmt.Fprint(w, tt.body)
			}))
			t.Cleanup(server.Close)
			err := Answers(server.URL, tt.text)(t.Context())
			if tt.says == "" {
				g.Expect(err).NotTo(HaveOccurred())
				return
			}
			g.Expect(err).To(MatchError(ContainSubstring(tt.says)))
			g.Expect(len(err.Error())).To(BeNumerically("<", quoted+200))
		})
	}
}
