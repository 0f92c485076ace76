package passive

import (
	"fmt"
	"slices"

	"github.com/rollcall-conformance/rollcall/framework/history"
	"github.com/rollcall-conformance/rollcall/framework/judge"
)

// judge judges what is recorded up to a proof. What seems broken is judged again from the recordings alone: they decide.
func (w *watcher) judge(last proof) error {
	found := w.bench.judge(w.current.feed.take(last.version), last.at)
	w.judged = last
	if len(found) == 0 {
		return nil
	}
	h, err := Open(paths(w.needed)...)
	if err != nil {
		return err
	}
	h.Through(last.version)
	again := Judge(h).Violations()
	shown := slices.DeleteFunc(slices.Clone(found), func(v judge.Violation) bool { return !contains(again, v) })
	confirmed := slices.DeleteFunc(again, func(v judge.Violation) bool { return !contains(shown, v) })
	if lost := len(found) - len(shown); lost > 0 {
		missed := fmt.Sprintf("%d times something seemed broken that the recordings do not show: please report it", lost)
		w.result.Missed = append(w.result.Missed, missed)
		w.options.Tell.Note(missed)
	}
	if len(confirmed) == 0 {
		return nil
	}
	w.result.Violations += len(confirmed)
	w.spare(confirmed)
	w.options.Tell.Broken(h, confirmed, paths(w.needed))
	return nil
}

// spare keeps the recordings for good if they are the first that show one of the requirements broken.
func (w *watcher) spare(confirmed []judge.Violation) {
	for _, v := range confirmed {
		if w.shown[v.Requirement] {
			continue
		}
		w.shown[v.Requirement] = true
		for _, path := range paths(w.needed) {
			w.spared[path] = true
		}
	}
}

func contains(all []judge.Violation, v judge.Violation) bool {
	return slices.ContainsFunc(all, func(other judge.Violation) bool {
		return other.Requirement == v.Requirement && other.Node == v.Node && other.ResourceVersion == v.ResourceVersion
	})
}

// Open reads recordings of one watch that follow each other as one.
func Open(paths ...string) (*history.History, error) {
	var parts []*history.History
	for _, path := range paths {
		part, err := history.OpenUnsealed(path)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	return history.Join(parts...), nil
}
