package history

import (
	"slices"
	"strings"
)

// verb is the first word of the lever's name, in small letters.
func (s *Stimulus) verb() string {
	verb, _, _ := strings.Cut(strings.TrimSpace(s.Lever), " ")
	return strings.ToLower(verb)
}

// KindNamespace names a namespace in a stimulus. Namespaces are not recorded.
const KindNamespace Kind = "Namespace"

// MayDelete tells whether the act may make objects go, so that nobody else is blamed for their deletion. On a pod or a ControllerRevision
// every act counts but those known to leave it there; on anything else only those known to remove.
func (s *Stimulus) MayDelete() bool {
	switch s.Kind {
	case KindPod:
		return !slices.Contains([]string{
			"add", "annotate", "become", "create", "fail", "hold", "label", "release", "restart", "set", "slow", "start", "succeed", "unlabel",
		}, s.verb())
	case KindControllerRevision:
		return !slices.Contains([]string{"add", "annotate", "create", "label"}, s.verb())
	default:
		return slices.Contains([]string{"delete", "drain", "evict", "reboot", "shut"}, s.verb())
	}
}

// Creates tells whether the act brings the object that it names into being.
func (s *Stimulus) Creates() bool {
	return slices.Contains([]string{"add", "adopt", "create"}, s.verb())
}

// WritesStatus tells whether the act writes the status of the object that it names.
func (s *Stimulus) WritesStatus() bool { return strings.Contains(strings.ToLower(s.Lever), "status") }

// Disturbs tells whether the act may cost the pod or node that it names its availability.
func (s *Stimulus) Disturbs() bool {
	calm := []string{"add", "annotate", "cordon", "create", "label", "release", "restore", "slow", "uncordon", "unlabel", "untaint", "start", "hold", "thaw"}
	if slices.Contains(calm, s.verb()) {
		return false
	}
	return strings.ToLower(s.Lever) != "become ready"
}
