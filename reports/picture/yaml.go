package picture

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// MarshalYAML writes a lane on a line of its own.
func (l Lane) MarshalYAML() (any, error) {
	type lane Lane
	return onOneLine(lane(l))
}

// MarshalYAML writes a mark on a line of its own.
func (m Mark) MarshalYAML() (any, error) {
	type mark Mark
	return onOneLine(mark(m))
}

// MarshalYAML writes an instant on a line of its own.
func (i Instant) MarshalYAML() (any, error) {
	type instant Instant
	return onOneLine(instant(i))
}

func onOneLine(value any) (*yaml.Node, error) {
	node := &yaml.Node{}
	if err := node.Encode(value); err != nil {
		return nil, fmt.Errorf("write a part of a picture: %w", err)
	}
	node.Style = yaml.FlowStyle
	return node, nil
}
