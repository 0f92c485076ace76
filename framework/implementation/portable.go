package implementation

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"go.yaml.in/yaml/v3"

	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

// PortableProgram is the name of the program beside a Portable's file.
const PortableProgram = "program"

// Portable is an implementation that runs as a process on another machine, without Go and without the files that its own file names.
type Portable struct {
	// Text is that of the implementation file.
	Text []byte
	// Beside are the files for the folder of the implementation file, by their names.
	Beside map[string][]byte
	// Executable is the program's path on this machine; it belongs into the same folder as PortableProgram. Empty if it is a control-plane program.
	Executable string
}

// MakePortable builds the process of the implementation that Load finds under the name or path, for the system and architecture of this machine. An implementation
// file without launch.process is an error.
func MakePortable(ctx context.Context, nameOrPath string, catalogue *requirements.Catalogue, options BuildOptions) (Portable, error) {
	found, err := open(nameOrPath)
	if err != nil {
		return Portable{}, err
	}
	tested, err := decode(found.file, found.text, found.folder, catalogue, found.manifest)
	if err != nil {
		return Portable{}, err
	}
	process := tested.Launch.Process
	if process == nil {
		return Portable{}, fmt.Errorf("%s: spec.launch has no process, which is what runs beside a control plane without nodes: add one", found.file)
	}
	options.Machines, options.Pull, options.Static = false, false, true
	built, err := tested.Build(ctx, options)
	if err != nil {
		return Portable{}, err
	}
	made := Portable{Beside: map[string][]byte{}, Executable: built.Executable}
	if process.GoPackage == "" && filepath.Dir(built.Executable) == filepath.Clean(options.BinDir) {
		made.Executable = ""
	}
	if made.Text, err = made.rewrite(found.text, process.Manifests); err != nil {
		return Portable{}, fmt.Errorf("%s: %w", found.file, err)
	}
	_, err = decode(found.file, made.Text, "/", catalogue, func(name string) ([]byte, error) {
		content, there := made.Beside[name]
		if !there {
			return nil, os.ErrNotExist
		}
		return content, nil
	})
	return made, err
}

// rewrite returns the text of an implementation file with a process alone, which names nothing but what is beside it.
func (p Portable) rewrite(text []byte, manifests []Manifest) ([]byte, error) {
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		return nil, err
	}
	launch := valueOf(valueOf(document.Content[0], "spec"), "launch")
	process := valueOf(launch, "process")
	removeKey(launch, "image")
	if p.Executable != "" {
		removeKey(process, "goPackage")
		removeKey(process, "executable")
		addKey(process, "executable", &yaml.Node{Kind: yaml.ScalarNode, Value: "./" + PortableProgram})
	}
	names := &yaml.Node{Kind: yaml.SequenceNode}
	for n, manifest := range manifests {
		name := fmt.Sprintf("manifest-%d.yaml", n+1)
		p.Beside[name] = manifest.Content
		names.Content = append(names.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: name})
	}
	removeKey(process, "manifests")
	if len(manifests) > 0 {
		addKey(process, "manifests", names)
	}
	var rewritten bytes.Buffer
	err := yaml.NewEncoder(&rewritten).Encode(&document)
	return rewritten.Bytes(), err
}

// valueOf returns what a mapping has under a key; nil if it has nothing.
func valueOf(mapping *yaml.Node, key string) *yaml.Node {
	if i := placeOf(mapping, key); i >= 0 {
		return target(mapping.Content[i+1])
	}
	return nil
}

func removeKey(mapping *yaml.Node, key string) {
	if i := placeOf(mapping, key); i >= 0 {
		mapping.Content = append(mapping.Content[:i], mapping.Content[i+2:]...)
	}
}

func addKey(mapping *yaml.Node, key string, value *yaml.Node) {
	mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Value: key}, value)
}

func placeOf(mapping *yaml.Node, key string) int {
	for i := 0; i < len(mapping.Content); i += 2 {
		if mapping.Content[i].Value == key {
			return i
		}
	}
	return -1
}
