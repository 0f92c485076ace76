package mutant

// Prefix begins each line that the simulation prints for hack/mutation, before JSON.
const Prefix = "mutation: "

// Play is one simulation of the code as it is.
type Play struct {
	// Name of the simulation, Flavour of those that are like it.
	Name, Flavour string
	// Steps is how much it simulates.
	Steps int
	// Met are the mutants that may make a difference in it.
	Met []int
}

// Trial is what became of one mutant.
type Trial struct {
	// Plays is in how many simulations it was tried.
	Plays int
	// Rule names the requirement whose standing rule objects, End the one that the end of a simulation breaks: it has not settled, or is not where it
	// should be. Panic says that the code panics, or gives up. All are empty for a mutant that survived.
	Rule, End, Panic string
	// Play names the simulation that showed it.
	Play string
}
