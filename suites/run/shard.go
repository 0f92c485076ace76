package run

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports"
)

// setShard is -shard.
func (o *options) setShard(text string) error {
	index, count, found := strings.Cut(text, "/")
	var shard reports.Shard
	var err error
	if shard.Index, err = strconv.Atoi(index); err == nil && found {
		shard.Count, err = strconv.Atoi(count)
	}
	if err != nil || !found || shard.Index < 1 || shard.Index > shard.Count {
		return fmt.Errorf("which of how many, such as 2/4 for the second of four")
	}
	o.shard = &shard
	return nil
}

// shardOf splits specs into those of the shard and those of the others, in their order. Neighbours in the order of their texts, which are of one family, go to
// different shards: so each has about as much to do.
func shardOf(texts []string, shard reports.Shard) (in, out []string) {
	order := slices.Sorted(slices.Values(texts))
	for _, text := range texts {
		if i, _ := slices.BinarySearch(order, text); i%shard.Count == shard.Index-1 {
			in = append(in, text)
		} else {
			out = append(out, text)
		}
	}
	return in, out
}
