package implementation

import (
	"cmp"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// reader walks a YAML document and collects whatever is wrong with it, each with its line, so that the user mends it in one go.
type reader struct {
	file     string
	problems []problem
	// outline lists what a file may hold, instead of reading one; nil otherwise.
	outline *outline
	// program says what is wrong with a folder as the main package that the file names; nil to look at none.
	program func(folder string) error
}

type problem struct {
	line int
	text string
}

// field is one key that a mapping may have.
type field struct {
	name     string
	required bool
	read     func(*yaml.Node)
}

func (r *reader) reject(node *yaml.Node, format string, args ...any) {
	r.problems = append(r.problems, problem{line: node.Line, text: fmt.Sprintf(format, args...)})
}

func (r *reader) err() error {
	slices.SortStableFunc(r.problems, func(a, b problem) int { return cmp.Compare(a.line, b.line) })
	var errs []error
	for _, p := range r.problems {
		errs = append(errs, fmt.Errorf("%s:%d: %s", r.file, p.line, p.text))
	}
	return errors.Join(errs...)
}

// document parses the text and returns its one document's root, or nil and a problem.
func (r *reader) document(text []byte) *yaml.Node {
	if r.outline != nil {
		return &yaml.Node{Kind: yaml.MappingNode}
	}
	decoder := yaml.NewDecoder(strings.NewReader(string(text)))
	var root yaml.Node
	if err := decoder.Decode(&root); err != nil {
		r.problems = append(r.problems, syntaxProblem(err))
		return nil
	}
	var second yaml.Node
	if decoder.Decode(&second) == nil {
		r.reject(&second, "a second document: an implementation file holds one")
		return nil
	}
	return root.Content[0]
}

// lineInError is where yaml keeps the line of a syntax error: in its text.
var lineInError = regexp.MustCompile(`^yaml: line (\d+): (.*)$`)

func syntaxProblem(err error) problem {
	if err.Error() == "EOF" {
		return problem{line: 1, text: "the file is empty"}
	}
	if parts := lineInError.FindStringSubmatch(err.Error()); parts != nil {
		line, convErr := strconv.Atoi(parts[1])
		if convErr == nil {
			return problem{line: line, text: "not YAML: " + parts[2]}
		}
	}
	return problem{line: 1, text: "not YAML: " + strings.TrimPrefix(err.Error(), "yaml: ")}
}

// mapping hands the value of every key to its field. Keys without a field, keys given twice and required keys not given are problems.
// where is the path to the mapping; empty for the root.
func (r *reader) mapping(node *yaml.Node, where string, fields ...field) {
	if r.outline != nil {
		r.outline.mapping(where, fields)
		return
	}
	node = target(node)
	if node.Kind != yaml.MappingNode {
		r.reject(node, "%s must be a mapping with the fields %s", place(where), names(fields))
		return
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		at := slices.IndexFunc(fields, func(f field) bool { return f.name == key.Value })
		switch {
		case at < 0 && len(fields) == 0:
			r.reject(key, "unknown field %q in %s: it has no fields", key.Value, place(where))
		case at < 0:
			r.reject(key, "unknown field %q in %s: allowed are %s", key.Value, place(where), names(fields))
		case seen[key.Value]:
			r.reject(key, "field %q of %s is given twice", key.Value, place(where))
		case isNull(value):
			// Same as not given.
			continue
		default:
			fields[at].read(value)
		}
		seen[key.Value] = true
	}
	for _, f := range fields {
		if f.required && !seen[f.name] {
			r.reject(node, "%s has no %s", place(where), f.name)
		}
	}
}

// text reads a string into the place given; other scalars are refused, since YAML may have changed them (1.10 into 1.1).
func (r *reader) text(where string, into *string) func(*yaml.Node) {
	return func(node *yaml.Node) {
		if r.outline != nil {
			r.outline.leaf(where, Text)
			return
		}
		node = target(node)
		if node.Kind != yaml.ScalarNode || node.Tag != "!!str" {
			r.reject(node, "%s must be text (put it in quotes)", where)
			return
		}
		if node.Value == "" {
			r.reject(node, "%s is empty", where)
			return
		}
		*into = node.Value
	}
}

// texts reads a list of strings, giving each also to check, if there is one.
func (r *reader) texts(where string, into *[]string, check func(node *yaml.Node, value string)) func(*yaml.Node) {
	return func(node *yaml.Node) {
		if r.outline != nil {
			r.outline.leaf(where, Texts)
			r.outline.probe(where, check)
			return
		}
		node = target(node)
		if node.Kind != yaml.SequenceNode {
			r.reject(node, "%s must be a list", where)
			return
		}
		for i, item := range node.Content {
			var value string
			r.text(fmt.Sprintf("%s[%d]", where, i), &value)(item)
			if value == "" {
				continue
			}
			if check != nil {
				check(item, value)
			}
			*into = append(*into, value)
		}
	}
}

// textMap reads a mapping from any key to a string.
func (r *reader) textMap(where string, into *map[string]string, check func(node *yaml.Node, value string)) func(*yaml.Node) {
	return func(node *yaml.Node) {
		if r.outline != nil {
			r.outline.leaf(where, TextMap)
			return
		}
		node = target(node)
		if node.Kind != yaml.MappingNode {
			r.reject(node, "%s must be a mapping", where)
			return
		}
		*into = map[string]string{}
		for i := 0; i+1 < len(node.Content); i += 2 {
			key, item := node.Content[i], node.Content[i+1]
			if _, twice := (*into)[key.Value]; twice {
				r.reject(key, "field %q of %s is given twice", key.Value, where)
				continue
			}
			var value string
			r.text(where+"."+key.Value, &value)(item)
			if check != nil && value != "" {
				check(item, value)
			}
			(*into)[key.Value] = value
		}
	}
}

// oneOf is a check for a closed list of values.
func (r *reader) oneOf(what string, allowed []string) func(*yaml.Node, string) {
	seen := map[string]bool{}
	return func(node *yaml.Node, value string) {
		if r.outline != nil {
			r.outline.allowed = allowed
			return
		}
		switch {
		case !slices.Contains(allowed, value):
			r.reject(node, "unknown %s %q: allowed are %s", what, value, strings.Join(allowed, ", "))
		case seen[value]:
			r.reject(node, "%s %s is given twice", what, value)
		}
		seen[value] = true
	}
}

// address is a check for web addresses.
func (r *reader) address(where string) func(*yaml.Node, string) {
	return func(node *yaml.Node, value string) {
		if parsed, err := url.Parse(value); err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
			r.reject(node, "%s %q is not an address: give one that begins with https:// or http://", where, value)
		}
	}
}

// checked reads a string and gives it to a check.
func (r *reader) checked(where string, into *string, check func(*yaml.Node, string)) func(*yaml.Node) {
	return func(node *yaml.Node) {
		var value string
		r.text(where, &value)(node)
		if r.outline != nil {
			r.outline.probe(where, check)
			return
		}
		if value != "" {
			check(node, value)
			*into = value
		}
	}
}

// target follows an alias to what it stands for.
func target(node *yaml.Node) *yaml.Node {
	if node.Kind == yaml.AliasNode {
		return node.Alias
	}
	return node
}

func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Tag == "!!null" }

func place(where string) string {
	if where == "" {
		return "the document"
	}
	return where
}

func names(fields []field) string {
	var all []string
	for _, f := range fields {
		all = append(all, f.name)
	}
	return strings.Join(all, ", ")
}
