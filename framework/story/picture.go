package story

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/types"

	"github.com/rollcall-conformance/rollcall/framework/judge"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// How much a picture shows: steps before and after the violation, pods per node, marks from before the picture.
const (
	stepsBefore  = 22
	stepsAfter   = 7
	lanesShown   = 8
	earlierMarks = 3
)

// refersByNumber reports whether the violation's text refers to pods by number, as matchers.Nth does.
func refersByNumber(v judge.Violation) bool { return strings.Contains(v.Promise+v.Got, "(no. ") }

// picture returns what is to be drawn; nil if the violation concerns no node.
func (s *seen) picture() *picture.Picture {
	if len(s.nodes) == 0 || s.broke < 0 {
		return nil
	}
	from, to := max(0, s.broke-stepsBefore), min(len(s.steps), s.broke+stepsAfter+1)
	shown, moment := s.steps[from:to], s.steps[s.broke].time
	p := &picture.Picture{Moment: s.broke - from}
	for _, step := range shown {
		p.Steps = append(p.Steps, sinceMoment(step.time, moment))
	}
	for _, node := range s.nodes {
		lanes := s.lanes(node, shown)
		older := max(0, len(lanes)-lanesShown)
		p.Nodes = append(p.Nodes, picture.Node{Name: node, Alike: s.alike[node], Older: older, Lanes: lanes[older:]})
	}
	p.Marks = s.marks(from, to, moment)
	return p
}

// lanes returns a lane per pod that lives on the node during the steps: in the order in which they appear, old ones first among those that are there
// from the start.
func (s *seen) lanes(node string, shown []step) []picture.Lane {
	var pods []types.UID
	first := map[types.UID]int{}
	for i := range shown {
		for uid := range shown[i].stages {
			if _, known := first[uid]; !known && s.pods[uid].node == node {
				first[uid] = i
				pods = append(pods, uid)
			}
		}
	}
	slices.SortFunc(pods, func(a, b types.UID) int {
		return cmp.Or(cmp.Compare(first[a], first[b]), strings.Compare(s.read[a], s.read[b]), strings.Compare(s.pods[a].name, s.pods[b].name))
	})
	lanes := make([]picture.Lane, 0, len(pods))
	for _, uid := range pods {
		lane := picture.Lane{Pod: s.pods[uid].name, Revision: s.read[uid], Version: s.pods[uid].version, Life: lifeOf(uid, shown)}
		if s.numbered {
			lane.Number = s.pods[uid].number
		}
		lanes = append(lanes, lane)
	}
	return lanes
}

func lifeOf(uid types.UID, shown []step) string {
	letters := make([]byte, len(shown))
	for i := range shown {
		letters[i] = byte(picture.Absent)
		if stage, there := shown[i].stages[uid]; there {
			letters[i] = byte(stage)
		}
	}
	return string(letters)
}

// marks returns those of the steps from..to, after the latest from before the picture.
func (s *seen) marks(from, to int, moment time.Time) []picture.Mark {
	var earlier, marks []picture.Mark
	for i := range to {
		if s.steps[i].mark == "" {
			continue
		}
		mark := picture.Mark{Step: max(-1, i-from), At: sinceMoment(s.steps[i].time, moment), Text: paragraph.Printable(s.steps[i].mark)}
		if mark.Step < 0 {
			earlier = append(earlier, mark)
		} else {
			marks = append(marks, mark)
		}
	}
	return append(earlier[max(0, len(earlier)-earlierMarks):], marks...)
}

func sinceMoment(t, moment time.Time) time.Duration { return t.Sub(moment).Round(time.Millisecond) }
