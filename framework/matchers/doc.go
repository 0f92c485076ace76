// Package matchers asks a history what a single spec wants to know of it: on every node X happens before Y, never X between A and B, Y within d
// of X. Events are named predicates; matchers put them in order.
//
// A matcher has three answers: the promise was kept, it was broken, or the history does not put it to the test. What never happened breaks nothing
// unless it is what was promised, and then only once the time for it has passed.
//
// Every matcher is pure. All matchers of a spec are answered from one replay, which may be that of the standing rules: see Survey. Each works as a Gomega
// matcher over *history.History, too. The standing rules, which hold for every history, are in package judge.
package matchers
