package workload

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// translation translates texts in one direction.
type translation struct {
	from, to names
	// fields translates those of one object.
	fields func(object map[string]any) error
}

// toDaemonSet translates what the cluster says.
func (w Workload) toDaemonSet(codec Codec) translation {
	return translation{from: w.names(), to: DaemonSet().names(), fields: codec.ToDaemonSet}
}

// fromDaemonSet translates what is said to the cluster.
func (w Workload) fromDaemonSet(codec Codec) translation {
	return translation{from: DaemonSet().names(), to: w.names(), fields: codec.FromDaemonSet}
}

// text translates JSON: an object, a list of objects, or what refers to objects, such as an owner reference. What is no JSON stays as it is, and so does what
// names neither of the two kinds.
func (t translation) text(text []byte) ([]byte, error) {
	if !t.concerns(text) {
		return text, nil
	}
	value, err := decode(text)
	if err != nil {
		return text, nil
	}
	if err := t.value(value); err != nil {
		return nil, err
	}
	return json.Marshal(value)
}

// patch translates a merge patch of an object of the workload, which need not say what it is of.
func (t translation) patch(text []byte) ([]byte, error) {
	value, err := decode(text)
	if err != nil {
		return nil, fmt.Errorf("read the patch: %w", err)
	}
	object, ok := value.(map[string]any)
	if !ok {
		return nil, errors.New("read the patch: it is no merge patch")
	}
	t.rename(object)
	if err := t.fields(object); err != nil {
		return nil, err
	}
	return json.Marshal(object)
}

func (t translation) concerns(text []byte) bool {
	for _, kind := range []string{t.from.kind, t.to.kind} {
		// An object or a reference has the kind, and a list the kind of lists.
		if bytes.Contains(text, []byte(`"`+kind+`"`)) || bytes.Contains(text, []byte(`"`+kind+`List"`)) {
			return true
		}
	}
	return false
}

func (t translation) value(value any) error {
	switch value := value.(type) {
	case map[string]any:
		// What has the name and no metadata refers to an object.
		if _, hasMetadata := value["metadata"].(map[string]any); t.rename(value) && hasMetadata {
			if err := t.fields(value); err != nil {
				return err
			}
		}
		for _, part := range value {
			if err := t.value(part); err != nil {
				return err
			}
		}
	case []any:
		for _, part := range value {
			if err := t.value(part); err != nil {
				return err
			}
		}
	}
	return nil
}

// rename has a value that says what it is say the other name, and reports whether it is one of the kind that is translated, and no list. What has the other
// name already is something else, and is given this one: a pod that belongs to a DaemonSet belongs to none of the workload, and must not seem to.
func (t translation) rename(value map[string]any) (isOne bool) {
	kind, isText := value["kind"].(string)
	if !isText {
		return false
	}
	one, suffix := kind, ""
	if of, isList := strings.CutSuffix(kind, "List"); isList {
		one, suffix = of, "List"
	}
	switch (names{fmt.Sprint(value["apiVersion"]), one}) {
	case t.from:
		value["apiVersion"], value["kind"] = t.to.apiVersion, t.to.kind+suffix
		return suffix == ""
	case t.to:
		value["apiVersion"], value["kind"] = t.from.apiVersion, t.from.kind+suffix
	}
	return false
}

func decode(text []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(text))
	// Numbers stay what they are.
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("more than one value")
	}
	return value, nil
}
