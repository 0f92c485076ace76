package html

import (
	"html/template"
	"io/fs"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports/picture"
)

// Assets are what every page holds: its style, its script, and what the script knows of pictures.
type Assets struct {
	Style  template.CSS
	Script template.JS
	// Stages are the names of the stages by their letters, in the order of a life.
	Stages []stage
}

type stage struct {
	Letter string `json:"letter"`
	Name   string `json:"name"`
}

func load() Assets {
	assets := Assets{Style: template.CSS(joined("style")), Script: template.JS("'use strict';\n" + joined("script"))}
	for _, s := range picture.Stages() {
		if s != picture.Absent {
			assets.Stages = append(assets.Stages, stage{Letter: string(s), Name: s.String()})
		}
	}
	return assets
}

// joined returns the embedded files of a folder, in the order of their names.
func joined(folder string) string {
	var text strings.Builder
	// An embedded folder is always there: what is missing does not compile.
	entries, _ := fs.ReadDir(files, folder)
	for _, entry := range entries {
		content, _ := fs.ReadFile(files, folder+"/"+entry.Name())
		text.Write(content)
	}
	return text.String()
}
