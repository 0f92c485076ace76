package implementation

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Variables lists what may stand as ${NAME} in a process's arguments, environment and addresses:
//
//	${KUBECONFIG}  the kubeconfig file of the implementation's user
//	${PORT}        a free port of 127.0.0.1, chosen for each launch and kept over restarts
//	${METRICS_PORT}  another one
//	${RUN_DIR}     a folder for whatever the process writes, its working directory
//	${BIN_DIR}     the folder of the control-plane programs
func Variables() []string {
	return []string{"KUBECONFIG", "PORT", "METRICS_PORT", "RUN_DIR", "BIN_DIR"}
}

var variablePattern = regexp.MustCompile(`\$\{[^}]*\}?`)

// variables is a check that a text contains no variable but these, written as in the text.
func (r *reader) variables(allowed []string) func(*yaml.Node, string) {
	return func(node *yaml.Node, value string) {
		for _, found := range variablePattern.FindAllString(value, -1) {
			if !slices.Contains(allowed, found) {
				r.reject(node, "unknown variable %s: allowed are %s", found, strings.Join(allowed, ", "))
			}
		}
	}
}

// expand replaces variables by their values; a file that was read contains no others.
func expand(text string, values map[string]string) string {
	return variablePattern.ReplaceAllStringFunc(text, func(found string) string {
		return values[strings.Trim(found, "${}")]
	})
}

func launchVariables() []string {
	var written []string
	for _, name := range Variables() {
		written = append(written, "${"+name+"}")
	}
	return written
}

// launch reads the ways to launch: process, image or both, or none alone.
func (r *reader) launch(into *LaunchSpec, folder string, open func(string) ([]byte, error)) func(*yaml.Node) {
	return func(node *yaml.Node) {
		none := false
		before := len(r.problems)
		r.mapping(node, "spec.launch",
			field{"process", false, r.process(into, folder, open)},
			field{"image", false, r.image(into, folder, open)},
			field{"gates", false, r.gates(&into.Gates)},
			field{"none", false, func(node *yaml.Node) {
				none = true
				r.mapping(node, "spec.launch.none")
			}},
		)
		launched := into.Process != nil || into.Image != nil
		switch {
		case none && (launched || into.Gates != nil):
			r.reject(node, "spec.launch.none says that others launch the implementation: leave it out, or process, image and gates")
		case !none && !launched && len(r.problems) == before:
			r.reject(node, "spec.launch says no way to launch: give process, image or both, or none if the implementation runs already")
		}
	}
}

// gates reads how feature gates are switched.
func (r *reader) gates(into *map[string]string) func(*yaml.Node) {
	const at = "spec.launch.gates"
	known := r.variables([]string{gateVariable})
	return func(node *yaml.Node) {
		*into = map[string]string{}
		var fields []field
		for _, gate := range Gates() {
			fields = append(fields, field{gate, false, func(node *yaml.Node) {
				var arg string
				r.checked(at+"."+gate, &arg, func(node *yaml.Node, value string) {
					known(node, value)
					if !strings.HasPrefix(value, "-") || !strings.Contains(value, gateVariable) {
						r.reject(node, "%s.%s %q is not an argument that switches it: write one like --feature-gates=%s=%s", at, gate, value, gate, gateVariable)
					}
				})(node)
				(*into)[gate] = arg
			}})
		}
		r.mapping(node, at, fields...)
	}
}

func (r *reader) process(into *LaunchSpec, folder string, open func(string) ([]byte, error)) func(*yaml.Node) {
	const at = "spec.launch.process"
	return func(node *yaml.Node) {
		p := &ProcessSpec{folder: folder}
		into.Process = p
		known := r.variables(launchVariables())
		address := func(at string) func(*yaml.Node, string) {
			return func(node *yaml.Node, value string) {
				known(node, value)
				// A variable is no valid part of an address: any number does for the check.
				r.address(at)(node, variablePattern.ReplaceAllString(value, "1"))
			}
		}
		r.mapping(node, at,
			field{"goPackage", false, r.checked(at+".goPackage", &p.GoPackage, r.goPackage(at+".goPackage", folder))},
			field{"executable", false, r.text(at+".executable", &p.Executable)},
			field{"args", false, r.texts(at+".args", &p.Args, known)},
			field{"electionArgs", false, r.texts(at+".electionArgs", &p.ElectionArgs, func(node *yaml.Node, value string) {
				r.variables(nil)(node, value)
				if !strings.HasPrefix(value, "--") || !strings.Contains(value, "=") {
					r.reject(node, "%s.electionArgs %q is not an argument of the form --flag=value", at, value)
				}
			})},
			field{"env", false, r.textMap(at+".env", &p.Env, known)},
			field{"ready", false, func(node *yaml.Node) {
				r.mapping(node, at+".ready",
					field{"url", true, r.checked(at+".ready.url", &p.ReadyURL, address(at+".ready.url"))},
					field{"contains", false, r.text(at+".ready.contains", &p.ReadyText)},
					field{"timeout", false, r.duration(at+".ready.timeout", &p.ReadyTimeout)},
				)
			}},
			field{"metrics", false, func(node *yaml.Node) {
				r.mapping(node, at+".metrics", field{"url", true, r.checked(at+".metrics.url", &p.MetricsURL, address(at+".metrics.url"))})
			}},
			field{"user", false, func(node *yaml.Node) {
				r.mapping(node, at+".user",
					field{"name", true, r.text(at+".user.name", &p.User.Name)},
					field{"groups", false, r.texts(at+".user.groups", &p.User.Groups, nil)},
				)
			}},
			field{"manifests", false, r.manifests(at+".manifests", &p.Manifests, open)},
		)
		if (p.GoPackage == "") == (p.Executable == "") {
			r.reject(node, "%s must have exactly one of goPackage and executable", at)
		}
	}
}

// goPackage is a check that a main package can be found from where the file is. Where an import path leads only the go command knows.
func (r *reader) goPackage(where, folder string) func(*yaml.Node, string) {
	return func(node *yaml.Node, value string) {
		if !strings.HasPrefix(value, ".") {
			return
		}
		if folder == "" {
			r.reject(node, "%s %q: a shipped file is in no folder, use an import path", where, value)
			return
		}
		if r.program == nil {
			return
		}
		if err := r.program(absolute(folder, value)); err != nil {
			r.reject(node, "%s %q: %v", where, value, err)
		}
	}
}

// manifests reads a list of paths, and the files.
func (r *reader) manifests(where string, into *[]Manifest, open func(string) ([]byte, error)) func(*yaml.Node) {
	var paths []string
	return r.texts(where, &paths, func(node *yaml.Node, value string) {
		content, err := open(value)
		if err == nil {
			_, err = objects(content)
		}
		if err != nil {
			r.reject(node, "manifest %s: %v", value, err)
		}
		*into = append(*into, Manifest{Path: value, Content: content})
	})
}

func (r *reader) duration(where string, into *time.Duration) func(*yaml.Node) {
	return func(node *yaml.Node) {
		var value string
		r.text(where, &value)(node)
		if value == "" {
			return
		}
		parsed, err := time.ParseDuration(value)
		if err != nil || parsed <= 0 {
			r.reject(node, "%s %q is not a length of time: write 90s or 2m", where, value)
			return
		}
		*into = parsed
	}
}
