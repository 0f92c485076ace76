// Package story tells a person what a violation looked like: which promise, on which node, when, with the lives of the pods around
// it drawn side by side and the events in words.
//
// It is pure: text from a history and a violation. It opens no recording, writes to no terminal and decides nothing; package judge
// decides.
package story
