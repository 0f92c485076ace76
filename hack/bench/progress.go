package main

import (
	"fmt"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// progress follows a recording, and knows when a phase is over: every node has exactly one pod, of the phase's image and Ready.
type progress struct {
	nodes int

	mu    sync.Mutex
	image string
	// pods are all that exist, good those of the image that are Ready and not being deleted.
	pods map[types.UID]*corev1.Pod
	good int
	// ready are nodes that were Ready, lost those of them that stopped being it.
	ready, lost map[string]bool
	// began and ended are times of the recording; ended is zero until the phase is over, which closes over.
	began, ended time.Duration
	over         chan struct{}
}

func newProgress(nodes int) *progress {
	return &progress{nodes: nodes, pods: map[types.UID]*corev1.Pod{}, ready: map[string]bool{}, lost: map[string]bool{}}
}

// begin is called before the phase's stimulus. The channel is closed when the phase is over.
func (p *progress) begin(image string) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.image, p.began, p.ended, p.over, p.good = image, 0, 0, make(chan struct{}), 0
	for _, pod := range p.pods {
		p.good += p.counts(pod)
	}
	return p.over
}

// observe takes note of an entry of the recording.
func (p *progress) observe(entry history.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if entry.Stimulus != nil {
		p.began = entry.Received
	}
	switch object := entry.Object.(type) {
	case *corev1.Node:
		if history.NodeReady(object) {
			p.ready[object.Name] = true
		} else if p.ready[object.Name] {
			p.lost[object.Name] = true
		}
	case *corev1.Pod:
		p.good -= p.counts(p.pods[object.UID])
		if entry.Type == watch.Deleted {
			delete(p.pods, object.UID)
			break
		}
		p.pods[object.UID] = object
		p.good += p.counts(object)
	}
	if p.ended == 0 && p.began > 0 && p.good == p.nodes && len(p.pods) == p.nodes {
		p.ended = entry.Received
		close(p.over)
	}
}

// counts is 1 for a pod that its node needs, and 0 for others.
func (p *progress) counts(pod *corev1.Pod) int {
	if pod != nil && pod.DeletionTimestamp == nil && pod.Spec.Containers[0].Image == p.image && history.IsReady(pod) {
		return 1
	}
	return 0
}

// took is how long the phase took, which is over. It is an error if the machine could not keep its nodes Ready meanwhile.
func (p *progress) took() (time.Duration, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lost) > 0 {
		return 0, fmt.Errorf("%d of %d simulated nodes stopped being Ready: this machine is too slow for so many, and nothing measured on it means anything (-nodes)",
			len(p.lost), p.nodes)
	}
	return p.ended - p.began, nil
}

// state says how far the phase is.
func (p *progress) state() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d pods, %d of them of image %s and Ready, for %d nodes, of which %d stopped being Ready", len(p.pods), p.good, p.image, p.nodes, len(p.lost))
}
