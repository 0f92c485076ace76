// Package history is the linear history of a cluster: every watch event of a scenario, ordered by resourceVersion, with what the
// harness did in between.
//
// It knows how to read a recording (JSON lines), how to order it, and how to replay it into the state of the cluster after each
// event. It opens no connection, reads no clock and decides nothing: package recorder fills it, package judge judges it.
package history
