package plan

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"k8s.io/apimachinery/pkg/util/rand"
)

const (
	// Original is the member that the target is. No subset can have the name.
	Original = "original"
	// Finalizer keeps a UnitedDaemonSet until the target is as it was.
	Finalizer = "rollcall.dev/united-daemonset"
	// StrategyAnnotation on the target holds the update strategy to give back to it.
	StrategyAnnotation = "united.rollcall.dev/suspended-strategy"
	// DaemonSetLabel has the name of its DaemonSet on every subset's DaemonSet and pods.
	DaemonSetLabel = "united.rollcall.dev/daemonset"
	// SubsetLabel has the name of the subset on its DaemonSet and pods.
	SubsetLabel = "united.rollcall.dev/subset"

	labelPrefix    = "united.rollcall.dev/"
	incomingPrefix = "incoming.united.rollcall.dev/"
)

// Keys are those of a family's node labels.
type Keys struct {
	// Home has the member whose pod the node runs, Incoming the one that is to take over with maxSurge.
	Home, Incoming string
}

// KeysOf returns the keys of the family of a target.
func KeysOf(namespace, target string) Keys {
	// A namespace has no dot in it.
	family := short(namespace+"."+target, 63)
	return Keys{Home: labelPrefix + family, Incoming: incomingPrefix + family}
}

// DaemonSetName is the name of a subset's DaemonSet: a value of labels, unlike that of any other subset of the namespace.
func DaemonSetName(united, subset string) string {
	const kept = 63 - 1 - hashLength
	return strings.TrimRight(cut(united+"-"+subset, kept), "-.") + "-" + digest(united+"/"+subset)
}

const hashLength = 10

// short returns the name, cut and told apart by a hash if it is longer than that.
func short(name string, length int) string {
	if len(name) <= length {
		return name
	}
	return strings.TrimRight(cut(name, length-1-hashLength), "-.") + "-" + digest(name)
}

func cut(name string, length int) string { return name[:min(len(name), length)] }

// digest is a hash of the text as a part of names, hashLength long.
func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return cut(rand.SafeEncodeString(hex.EncodeToString(sum[:])), hashLength)
}
