// Package matchers asks a history what a single spec wants to know of it: on every node X happens before Y, never X between A and B, Y within d
// of X. Events are named predicates; matchers put them in order.
//
// Every matcher is pure and works twice: as a Gomega matcher over *history.History, whose failure text shows the events, and through Check, which
// gives violations for a requirement. None is satisfied by an event that never happened, unless that is what it asks for.
//
// The matchers of one kind live here; the standing invariants, which hold for every history, in package judge.
package matchers
