// Package conditions has the specs of what a controller says in words: Event objects, and conditions in the DaemonSet's status.
package conditions

// Specs registers the family.
func Specs() {
	events()
	together()
	foreign()
	stalled()
	refused()
	again()
	left()
	causes()
	others()
}
