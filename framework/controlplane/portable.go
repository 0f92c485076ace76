package controlplane

import (
	"encoding/json"
	"path/filepath"
	"time"
)

// Portable is the content of a cache folder in which Ensure finds the same programs without building them. Paths are relative to that folder.
type Portable struct {
	// Programs are files of this machine, by their paths in the folder. There they must be executable and have the modification time that Portable was given.
	Programs map[string]string
	// Records are the contents of the build records beside the programs.
	Records map[string][]byte
	// Links are the targets of symbolic links.
	Links map[string]string
}

// Portable returns the content of a cache folder that will be at that path, in another file system, with files of that modification time.
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
