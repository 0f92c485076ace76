package history

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Author is who made the request that caused an event, by the API server's audit log.
type Author struct {
	// Who it was.
	Who Who `json:"who"`
	// User is the user name of the request, for example "system:serviceaccount:kube-system:daemon-set-controller".
	User string `json:"user"`
	// Verb is create, update, patch, delete or deletecollection.
	Verb string `json:"verb"`
	// Subresource, for example "status", "binding" or "eviction"; empty for the object itself.
	Subresource string `json:"subresource,omitempty"`
	// Code of the answer.
	Code int32 `json:"code"`
	// Answered is when the answer had been given, by the API server's clock; zero where nobody knows. The change was made before.
	Answered time.Time `json:"answered,omitzero"`
	// Asked is the pod that the request was to create, its labels, annotations and spec, where admission changed or removed a part of it (see LacksOfTemplate);
	// nil otherwise.
	Asked *corev1.PodTemplateSpec `json:"asked,omitempty"`
}

// Who is somebody who changes objects.
type Who string

// Those who are told apart. NodeLifecycle taints nodes, sets the Ready condition of pods on lost nodes, and evicts pods by taint. DaemonSetController is
// kube-controller-manager's, where it is not the implementation; ControllerManager is any of its other controllers. Unknown is a user whom nobody knows:
// it may be the implementation, where that was launched by others.
const (
	Implementation       Who = "implementation"
	Harness              Who = "harness"
	Scheduler            Who = "scheduler"
	Kubelet              Who = "kubelet"
	KWOK                 Who = "kwok"
	GarbageCollector     Who = "garbage collector"
	PodGarbageCollector  Who = "pod garbage collector"
	NodeLifecycle        Who = "node lifecycle controller"
	NamespaceController  Who = "namespace controller"
	DisruptionController Who = "disruption controller"
	DaemonSetController  Who = "DaemonSet controller"
	ControllerManager    Who = "kube-controller-manager"
	APIServer            Who = "kube-apiserver"
	Unknown              Who = "unknown"
	// Others is anybody but the implementation, or nobody who can be told: see package passive.
	Others Who = "others"
)

// Authorship says who the author of one event is.
type Authorship struct {
	// ResourceVersion and UID are the event's, and its object's.
	ResourceVersion uint64    `json:"rv"`
	UID             types.UID `json:"uid"`
	Author          Author    `json:"author"`
	// Again is set where another made the event, and this write was answered with its version because it changed nothing: when that was, by the API
	// server's clock.
	Again *time.Time `json:"again,omitempty"`
}

// Authors says where a recording's authors come from.
type Authors string

// The sources. Without one, whoever wants to know has to infer it.
const (
	AuthorsFromAuditLog Authors = "audit log"
	AuthorsInferred     Authors = "inferred"
)

// authorsLine is what a line of a recording says about authors: the author of one event or, last of all, that there are no more.
type authorsLine struct {
	*Authorship
	Source Authors `json:"source,omitempty"`
}

// Attribution is what the API server's audit log says about a recording.
type Attribution struct {
	// Authors of its events.
	Authors []Authorship
	// Refusals are what the implementation was refused meanwhile.
	Refusals []Refusal
	// Delays of its requests: see History.Delays.
	Delays []Standstill
}

// AppendAuthors adds the attribution to the file that the history was read from, which nobody may be writing to, says that it is all there is, and gives it to
// the history.
func (h *History) AppendAuthors(path string, source Authors, found Attribution) error {
	h.Refusals, h.Delays = found.Refusals, found.Delays
	h.Attribute(source, found.Authors)
	return h.append(path, func(w *Writer) error { return w.authors(source, found) })
}

// append adds lines to the file that the history was read from.
func (h *History) append(path string, lines func(*Writer) error) (err error) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		return fmt.Errorf("add to the recording: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	buffered := bufio.NewWriter(file)
	w := &Writer{out: buffered, number: h.lines, chain: h.chain}
	if err := lines(w); err != nil {
		return err
	}
	if err := buffered.Flush(); err != nil {
		return fmt.Errorf("add to the recording: %w", err)
	}
	h.lines, h.chain = w.number, w.chain
	return nil
}

// Seal adds the last line to the file that the history was read from, behind which nothing may be added.
func (h *History) Seal(path string) error { return h.append(path, (*Writer).Seal) }

// Seal appends the last line, behind which nothing may be added.
func (w *Writer) Seal() error {
	if !w.chain.on {
		return nil
	}
	return w.write(line{Sealed: true})
}

// authors appends what the audit log says, and that it is all there is.
func (w *Writer) authors(source Authors, found Attribution) error {
	for i := range found.Refusals {
		if err := w.write(line{Refusal: &found.Refusals[i]}); err != nil {
			return err
		}
	}
	for i := range found.Delays {
		if err := w.write(line{Delay: &found.Delays[i]}); err != nil {
			return err
		}
	}
	for i := range found.Authors {
		if err := w.write(line{Authors: &authorsLine{Authorship: &found.Authors[i]}}); err != nil {
			return err
		}
	}
	return w.write(line{Authors: &authorsLine{Source: source}})
}

// authorship returns the authors of the entries, as a recording holds them.
func (h *History) authorship() []Authorship {
	var all []Authorship
	for _, entry := range h.Entries {
		if entry.Author != nil {
			all = append(all, Authorship{ResourceVersion: entry.ResourceVersion, UID: entry.Object.GetUID(), Author: *entry.Author})
		}
	}
	return append(all, h.Idle...)
}

// takeAuthors keeps what a line says about authors until Attribute.
func (h *History) takeAuthors(said *authorsLine) {
	if said.Authorship != nil {
		h.authorships = append(h.authorships, *said.Authorship)
	}
	if said.Source != "" {
		h.Authors = said.Source
	}
}

// Attribute gives the entries their authors, and the history the writes that changed nothing.
func (h *History) Attribute(source Authors, all []Authorship) {
	type event struct {
		version uint64
		uid     types.UID
	}
	authors := make(map[event]*Author, len(all))
	h.Idle = nil
	for i := range all {
		if all[i].Again != nil {
			h.Idle = append(h.Idle, all[i])
			continue
		}
		authors[event{all[i].ResourceVersion, all[i].UID}] = &all[i].Author
	}
	for i, entry := range h.Entries {
		if entry.Object != nil {
			h.Entries[i].Author = authors[event{entry.ResourceVersion, entry.Object.GetUID()}]
		}
	}
	h.Authors = source
}
