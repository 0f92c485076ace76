package html

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/rollcall-conformance/rollcall/reports"
	"github.com/rollcall-conformance/rollcall/reports/paragraph"
)

//go:embed templates style script
var files embed.FS

// Write writes the report as a page. Links to recordings are relative to the report's folder, which is where the page belongs.
func Write(out io.Writer, report *reports.ConformanceReport) error {
	return execute(out, "report", pageOf(report))
}

// WriteRecording writes a recording as a page.
func WriteRecording(out io.Writer, recording *reports.Recording) error {
	return execute(out, "recording", recordingPage{Recording: recording, Assets: load()})
}

func execute(out io.Writer, name string, page any) error {
	templates, err := template.New("").Funcs(functions()).ParseFS(files, "templates/*.tmpl")
	if err != nil {
		return fmt.Errorf("read the page's templates: %w", err)
	}
	var text strings.Builder
	if err := templates.ExecuteTemplate(&text, name, page); err != nil {
		return fmt.Errorf("make the page: %w", err)
	}
	// No text may turn the direction of what stands beside it.
	if _, err := io.WriteString(out, paragraph.Printable(text.String())); err != nil {
		return fmt.Errorf("write the page: %w", err)
	}
	return nil
}
