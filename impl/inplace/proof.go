package inplace

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Proof is the annotation of a pod whose update in place has taken effect. It is written once the update is seen to be done: from then on a container that
// ends and is started again says nothing about the update, and the pod's Ready condition is believed (AVAIL-001). Its status alone could not tell: it shows
// the latest instance of a container, and not when the one that the update asked for was started.
const Proof = "rollcall.dev/in-place-update-done"

// proof is the value of Proof.
type proof struct {
	// Of is the digest of the Record whose update is done. The proof of an earlier update proves nothing.
	Of string `json:"of"`
	// Since is when the last of the containers that were restarted for the update had started.
	Since metav1.Time `json:"since"`
}

// PodProof is a pod whose update in place is seen to be done, and the value of Proof that says so.
type PodProof struct {
	Pod   *corev1.Pod
	Value string
}

// Proofs returns those of the pods whose update in place is done at now, and that do not say so yet. It leaves out pods that are being deleted.
func Proofs(pods []*corev1.Pod, now time.Time) []PodProof {
	var due []PodProof
	for _, pod := range pods {
		record, recorded := recordOf(pod)
		if _, proved := proofOf(pod); !recorded || proved || len(record.Containers) == 0 || pod.DeletionTimestamp != nil {
			continue
		}
		if done, since, _ := record.done(pod, now); done {
			// Text and a time can be encoded.
			value, _ := json.Marshal(proof{Of: digest(pod), Since: since})
			due = append(due, PodProof{Pod: pod, Value: string(value)})
		}
	}
	return due
}

// Patch returns the merge patch that writes the proof, to this pod and to no other of its name. It names no resourceVersion: what has been seen stays true,
// and another update's record makes it say nothing.
func (p PodProof) Patch() ([]byte, error) {
	body := map[string]any{"metadata": map[string]any{"uid": p.Pod.UID, "annotations": map[string]string{Proof: p.Value}}}
	encoded, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode the proof of the update of pod %s: %w", p.Pod.Name, err)
	}
	return encoded, nil
}

// proofOf returns since when the containers of the pod's last update run, and whether it was seen to be done.
func proofOf(pod *corev1.Pod) (since metav1.Time, proved bool) {
	var p proof
	if value, found := pod.Annotations[Proof]; !found || json.Unmarshal([]byte(value), &p) != nil {
		return metav1.Time{}, false
	}
	return p.Since, p.Of == digest(pod)
}

// digest tells the pod's record from those of other updates.
func digest(pod *corev1.Pod) string {
	sum := fnv.New64a()
	// It never fails.
	_, _ = sum.Write([]byte(pod.Annotations[Record]))
	return fmt.Sprintf("%x", sum.Sum64())
}
