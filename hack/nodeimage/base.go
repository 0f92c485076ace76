package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// baseImage is what kind builds a node image on: Debian, kind's own files, a container runtime and network plugins.
func (n nodeImage) baseImage(ctx context.Context, labels map[string]string) (v1.Image, error) {
	debian, err := layerFromFile(n.nodeRoot)
	if err != nil {
		return nil, err
	}
	entries, err := kindEntries(n.kind)
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"containerd", "ctr", "containerd-shim-runc-v2"} {
		entries = append(entries, executable("usr/local/bin/"+name, n.programs.Path(name)))
	}
	for _, plugin := range []string{"host-local", "loopback", "ptp", "portmap", "bridge"} {
		entries = append(entries, symlink("opt/cni/bin/"+plugin, "/usr/lib/cni/"+plugin))
	}
	specification, err := containerSpecification(ctx, n.programs.Path("ctr"))
	if err != nil {
		return nil, err
	}
	entries = append(entries,
		textFile("etc/containerd/cri-base.json", specification),
		folder("etc/kubernetes/manifests"),
		folder("etc/cni/net.d"),
		// It would register things with the kernel, for the whole machine.
		symlink("etc/systemd/system/systemd-binfmt.service", "/dev/null"),
	)
	kinds, err := layer(entries...)
	if err != nil {
		return nil, err
	}
	return image(runtime.GOARCH, v1.Config{
		Env:        []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "container=docker"},
		Entrypoint: []string{"/usr/local/bin/entrypoint", "/sbin/init"},
		StopSignal: "SIGRTMIN+3", // upon SIGTERM systemd executes itself anew
		Labels:     labels,
	}, debian, kinds)
}

var wantedBy = regexp.MustCompile(`(?m)^WantedBy=(\S+)`)

// kindEntries are the files of kind's base image, and the links by which systemd starts the services among them.
func kindEntries(kind kindModule) ([]entry, error) {
	var entries []entry
	base := kind.baseFiles()
	err := filepath.WalkDir(base, func(file string, item fs.DirEntry, err error) error {
		if err != nil || item.IsDir() {
			return err
		}
		name, err := filepath.Rel(base, file)
		if err != nil {
			return err
		}
		contents, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		e := textFile(name, contents)
		if path.Base(path.Dir(name)) == "bin" { // the module cache does not know what may be executed
			e.mode = 0o755
		}
		entries = append(entries, e)
		switch unit := path.Base(name); unit {
		case "kubelet.service", "containerd.service", "undo-mount-hacks.service":
			target := wantedBy.FindSubmatch(contents)
			if target == nil {
				return fmt.Errorf("%s does not say what wants it", file)
			}
			entries = append(entries, symlink(fmt.Sprintf("etc/systemd/system/%s.wants/%s", target[1], unit), "/"+name))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("collecting the files of kind's base image: %w", err)
	}
	return entries, nil
}

// containerSpecification is what every container in a node starts out from. kind hooks a script into it that hides the machine's hardware.
func containerSpecification(ctx context.Context, ctr string) ([]byte, error) {
	output, err := exec.CommandContext(ctx, ctr, "oci", "spec").Output()
	if err != nil {
		return nil, fmt.Errorf("ctr oci spec: %w", err)
	}
	decoder := json.NewDecoder(bytes.NewReader(output))
	decoder.UseNumber()
	var specification map[string]any
	if err := decoder.Decode(&specification); err != nil {
		return nil, fmt.Errorf("ctr oci spec: %w", err)
	}
	process, found := specification["process"].(map[string]any)
	if !found {
		return nil, errors.New("ctr oci spec: it has no process: " + strings.TrimSpace(string(output)))
	}
	delete(process, "rlimits")
	specification["hooks"] = map[string]any{"createContainer": []any{map[string]any{"path": "/kind/bin/mount-product-files.sh"}}}
	return json.Marshal(specification)
}
