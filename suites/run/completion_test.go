package run

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWordsAreCompleted(t *testing.T) {
	for name, row := range map[string]struct {
		words []string
		want  []string
		not   string
		files bool
	}{
		"a command":               {[]string{"ju"}, []string{"judge"}, "run", false},
		"any command":             {[]string{""}, []string{"run", "judge", "completion"}, "__complete", false},
		"a flag":                  {[]string{"run", "-pro"}, []string{"-provider", "-procs"}, "-focus", false},
		"a flag with two dashes":  {[]string{"run", "--pro"}, []string{"--provider"}, "-provider", false},
		"a flag of another":       {[]string{"judge", "-pro"}, nil, "-provider", false},
		"a value":                 {[]string{"run", "-provider="}, []string{"embedded", "kind", "existing"}, "", false},
		"a value in a word":       {[]string{"run", "-provider", "em"}, []string{"embedded"}, "kind", false},
		"behind a switch":         {[]string{"judge", "-v", ""}, nil, "true", true},
		"a family":                {[]string{"run", "-focus=SU"}, []string{"SURGE"}, "SURGE-001", false},
		"a requirement":           {[]string{"run", "-focus", "SURGE-00"}, []string{"SURGE-001"}, "SURGE-010", false},
		"one of several":          {[]string{"run", "-focus=SURGE-002,AV"}, []string{"SURGE-002,AVAIL"}, "AVAIL", false},
		"what to explain":         {[]string{"explain", "PDB-00"}, []string{"PDB-001"}, "PDBAPI-001", false},
		"a shipped one, or yours": {[]string{"run", "-implementation="}, []string{"reference", "kube-controller-manager"}, "", true},
		"a format of show":        {[]string{"show", "-format="}, []string{"trace"}, "junit", false},
		"a format of report":      {[]string{"report", "-format="}, []string{"junit"}, "trace", false},
		"a shell":                 {[]string{"completion", ""}, []string{"bash", "fish", "zsh"}, "", false},
		"a schema":                {[]string{"schema", ""}, []string{"events", "implementation", "report"}, "", false},
		"a recording":             {[]string{"judge", "_art"}, nil, "", true},
		"nothing more":            {[]string{"version", ""}, nil, "", false},
		"no such command":         {[]string{"runn", ""}, nil, "", false},
		"no such flag":            {[]string{"run", "-providr="}, nil, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			answer := complete(row.words)
			var words []string
			for _, candidate := range answer.candidates {
				word, _, _ := strings.Cut(candidate, "\t")
				words = append(words, word)
			}
			for _, want := range row.want {
				if !slices.Contains(words, want) {
					t.Errorf("want %s in %q", want, words)
				}
			}
			if row.want == nil && len(words) > 0 || row.not != "" && slices.Contains(words, row.not) {
				t.Errorf("got %q", words)
			}
			if offered := answer.directive == files.directive; offered != row.files {
				t.Errorf("files are offered: %v", offered)
			}
		})
	}
}

// TestBashCompletes asks bash itself, which asks a program that answers as this one does.
func TestBashCompletes(t *testing.T) {
	const library = "/usr/share/bash-completion/bash_completion"
	if _, err := os.Stat(library); err != nil {
		t.Skip("the package bash-completion is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	if err := os.Symlink(self, filepath.Join(folder, "rollcall")); err != nil {
		t.Fatal(err)
	}
	for line, want := range map[string]string{
		"rollcall jud":                        "judge",
		"rollcall run -provider=em":           "embedded",
		"rollcall run -provider em":           "embedded",
		"rollcall run -fo":                    "-focus",
		"rollcall run -focus=SURGE-002,AVA":   `SURGE-002\,AVAIL`,
		"rollcall show -format tr":            "trace",
		"rollcall explain DRAIN-00":           "DRAIN-001",
		"rollcall run -on-exit=restart -fail": "-failed-in",
	} {
		script := `source ` + library + `; source <(rollcall completion bash)
COMP_LINE=$1 COMP_POINT=${#1} COMP_TYPE=9; eval "COMP_WORDS=($(sed 's/=/ = /g' <<< "$1"))"; COMP_CWORD=$((${#COMP_WORDS[@]}-1))
__start_rollcall; printf '%s\n' "${COMPREPLY[@]}"`
		command := exec.CommandContext(t.Context(), "bash", "--norc", "-c", script, "bash", line)
		command.Env = append(os.Environ(), "PATH="+folder+":"+os.Getenv("PATH"), asCommand+"=1")
		// Its standard error has that compopt is called outside of a completion.
		said, err := command.Output()
		words := strings.Fields(string(said))
		if err != nil || len(words) == 0 || words[0] != want {
			t.Errorf("%s: want %s, got %v:\n%s", line, want, err, said)
		}
	}
}

// asCommand has the test program be rollcall.
const asCommand = "ROLLCALL_TEST_AS_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(Main(os.Args))
	}
	os.Exit(m.Run())
}
