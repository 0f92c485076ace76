package stress

import (
	"embed"
	"fmt"

	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

// The corpus: schedules that bring about situations that other specs do not, a file each. Its first line says which.
//
//go:embed corpus/*.txt
var corpusFiles embed.FS

// corpus returns the schedules of the corpus, by the names of their files.
func corpus() []schedule.Schedule {
	entries, err := corpusFiles.ReadDir("corpus")
	if err != nil {
		panic(err) // it is part of the program
	}
	var all []schedule.Schedule
	for _, entry := range entries {
		text, err := corpusFiles.ReadFile("corpus/" + entry.Name())
		if err != nil {
			panic(err)
		}
		s, err := schedule.Parse(string(text), schedule.Levers())
		if err != nil {
			panic(fmt.Sprintf("corpus/%s: %v", entry.Name(), err))
		}
		all = append(all, s)
	}
	return all
}
