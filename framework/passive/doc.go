// Package passive records and judges rollouts in a cluster that others use. It writes nothing: it lists and watches. Who did a thing is inferred from what the
// cluster's controllers say of themselves, and whatever nobody claims is held against nobody.
package passive
