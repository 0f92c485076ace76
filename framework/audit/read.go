package audit

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"

	auditv1 "k8s.io/apiserver/pkg/apis/audit/v1"
)

// maxLine bounds a line of the log: the answer to a deletecollection holds every object that was deleted.
const maxLine = 1 << 30

// beginning is how kube-apiserver begins each line.
const beginning = `{"kind":"Event"`

// Read returns the events of a log that contain one of the texts, in the log's order; without texts all. Lines are searched before they are decoded,
// since most of a log is about other scenarios. A last line cut short is left out, as is what precedes the first whole line of a log that is read from
// somewhere inside.
func Read(in io.Reader, texts ...string) ([]auditv1.Event, error) {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 1<<16), maxLine)
	lines.Split(wholeLines)
	var events []auditv1.Event
	for number := 1; lines.Scan(); number++ {
		line := lines.Bytes()
		if number == 1 && !bytes.HasPrefix(line, []byte(beginning)) || !contains(line, texts) {
			continue
		}
		var event auditv1.Event
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
