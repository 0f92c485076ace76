package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

// kindModule is kind's source, as the module cache has it.
type kindModule struct{ version, dir string }

func findKind(ctx context.Context) (kindModule, error) {
	output, err := exec.CommandContext(ctx, "go", "mod", "download", "sigs.k8s.io/kind").CombinedOutput()
	if err != nil {
		return kindModule{}, fmt.Errorf("fetching kind's module, which must happen inside rollcall's checkout: %w: %s", err, output)
	}
	output, err = exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Version}} {{.Dir}}", "sigs.k8s.io/kind").Output()
	if err != nil {
		return kindModule{}, fmt.Errorf("finding kind's module: %w", err)
	}
	version, dir, _ := strings.Cut(strings.TrimSpace(string(output)), " ")
	return kindModule{version: version, dir: dir}, nil
}

// baseFiles is the folder with the files that kind puts into its base image.
func (k kindModule) baseFiles() string { return filepath.Join(k.dir, "images", "base", "files") }

var (
	sandboxImage = regexp.MustCompile(`(?m)^\s*sandbox_image\s*=\s*"(\S+)"`)
	addOnImage   = regexp.MustCompile(`(?m)^const \w+Image = "(\S+)"`)
)

// pauseImage is the image that containerd in a node takes for a pod's first container.
func (k kindModule) pauseImage() (string, error) {
	path := filepath.Join(k.baseFiles(), "etc", "containerd", "config.toml")
	text, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	found := sandboxImage.FindSubmatch(text)
	if found == nil {
		return "", fmt.Errorf("no sandbox_image in %s: kind %s is made differently", path, k.version)
	}
	return string(found[1]), nil
}

// addOnImages are the images of kind's own network and storage add-ons. A node image must have them, or kind asks a registry.
func (k kindModule) addOnImages() ([]string, error) {
	var images []string
	for _, name := range []string{"const_cni.go", "const_storage.go"} {
		text, err := os.ReadFile(filepath.Join(k.dir, "pkg", "build", "nodeimage", name))
		if err != nil {
			return nil, err
		}
		for _, found := range addOnImage.FindAllSubmatch(text, -1) {
			images = append(images, string(found[1]))
		}
	}
	if len(images) == 0 {
		return nil, errors.New("found no images of add-ons in the source of kind " + k.version)
	}
	return images, nil
}
