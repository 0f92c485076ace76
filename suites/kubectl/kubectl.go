// Package kubectl has the specs of `kubectl rollout` for DaemonSets. It runs kubectl's own code and binds what that prints, so that checks can read it from the
// recording.
package kubectl

// Specs registers the family.
func Specs() {
	status()
	revisions()
}
