// Package hostport has the specs of DaemonSets with both maxSurge and a host port, which two pods of one node cannot share.
package hostport

// Specs registers the family.
func Specs() {
	rejected()
}

// port is one that no pod of these DaemonSets ever opens: there is no node for them.
const port = 7999
