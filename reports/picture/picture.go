// Package picture is the lives of pods around an instant: as data, which a report carries, and drawn for a terminal. Everything that is
// drawn is in the data, so whoever has the report can draw it again, here or elsewhere. The package knows no history and no requirement.
package picture

import (
	"errors"
	"fmt"
	"strings"
	"time"
)

// Picture is the lives of the pods on some nodes, at every step at which one of them changed.
type Picture struct {
	// Steps are the instants of the changes, in order, from the one that the picture is about: negative before it. In milliseconds.
	Steps []time.Duration `yaml:"steps,flow"`
	// Moment is the index of the step that the picture is about.
	Moment int `yaml:"moment"`
	// Nodes from top to bottom.
	Nodes []Node `yaml:"nodes"`
	// Marks are what explains the lanes, in order: what the harness did, and changes of nodes and workloads.
	Marks []Mark `yaml:"marks,omitempty"`
}

// Node is a node with a lane for each of its pods.
type Node struct {
	Name  string `yaml:"name"`
	Lanes []Lane `yaml:"lanes,omitempty"`
	// Alike is the number of further nodes whose pods are at the moment as this one's.
	Alike int `yaml:"alike,omitempty"`
	// Older is the number of pods above the first lane that have none.
	Older int `yaml:"older,omitempty"`
}

// Lane is one pod's life.
type Lane struct {
	Pod string `yaml:"pod"`
	// Revision of the pod at the picture's moment or, if it did not exist then, at the nearest step at which it did: "updated", "old",
	// "unknown"; empty if nobody's.
	Revision string `yaml:"revision,omitempty"`
	// Version is the tag of the pod's image at that step, for example "v2"; empty if it says nothing.
	Version string `yaml:"version,omitempty"`
	// Number is the pod's place, counted from 1, among those of its revision that were created on the node; 0 if nothing refers to it.
	Number int `yaml:"number,omitempty"`
	// Life has a letter per step: the pod's stage from that step to the next. See Stage.
	Life string `yaml:"life"`
}

// Mark is something that happened beside the lanes.
type Mark struct {
	// Step at which it happened; -1 if before the first.
	Step int `yaml:"step"`
	// At is when, from the moment.
	At   time.Duration `yaml:"at"`
	Text string        `yaml:"text"`
}

// Stage is a pod's stage of life, as a letter of Lane.Life.
type Stage byte

// The stages, in the order of a life.
const (
	Absent      Stage = '_'
	Pending     Stage = 'p'
	Running     Stage = 'r' // not Ready
	Ready       Stage = 'R' // not yet available
	Available   Stage = 'A'
	Terminating Stage = 't'
	Ended       Stage = 'e' // failed or succeeded
)

// looks says how each stage is drawn and called. The ASCII characters read alike.
func looks() []look {
	return []look{
		{Absent, ' ', ' ', ""},
		{Pending, '·', '.', "pending"},
		{Running, '░', '-', "running not Ready"},
		{Ready, '▒', '=', "Ready"},
		{Available, '█', '#', "available"},
		{Terminating, '╳', 'x', "terminating"},
		{Ended, '!', '!', "failed or ended"},
	}
}

// Stages returns all stages, in the order of a life.
func Stages() []Stage {
	var all []Stage
	for _, look := range looks() {
		all = append(all, look.stage)
	}
	return all
}

// String is the stage as the legend calls it; empty for Absent.
func (s Stage) String() string {
	for _, look := range looks() {
		if look.stage == s {
			return look.name
		}
	}
	return fmt.Sprintf("unknown stage %q", byte(s))
}

type look struct {
	stage        Stage
	block, ascii rune
	name         string
}

func (l look) rune(unicode bool) rune {
	if unicode {
		return l.block
	}
	return l.ascii
}

// Check fails for a picture that cannot be drawn, such as one from a report that somebody edited.
func (p *Picture) Check() error {
	if p.Moment < 0 || p.Moment >= len(p.Steps) {
		return fmt.Errorf("the picture's moment is step %d of %d", p.Moment, len(p.Steps))
	}
	for _, node := range p.Nodes {
		for _, lane := range node.Lanes {
			if len(lane.Life) != len(p.Steps) {
				return fmt.Errorf("the life of pod %s has %d steps, the picture %d", lane.Pod, len(lane.Life), len(p.Steps))
			}
			for i := range len(lane.Life) {
				if !strings.ContainsRune(letters(), rune(lane.Life[i])) {
					return fmt.Errorf("the life of pod %s has an unknown stage %q: want one of %s", lane.Pod, lane.Life[i], letters())
				}
			}
		}
	}
	for _, mark := range p.Marks {
		if mark.Step < -1 || mark.Step >= len(p.Steps) {
			return fmt.Errorf("mark %q is at step %d of %d", mark.Text, mark.Step, len(p.Steps))
		}
	}
	if len(p.Nodes) == 0 {
		return errors.New("the picture has no node")
	}
	return nil
}

func letters() string {
	var all strings.Builder
	for _, look := range looks() {
		all.WriteByte(byte(look.stage))
	}
	return all.String()
}
