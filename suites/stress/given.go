package stress

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/rollcall-conformance/rollcall/framework/schedule"
)

// FolderVariable is the environment variable that names a folder of schedules, each of which is a spec, too: see `rollcall explore`.
const FolderVariable = "ROLLCALL_SCHEDULES"

// Exploring begins the text of such a spec; the name of the file, without its extension, ends it.
const Exploring = "explores schedule "

// Extension is that of a schedule's file.
const Extension = ".txt"

// Given returns the schedules of the folder that the environment names, by name; none if it names none.
func Given() (map[string]schedule.Schedule, error) {
	folder := os.Getenv(FolderVariable)
	if folder == "" {
		return nil, nil
	}
	paths, err := filepath.Glob(filepath.Join(folder, "*"+Extension))
	if err != nil {
		return nil, err
	}
	given := map[string]schedule.Schedule{}
	for _, path := range paths {
		s, err := Read(path)
		if err != nil {
			return nil, err
		}
		given[strings.TrimSuffix(filepath.Base(path), Extension)] = s
	}
	return given, nil
}

// Read reads a schedule from a file.
func Read(path string) (schedule.Schedule, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return schedule.Schedule{}, fmt.Errorf("read schedule: %w", err)
	}
	s, err := schedule.Parse(string(text), schedule.Levers())
	if err != nil {
		return schedule.Schedule{}, fmt.Errorf("read schedule %s: %w", path, err)
	}
	return s, nil
}

// lines is the schedule for a reader of its recording.
func lines(s schedule.Schedule) []string { return strings.Split(strings.TrimSpace(s.String()), "\n") }
