package workload

import (
	"maps"
	"slices"
)

// Codec translates the fields of a workload's objects. It sees an object as JSON has it, numbers as json.Number, and changes it in place. apiVersion and kind
// are no business of its own. An object may be a part of one: a merge patch, or the bookmark of a watch.
//
// What ToDaemonSet makes of an object FromDaemonSet must make into the same object again: scenarios read, change a field, and write.
type Codec interface {
	// ToDaemonSet makes an object of the workload into a DaemonSet.
	ToDaemonSet(object map[string]any) error
	// FromDaemonSet makes a DaemonSet into an object of the workload.
	FromDaemonSet(object map[string]any) error
}

// SameFields is the codec of a workload whose fields are called what those of DaemonSets are.
const SameFields = "same-fields"

// Codecs lists the names of the codecs there are.
func Codecs() []string { return slices.Sorted(maps.Keys(codecs())) }

// codecs are the codecs by name. An API with other fields is another row.
func codecs() map[string]Codec {
	return map[string]Codec{SameFields: sameFields{}}
}

type sameFields struct{}

// ToDaemonSet implements Codec.
func (sameFields) ToDaemonSet(map[string]any) error { return nil }

// FromDaemonSet implements Codec.
func (sameFields) FromDaemonSet(map[string]any) error { return nil }
