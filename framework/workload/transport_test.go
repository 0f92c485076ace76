package workload

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	. "github.com/onsi/gomega"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func TestADaemonSetIsCreatedReadAndWrittenAsTheWorkload(t *testing.T) {
	g := NewWithT(t)
	s := &server{t: t}
	sets := s.client(renamed{}).AppsV1().DaemonSets("n")

	set := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "d"}, Spec: appsv1.DaemonSetSpec{MinReadySeconds: 7}}
	created, err := sets.Create(t.Context(), set, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(created.Spec.MinReadySeconds).To(BeEquivalentTo(7), "the answer is a DaemonSet again")
	asked, body := s.last()
	g.Expect(asked).To(Equal("POST " + daemonsPath))
	g.Expect(body).To(And(ContainSubstring(`"settleSeconds":7`), Not(ContainSubstring("minReadySeconds")), Not(ContainSubstring("DaemonSet"))))

	read, err := sets.Get(t.Context(), "d", metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(read.Spec).To(Equal(created.Spec))
	read.Spec.MinReadySeconds = 8
	updated, err := sets.Update(t.Context(), read, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(updated.Spec.MinReadySeconds).To(BeEquivalentTo(8))

	updated.Status.NumberReady = 3
	updated, err = sets.UpdateStatus(t.Context(), updated, metav1.UpdateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(updated.Status.NumberReady).To(BeEquivalentTo(3))
	asked, _ = s.last()
	g.Expect(asked).To(Equal("PUT " + daemonsPath + "/d/status"))

	all, err := sets.List(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(all.Items).To(HaveLen(1))
	g.Expect(all.Items[0].Spec.MinReadySeconds).To(BeEquivalentTo(8))
	g.Expect(all.Items[0].Status.NumberReady).To(BeEquivalentTo(3))
}

func TestAPatchAndADeletionReachTheWorkload(t *testing.T) {
	g := NewWithT(t)
	s := &server{t: t, daemon: map[string]any{"kind": "Daemon", "apiVersion": "rollcall.dev/v1alpha1", "metadata": map[string]any{"name": "d"}}}
	sets := s.client(renamed{}).AppsV1().DaemonSets("n")

	_, err := sets.Patch(t.Context(), "d", types.MergePatchType, []byte(`{"spec":{"minReadySeconds":9}}`), metav1.PatchOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	asked, body := s.last()
	g.Expect(asked + " " + body).To(Equal("PATCH " + daemonsPath + `/d {"spec":{"settleSeconds":9}}`))
	for _, how := range []types.PatchType{types.StrategicMergePatchType, types.JSONPatchType} {
		_, err = sets.Patch(t.Context(), "d", how, []byte(`{}`), metav1.PatchOptions{})
		g.Expect(err).To(MatchError(ContainSubstring("is not translated: use a merge patch")))
	}
	g.Expect(s.asked).To(HaveLen(1), "what cannot be translated is not sent")

	soon := int64(1)
	g.Expect(sets.Delete(t.Context(), "d", metav1.DeleteOptions{GracePeriodSeconds: &soon})).To(Succeed())
	asked, body = s.last()
	g.Expect(asked).To(Equal("DELETE " + daemonsPath + "/d"))
	g.Expect(body).To(MatchJSON(`{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":1}`))
	g.Expect(sets.DeleteCollection(t.Context(), metav1.DeleteOptions{}, metav1.ListOptions{})).To(Succeed())
	asked, _ = s.last()
	g.Expect(asked).To(Equal("DELETE " + daemonsPath))
}

func TestEveryFrameOfAWatchIsTranslatedAsItComes(t *testing.T) {
	g := NewWithT(t)
	s := &server{t: t}
	client := s.client(renamed{})
	watching, err := client.AppsV1().DaemonSets("").Watch(t.Context(), metav1.ListOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	asked, _ := s.last()
	g.Expect(asked).To(Equal("GET /apis/rollcall.dev/v1alpha1/daemons"))
	const object = `{"kind":"Daemon","apiVersion":"rollcall.dev/v1alpha1","metadata":{"name":"d","resourceVersion":"5"},"spec":{"settleSeconds":4}}`
	for _, how := range []watch.EventType{watch.Added, watch.Modified, watch.Bookmark, watch.Deleted} {
		// A frame may come in pieces, and is there before the next one is sent.
		frame := `{"type":"` + string(how) + `","object":` + object + "}\n"
		s.events <- frame[:20]
		s.events <- frame[20:]
		event := <-watching.ResultChan()
		g.Expect(event.Type).To(Equal(how))
		set, ok := event.Object.(*appsv1.DaemonSet)
		g.Expect(ok).To(BeTrue(), "a %T", event.Object)
		g.Expect(set.ResourceVersion).To(Equal("5"))
		g.Expect(set.Spec.MinReadySeconds).To(BeEquivalentTo(4))
	}
	s.events <- `{"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":410,"reason":"Expired"}}`
	g.Expect((<-watching.ResultChan()).Type).To(Equal(watch.Error))
	close(s.events)
	g.Eventually(watching.ResultChan()).Should(BeClosed())
}

func TestAPodOfTheWorkloadSeemsToBeOneOfADaemonSetAndViceVersa(t *testing.T) {
	g := NewWithT(t)
	s := &server{t: t}
	pods := s.client(sameFields{}).CoreV1().Pods("n")
	read, err := pods.Get(t.Context(), "p", metav1.GetOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	owner := metav1.GetControllerOf(read)
	g.Expect(owner.APIVersion + " " + owner.Kind).To(Equal("apps/v1 DaemonSet"))
	other := read.OwnerReferences[1]
	g.Expect(other.APIVersion+" "+other.Kind).To(Equal("rollcall.dev/v1alpha1 Daemon"), "what belongs to a DaemonSet belongs to none of the workload")

	again, err := pods.Create(t.Context(), read, metav1.CreateOptions{})
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(again.OwnerReferences).To(Equal(read.OwnerReferences))
	asked, body := s.last()
	g.Expect(asked).To(Equal("POST /api/v1/namespaces/n/pods"))
	var sent, was metav1.PartialObjectMetadata
	g.Expect(json.Unmarshal([]byte(body), &sent)).To(Succeed())
	g.Expect(json.Unmarshal([]byte(pod), &was)).To(Succeed())
	g.Expect(sent.OwnerReferences).To(Equal(was.OwnerReferences), "it is written as it was read")
}

func TestARefusalComesAsItIs(t *testing.T) {
	g := NewWithT(t)
	s := &server{t: t}
	sets := s.client(sameFields{}).AppsV1().DaemonSets("n")
	s.refuses = true
	_, err := sets.Create(t.Context(), &appsv1.DaemonSet{}, metav1.CreateOptions{})
	g.Expect(apierrors.IsBadRequest(err)).To(BeTrue(), "%v", err)
	g.Expect(err).To(MatchError("no Daemon"))
}

func TestProtobufIsRefusedAndDaemonSetsNeedNoTransport(t *testing.T) {
	g := NewWithT(t)
	wrap, err := daemon.Transport()
	g.Expect(err).NotTo(HaveOccurred())
	config := &rest.Config{Host: "http://127.0.0.1:1", ContentConfig: rest.ContentConfig{ContentType: "application/vnd.kubernetes.protobuf"}}
	client, err := kubernetes.NewForConfigAndClient(config, &http.Client{Transport: wrap(http.DefaultTransport)})
	g.Expect(err).NotTo(HaveOccurred())
	_, err = client.AppsV1().DaemonSets("n").Create(t.Context(), &appsv1.DaemonSet{}, metav1.CreateOptions{})
	g.Expect(err).To(MatchError(ContainSubstring("speak of rollcall.dev/v1alpha1 Daemon: the client uses protobuf")))

	for _, w := range []Workload{{}, DaemonSet(), {Group: "apps", Version: "v1", Kind: "DaemonSet", Resource: "daemonsets", Codec: SameFields}} {
		wrap, err := w.Transport()
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(wrap(http.DefaultTransport)).To(BeIdenticalTo(http.DefaultTransport))
		g.Expect(w.String()).To(BeEmpty())
	}
	unknown := daemon
	unknown.Codec = "magic"
	_, err = unknown.Transport()
	g.Expect(err).To(MatchError(ContainSubstring(`there is no codec "magic": there are same-fields`)))
}

func TestOnlyPathsOfDaemonSetsAreTranslated(t *testing.T) {
	for path, want := range map[string]string{
		"/apis/apps/v1/daemonsets":                                "/apis/rollcall.dev/v1alpha1/daemons",
		"/apis/apps/v1/namespaces/daemonsets/daemonsets/a/status": "/apis/rollcall.dev/v1alpha1/namespaces/daemonsets/daemons/a/status",
		"/apis/apps/v1/namespaces/daemonsets/statefulsets":        "",
		"/apis/apps/v1/namespaces/n/controllerrevisions/a":        "",
		"/api/v1/namespaces/daemonsets":                           "",
		"/apis/apps/v1":                                           "",
	} {
		got, concerned := daemon.path(path)
		if concerned != (want != "") || concerned && got != want || !concerned && got != path {
			t.Errorf("%s: %s (%t), want %s", path, got, concerned, want)
		}
	}
}

func TestWhatNamesNeitherKindIsNotEvenRead(t *testing.T) {
	g := NewWithT(t)
	out := daemon.fromDaemonSet(sameFields{})
	for _, text := range []string{`{"kind": "Pod" , "n": 1e400}`, "DaemonSet is no JSON", `{"message": "DaemonSet d is here"}`} {
		got, err := out.text([]byte(text))
		g.Expect(err).NotTo(HaveOccurred())
		g.Expect(string(got)).To(Equal(text))
	}
	// Numbers are not rounded.
	got, err := out.text([]byte(`{"kind":"DaemonSet","apiVersion":"apps/v1","metadata":{"generation":9007199254740993}}`))
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(strings.Contains(string(got), `"generation":9007199254740993`)).To(BeTrue(), string(got))
}
