package mutant

// Prefix begins each line that the simulation prints for hack/mutation, before JSON.
const Prefix = "mutation: "

// The flavours of simulations that somebody made to show one thing each: known ones, the corpus of schedules, and what shows rare defects. The others are drawn.
const (
	Known  = "known"
	Corpus = "corpus"
	Rare   = "rare"
)

// Made reports whether the simulations of the flavour are made to show something. A mutant is tried in all of these that meet it; of drawn ones, in some.
func Made(flavour string) bool { return flavour == Known || flavour == Corpus || flavour == Rare }

// Play is one simulation of the code as it is.
type Play struct {
	// Name of the simulation: its Flavour, which those have in common that are like it, a slash, and what tells it from them.
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
