package run

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/cluster"
	"github.com/rollcall-conformance/rollcall/suites/spec"
)

// fakePlane is a control plane that notes what is done to it.
type fakePlane struct {
	cluster.Cluster
	ended, without string
	unready        error
	stopped        int
}

func (p *fakePlane) Ended() string { return p.ended }

func (p *fakePlane) Answers(context.Context) error { return p.unready }

func (p *fakePlane) Stop(context.Context) error {
	p.stopped++
	return nil
}

func (p *fakePlane) KubeconfigFor(_ context.Context, user string, groups ...string) (string, error) {
	return user + " of " + strings.Join(groups, ","), nil
}

func (p *fakePlane) SwitchOff(_ context.Context, controllers ...string) error {
	p.without = strings.Join(controllers, ",")
	return nil
}

// lending is a lender of fake control planes, by name, and how to ask it.
type lending struct {
	*lender
	g      Gomega
	url    string
	planes map[string]*fakePlane
}

func newLending(t *testing.T) *lending {
	l := &lending{g: NewWithT(t), planes: map[string]*fakePlane{}}
	l.lender = &lender{lent: map[string]*loan{}, start: func(_ context.Context, name string) (*loan, error) {
		if name == "control-plane-3" {
			return nil, errors.New("no port is free")
		}
		l.planes[name] = &fakePlane{}
		return &loan{Loan: spec.Loan{Name: name}, control: l.planes[name]}, nil
	}}
	mux := http.NewServeMux()
	l.handle(mux)
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	l.url = server.URL
	return l
}

// ask returns the answer's code, and its text.
func (l *lending) ask(path string, send any) (int, string) {
	body, err := json.Marshal(send)
	l.g.Expect(err).NotTo(HaveOccurred())
	response, err := http.Post(l.url+path, "application/json", bytes.NewReader(body))
	l.g.Expect(err).NotTo(HaveOccurred())
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	l.g.Expect(err).NotTo(HaveOccurred())
	return response.StatusCode, strings.TrimSpace(string(text))
}

// borrow returns the name of the control plane.
func (l *lending) borrow() string {
	code, text := l.ask(spec.BorrowPath, struct{}{})
	l.g.Expect(code).To(Equal(http.StatusOK), text)
	var lent spec.Loan
	l.g.Expect(json.Unmarshal([]byte(text), &lent)).To(Succeed())
	return lent.Name
}

func (l *lending) giveBack(returned spec.Returned) {
	code, text := l.ask(spec.ReturnPath, returned)
	l.g.Expect(code).To(Equal(http.StatusOK), text)
}

func TestAControlPlaneThatIsAsItWasIsLentAgain(t *testing.T) {
	l := newLending(t)
	first, second := l.borrow(), l.borrow()
	l.g.Expect([]string{first, second}).To(Equal([]string{"control-plane-1", "control-plane-2"}), "nobody shares one")
	l.giveBack(spec.Returned{Name: first, AsItWas: true})
	l.g.Expect(l.borrow()).To(Equal(first))
	l.g.Expect(l.planes[first].stopped).To(BeZero())
}

func TestAControlPlaneThatIsNotAsItWasOrHasEndedIsLentNoMore(t *testing.T) {
	l := newLending(t)
	spoiled := l.borrow()
	l.giveBack(spec.Returned{Name: spoiled})
	l.g.Expect(l.planes[spoiled].stopped).To(Equal(1))
	ended := l.borrow()
	l.g.Expect(ended).NotTo(Equal(spoiled))
	l.planes[ended].ended = "etcd ended (exit status 1)"
	l.giveBack(spec.Returned{Name: ended, AsItWas: true})
	code, text := l.ask(spec.BorrowPath, struct{}{})
	l.g.Expect(code).To(Equal(http.StatusInternalServerError))
	l.g.Expect(text).To(Equal("no port is free"), "another one is started, and the spec is told what kept it from that")
	l.g.Expect(l.planes[ended].stopped).To(Equal(1))
}

func TestTheControlPlaneThatHasBeenFreeForLongestIsLentAgainIfItAnswers(t *testing.T) {
	l := newLending(t)
	first, second := l.borrow(), l.borrow()
	l.giveBack(spec.Returned{Name: second, AsItWas: true})
	l.giveBack(spec.Returned{Name: first, AsItWas: true})
	l.planes[second].unready = errors.New("connection refused")
	l.g.Expect(l.borrow()).To(Equal(first))
	l.g.Expect(l.planes[second].stopped).To(Equal(1))
}

func TestNothingIsLentWhenTheRunIsOver(t *testing.T) {
	l := newLending(t)
	starting, begun := make(chan struct{}), make(chan struct{})
	start := l.start
	l.start = func(ctx context.Context, name string) (*loan, error) {
		close(begun)
		<-starting
		return start(ctx, name)
	}
	go l.ask(spec.BorrowPath, struct{}{})
	<-begun
	over := make(chan error)
	go func() { over <- l.end(context.Background()) }()
	l.g.Consistently(over, "50ms").ShouldNot(Receive(), "one is being started")
	close(starting)
	l.g.Eventually(over).Should(Receive(BeNil()))
	l.g.Expect(l.planes["control-plane-1"].stopped).To(Equal(1))
	code, text := l.ask(spec.BorrowPath, struct{}{})
	l.g.Expect(code).To(Equal(http.StatusInternalServerError))
	l.g.Expect(text).To(Equal("the run is over"))
}

func TestWhatTakesWhoStartedAControlPlaneIsDoneToTheOneThatWasLent(t *testing.T) {
	l := newLending(t)
	name := l.borrow()
	_, path := l.ask(spec.UserPath, spec.LoanUser{Name: name, User: "mine", Groups: []string{"a", "b"}})
	l.g.Expect(path).To(Equal(`"mine of a,b"`))
	l.ask(spec.SwitchOffPath, spec.SwitchedOff{Name: name, Controllers: []string{"daemonset-controller"}})
	l.g.Expect(l.planes[name].without).To(Equal("daemonset-controller"))
	l.giveBack(spec.Returned{Name: name, AsItWas: true})
	for path, asked := range map[string]any{
		spec.UserPath: spec.LoanUser{Name: name}, spec.SwitchOffPath: spec.SwitchedOff{Name: name}, spec.ReturnPath: spec.Returned{Name: name},
	} {
		code, text := l.ask(path, asked)
		l.g.Expect(code).To(Equal(http.StatusInternalServerError), path)
		l.g.Expect(text).To(Equal(`no control plane is lent under the name "control-plane-1"`), path)
	}
}

func TestAllControlPlanesEndWithTheRun(t *testing.T) {
	l := newLending(t)
	kept, free := l.borrow(), l.borrow()
	l.giveBack(spec.Returned{Name: free, AsItWas: true})
	l.g.Expect(l.end(t.Context())).To(Succeed())
	l.g.Expect([]int{l.planes[kept].stopped, l.planes[free].stopped}).To(Equal([]int{1, 1}), "one whose spec never gave it back, too")
	var none *lender
	l.g.Expect(none.end(t.Context())).To(Succeed())
}
