package requirements

import (
	"strings"
	"testing"
	"testing/fstest"
)

// soundRow is valid; the cases below each spoil one thing in it.
const soundRow = `- id: API-001
  level: core
  feature: DaemonSet
  needs: apiserver
  sources: [S0 L47-88]
  statement: A zero is accepted.
  kubernetes: {behaviour: conforms}
`

func TestASoundFileLoads(t *testing.T) {
	c, err := load(fstest.MapFS{"catalogue/api.yaml": {Data: []byte(soundRow)}}, []string{"API"})
	if err != nil {
		t.Fatal(err)
	}
	r, ok := c.Get("API-001")
	if !ok || r.Statement != "A zero is accepted." || r.Sources[0] != "S0 L47-88" {
		t.Errorf("loaded %+v", r)
	}
}

func TestABadRowIsRefusedByFileRowAndReason(t *testing.T) {
	cases := map[string]struct {
		spoil func(string) string
		want  []string
	}{
		"unknown field":            {replace("statement:", "statment:"), []string{"api.yaml", "line 6", "statment"}},
		"field given twice":        {replace("level: core", "level: core\n  level: core"), []string{"api.yaml", "line 3", "level"}},
		"unknown level":            {replace("level: core", "level: cor"), []string{"api.yaml:1: API-001", `unknown level "cor"`, "core, extended, reference"}},
		"missing level":            {replace("  level: core\n", ""), []string{"API-001", `unknown level ""`}},
		"unknown feature":          {replace("DaemonSet", "Daemonset"), []string{"API-001", `unknown feature "Daemonset"`, "DaemonSet, Surge"}},
		"unknown need":             {replace("needs: apiserver", "needs: kubelets"), []string{"API-001", `unknown needs "kubelets"`}},
		"unknown behaviour":        {replace("conforms", "fails"), []string{"API-001", `unknown kubernetes behaviour "fails"`}},
		"unknown component":        {replace("conforms}", "differs, by: kubelet, note: No.}"), []string{"API-001", `unknown component of Kubernetes "kubelet"`, "API server"}},
		"component that conforms":  {replace("conforms}", "conforms, by: API server}"), []string{"API-001", "what breaks it, but Kubernetes conforms"}},
		"missing kubernetes":       {replace("  kubernetes: {behaviour: conforms}\n", ""), []string{"API-001", "kubernetes behaviour"}},
		"empty statement":          {replace("A zero is accepted.", `""`), []string{"API-001", "statement is empty"}},
		"statement without stop":   {replace("accepted.", "accepted"), []string{"API-001", "statement", "full stop"}},
		"reason without stop":      {replace("  feature", "  levelReason: Because\n  feature"), []string{"API-001", "levelReason", "full stop"}},
		"decision without stop":    {replace("  feature", "  decision: Both\n  feature"), []string{"API-001", "decision", "full stop"}},
		"note without stop":        {replace("conforms}", "conforms, note: yes it does}"), []string{"API-001", "kubernetes note", "full stop"}},
		"title that is a sentence": {replace("  level", "  title: It takes zero.\n  level"), []string{"API-001", "title", "short name"}},
		"title too long":           {replace("  level", "  title: "+strings.Repeat("long ", 13)+"\n  level"), []string{"API-001", "title", "short name"}},
		"no source, not inferred":  {replace("  sources: [S0 L47-88]\n", ""), []string{"API-001", "inferred: true"}},
		"inferred core, no reason": {replace("  feature", "  inferred: true\n  feature"), []string{"API-001", "levelReason"}},
		"document that is none":    {replace("S0 L47-88", "S5 L47"), []string{"API-001", "no document S5"}},
		"line beyond the document": {replace("S0 L47-88", "S0 L47-344"), []string{"API-001", "S0 has 343 lines"}},
		"lines backwards":          {replace("L47-88", "L88-47"), []string{"API-001", "before the first"}},
		"source of another form":   {replace("S0 L47-88", "S0 Summary"), []string{"API-001", "write it as S0 L47"}},
		"malformed id":             {replace("API-001", "API-1"), []string{"api.yaml:1: API-1", "malformed id"}},
		"missing id":               {replace("- id: API-001\n  level", "- level"), []string{"api.yaml:1: row 1", "malformed id"}},
		"id of another family":     {replace("API-001", "SURGE-001"), []string{"api.yaml:1: SURGE-001", "catalogue/surge.yaml"}},
		"id listed twice":          {func(row string) string { return row + row }, []string{"api.yaml:8: API-001", "twice"}},
		"ids out of order": {
			func(row string) string { return strings.Replace(row, "API-001", "API-002", 1) + row },
			[]string{"api.yaml:8: API-001", "after API-002"},
		},
		"second document": {func(row string) string { return row + "---\n" + row }, []string{"api.yaml", "more than one YAML document"}},
		"empty file":      {func(string) string { return "" }, []string{"api.yaml", "holds no requirement"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			spoilt := c.spoil(soundRow)
			if spoilt == soundRow {
				t.Fatal("the case spoils nothing")
			}
			_, err := load(fstest.MapFS{"catalogue/api.yaml": {Data: []byte(spoilt)}}, []string{"API"})
			if err == nil {
				t.Fatalf("accepted:\n%s", spoilt)
			}
			for _, part := range c.want {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("the error says\n%v\nwant it to say %q", err, part)
				}
			}
		})
	}
}

func replace(old, with string) func(string) string {
	return func(row string) string { return strings.Replace(row, old, with, 1) }
}

func TestEverythingWrongInAFileIsReportedAtOnce(t *testing.T) {
	first := strings.Replace(soundRow, "level: core", "level: cor", 1)
	second := strings.NewReplacer("API-001", "API-002", "accepted.", "accepted").Replace(soundRow)
	_, err := load(fstest.MapFS{"catalogue/api.yaml": {Data: []byte(first + second)}}, []string{"API"})
	for _, part := range []string{"api.yaml:1: API-001: unknown level", "api.yaml:8: API-002: statement"} {
		if err == nil || !strings.Contains(err.Error(), part) {
			t.Errorf("the error says\n%v\nwant it to say %q", err, part)
		}
	}
}

func TestAMissingFamilyFileIsRefused(t *testing.T) {
	_, err := load(fstest.MapFS{"catalogue/api.yaml": {Data: []byte(soundRow)}}, []string{"API", "AVAIL"})
	if err == nil || !strings.Contains(err.Error(), "family AVAIL") {
		t.Errorf("without a file for AVAIL the error is %v", err)
	}
}

func TestAFileOfNoFamilyIsRefused(t *testing.T) {
	files := fstest.MapFS{
		"catalogue/api.yaml":   {Data: []byte(soundRow)},
		"catalogue/avial.yaml": {Data: []byte(soundRow)},
	}
	_, err := load(files, []string{"API"})
	if err == nil || !strings.Contains(err.Error(), "catalogue/avial.yaml: no family AVIAL") {
		t.Errorf("with a file of no family the error is %v", err)
	}
}
