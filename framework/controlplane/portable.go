package controlplane

import (
	"encoding/json"
	"path/filepath"
	"time"
)

// Portable is what another cache folder holds so that Ensure finds the same programs there without building them. Paths are relative to that folder.
type Portable struct {
	// Programs are files of this machine, by where they belong. They are to be executable, and of the time that Portable was given.
	Programs map[string]string
	// Records are the contents of the files beside them.
	Records map[string][]byte
	// Links are symbolic links, with what they lead to.
	Links map[string]string
}

// Portable returns what the cache folder at that path, of another file system, holds if its files are of that time.
func (b Binaries) Portable(cache string, at time.Time) (Portable, error) {
	here := filepath.Dir(filepath.Dir(b.Dir))
	made := Portable{Programs: map[string]string{}, Records: map[string][]byte{}, Links: map[string]string{}}
	for name, program := range b.paths {
		place, err := filepath.Rel(here, program)
		if err != nil {
			return Portable{}, err
		}
		recorded := readRecord(program)
		recorded.ModTime = at.UTC()
		text, err := json.Marshal(recorded)
		if err != nil {
			return Portable{}, err
		}
		made.Programs[place], made.Records[recordPath(place)] = program, text
		made.Links[filepath.Join("bin", filepath.Base(b.Dir), name)] = filepath.Join(cache, place)
	}
	return made, nil
}
