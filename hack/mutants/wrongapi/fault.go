// Package wrongapi has the faults of an API server that answers wrongly: each breaks promises that an API server keeps, or the admission policies in it. A
// fault is a function around the handler of a right one. It knows nothing about how that comes to run: see rollcall-apiserver.
package wrongapi

import (
	"fmt"
	"net/http"
	"slices"
)

// Fault is one way to answer wrongly.
type Fault struct {
	// Name is words with dashes between them, Says what the API server does, in a sentence.
	Name, Says string
	// Breaks are the requirements that have to be found broken, at least one.
	Breaks []string
	// Around returns the API server with the fault.
	Around func(api http.Handler) http.Handler
}

// All returns every fault.
func All() []Fault {
	return slices.Concat(limitFaults(), strategyFaults(), counterFaults(), portFaults(), overlookedPortFaults(), partlySeenPortFaults(), gateFaults(), budgetFaults(), evictionFaults(),
		guardFaults(), formerGuardFaults(), passedGuardFaults(), unobservedGuardFaults(), requestFaults(), unitedFaults(), meteringFaults(), edgeFaults())
}

// Named returns the fault of that name.
func Named(name string) (Fault, error) {
	all := All()
	i := slices.IndexFunc(all, func(f Fault) bool { return f.Name == name })
	if i < 0 {
		return Fault{}, fmt.Errorf("there is no fault %q of an API server", name)
	}
	return all[i], nil
}
