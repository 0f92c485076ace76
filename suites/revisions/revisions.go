// Package revisions has the specs of the ControllerRevisions of a DaemonSet: which there are, whose they are, and when they go.
package revisions

// Specs registers the family.
func Specs() {
	creation()
	names()
	refused()
	kept()
	duplicates()
	ownership()
	adoption()
	limit()
	labels()
	deletion()
	leaving()
	api()
}
