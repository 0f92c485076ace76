// Package features has the feature gates of the reference.
package features

import (
	"k8s.io/component-base/featuregate"
)

// DaemonSetUpdateSurge lets DaemonSets surge. Without it maxSurge is ignored, and a maxUnavailable of zero that came with it is one (GATE-002, GATE-003);
// see package admission for what becomes of the field. Its name is the design document's (GATE-010).
const DaemonSetUpdateSurge featuregate.Feature = "DaemonSetUpdateSurge"

// New returns the gates as they are by default.
//
// DaemonSetUpdateSurge is as the document has a beta: on, and not locked. A feature that is generally available is usually locked, but one that is locked
// cannot be rolled back, and the document says what happens when this one is, and when it is on again.
func New() (featuregate.MutableVersionedFeatureGate, error) {
	gates := featuregate.NewFeatureGate()
	return gates, gates.Add(map[featuregate.Feature]featuregate.FeatureSpec{
		DaemonSetUpdateSurge: {Default: true, PreRelease: featuregate.Beta},
	})
}
