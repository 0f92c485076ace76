// Package plan decides what is to be done about one UnitedDaemonSet. It is pure: a State goes in, Actions come out.
//
// A node label says which member of the family runs on a node: the target (Original) or a subset. Every member's DaemonSet has a node affinity for its own
// value of that label, and the ordinary DaemonSet controller does the rest. So an edit of the subsets changes labels and no template, and restarts nobody.
//
// A node without the label is nobody's. A node changes hands by losing the label, losing its pod, and getting the label of its new member; so it never has
// two pods, and whoever comes after a crash finds in the labels where to go on. With maxSurge a second label, the incoming member's, lets that one's pod
// become available beside the other first.
//
// The affinity is a change of the target's template that no pod need be restarted for. The write that makes it suspends the target's rollouts by the
// strategy OnDelete, and keeps the strategy in an annotation. Once there is a ControllerRevision of the new template, the pods that differ from it by that
// affinity alone get its revision label, and the strategy is given back. Rollouts of the user's go on from there.
package plan
