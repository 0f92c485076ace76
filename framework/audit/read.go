package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// Event is what is read of an audit.k8s.io/v1 Event: of the objects that it holds, which make up most of it, only what identifies them.
type Event struct {
	Stage                    auditv1.Stage            `json:"stage"`
	RequestURI               string                   `json:"requestURI"`
	Verb                     string                   `json:"verb"`
	User                     user                     `json:"user"`
	ImpersonatedUser         *user                    `json:"impersonatedUser"`
	ObjectRef                *auditv1.ObjectReference `json:"objectRef"`
	ResponseStatus           *status                  `json:"responseStatus"`
	RequestObject            json.RawMessage          `json:"requestObject"`
	ResponseObject           *answer                  `json:"responseObject"`
	RequestReceivedTimestamp metav1.MicroTime         `json:"requestReceivedTimestamp"`
	StageTimestamp           metav1.MicroTime         `json:"stageTimestamp"`
}

type user struct {
	Username string `json:"username"`
}

type status struct {
	Code    int32  `json:"code"`
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

// answer is an object, a list or a Status.
type answer struct {
	Kind     string   `json:"kind"`
	Metadata identity `json:"metadata"`
	Items    []item   `json:"items"`
	Details  *details `json:"details"`
}

type item struct {
	Metadata identity `json:"metadata"`
}

type identity struct {
	Namespace         string          `json:"namespace"`
	Name              string          `json:"name"`
	UID               types.UID       `json:"uid"`
	ResourceVersion   string          `json:"resourceVersion"`
	DeletionTimestamp json.RawMessage `json:"deletionTimestamp"`
	Finalizers        []string        `json:"finalizers"`
}

type details struct {
	Name string    `json:"name"`
	UID  types.UID `json:"uid"`
}

// maxLine bounds a line of the log: the answer to a deletecollection holds every object that was deleted.
const maxLine = 1 << 30

// beginning is how kube-apiserver begins each line.
const beginning = `{"kind":"Event"`

// Read returns the events of a log that contain one of the texts, in the log's order; without texts all. Lines are searched before they are decoded,
// since most of a log is about other scenarios. A last line cut short is left out, as is what precedes the first whole line of a log that is read from
// somewhere inside.
func Read(in io.Reader, texts ...string) ([]Event, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<16), maxLine)
	lines.Split(wholeLines)
	var events []Event
	for number := 1; lines.Scan(); number++ {
		line := lines.Bytes()
		if number == 1 && !bytes.HasPrefix(line, []byte(beginning)) || !contains(line, texts) {
			continue
		}
		var event Event
		if err := json.Unmarshal(line, &event); err != nil {
			return nil, fmt.Errorf("read the audit log: line %d: %w", number, err)
		}
		events = append(events, event)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("read the audit log: %w", err)
	}
	return events, nil
}

// wholeLines splits into lines and leaves out a last one without an end.
func wholeLines(data []byte, _ bool) (advance int, token []byte, err error) {
	end := bytes.IndexByte(data, '\n')
	if end < 0 {
		return 0, nil, nil
	}
	return end + 1, data[:end], nil
}

func contains(line []byte, texts []string) bool {
	return len(texts) == 0 || slices.ContainsFunc(texts, func(text string) bool { return bytes.Contains(line, []byte(text)) })
}
