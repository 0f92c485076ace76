package rollcalltest

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

// writeImplementation writes the implementation file of the test's program into a folder, and returns its path. Whether what it says is allowed is for `rollcall run` to
// say.
func (o Options) writeImplementation(dir, test string) (string, error) {
	program, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find the test's program: %w", err)
	}
	folder, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("find the test's folder: %w", err)
	}
	process := map[string]any{
		"executable": program,
		"args":       append([]string{"-test.run=" + only(test), "-test.timeout=0"}, ownFlags()...),
		"env": map[string]string{
			kubeconfigVariable: "${KUBECONFIG}", addressVariable: "127.0.0.1:${PORT}", folderVariable: folder,
		},
		"ready": map[string]string{"url": "http://127.0.0.1:${PORT}" + readyPath},
	}
	if o.User != "" {
		process["user"] = map[string]any{"name": o.User, "groups": append([]string{}, o.Groups...)}
	}
	if len(o.Manifests) > 0 {
		var paths []string
		for _, path := range o.Manifests {
			if !filepath.IsAbs(path) {
				path = filepath.Join(folder, path)
			}
			paths = append(paths, path)
		}
		process["manifests"] = paths
	}
	spec := map[string]any{"features": o.Features, "launch": map[string]any{"process": process}}
	if len(o.Replaces) > 0 {
		spec["replaces"] = o.Replaces
	}
	text, err := yaml.Marshal(map[string]any{
		"apiVersion": "rollcall.dev/v1alpha1", "kind": "Implementation", "metadata": map[string]any{"name": o.Name}, "spec": spec,
	})
	if err != nil {
		return "", fmt.Errorf("write the implementation file: %w", err)
	}
	path := filepath.Join(dir, "implementation.yaml")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		return "", fmt.Errorf("write the implementation file: %w", err)
	}
	return path, nil
}

// only is the -test.run pattern that the test of this name alone matches, or the subtest.
func only(test string) string {
	parts := strings.Split(test, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}

// ownFlags are the flags that were given to the test's program and are not those of package testing: the test may need them to reach Run.
func ownFlags() []string {
	var given []string
	flag.Visit(func(f *flag.Flag) {
		if !strings.HasPrefix(f.Name, "test.") {
			given = append(given, "-"+f.Name+"="+f.Value.String())
		}
	})
	return given
}
