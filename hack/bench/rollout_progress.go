package main

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/rollcall-conformance/rollcall/framework/history"
)

// rolloutProgress knows when every node has exactly one pod, of the phase's image and Ready.
type rolloutProgress struct {
	stopwatch
	nodes int
	image string
	// pods are all that exist, good those of the image that are Ready and not being deleted.
	pods map[types.UID]*corev1.Pod
	good int
	// ready are nodes that were Ready, lost those of them that stopped being it.
	ready, lost map[string]bool
}

func newRolloutProgress(nodes int) *rolloutProgress {
	return &rolloutProgress{nodes: nodes, pods: map[types.UID]*corev1.Pod{}, ready: map[string]bool{}, lost: map[string]bool{}}
}

func (p *rolloutProgress) begin(wanted wanted) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.image, p.good = wanted.image, 0
	for _, pod := range p.pods {
		p.good += p.counts(pod)
	}
	return p.reset()
}

func (p *rolloutProgress) observe(entry history.Entry) {
	p.mu.Lock()
	defer p.mu.Unlock()
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
	p.stopwatch.observe(entry, p.good == p.nodes && len(p.pods) == p.nodes)
}

// counts is 1 for a pod that its node needs, and 0 for others.
func (p *rolloutProgress) counts(pod *corev1.Pod) int {
	if pod != nil && pod.DeletionTimestamp == nil && pod.Spec.Containers[0].Image == p.image && history.IsReady(pod) {
		return 1
	}
	return 0
}

func (p *rolloutProgress) measured() (cost, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.lost) > 0 {
		return cost{}, fmt.Errorf("%d of %d simulated nodes stopped being Ready: this machine is too slow for so many, and nothing measured on it means anything (-nodes)",
			len(p.lost), p.nodes)
	}
	return cost{took: p.took()}, nil
}

func (p *rolloutProgress) state() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d pods, %d of them of image %s and Ready, for %d nodes, of which %d stopped being Ready", len(p.pods), p.good, p.image, p.nodes, len(p.lost))
}
