package main

import (
	"context"
	"fmt"
	"os/exec"
	"path"
	"runtime"
	"strings"

	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// builtByName are the images whose archives kind takes by their names; all other images travel in the last one's.
var builtByName = []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy"}

// images returns the image for every name that a node asks for before it has a network: the control plane's as kubeadm names them, and those that
// kind wants to have.
func (n nodeImage) images(ctx context.Context) (map[string]v1.Image, error) {
	output, err := exec.CommandContext(ctx, n.programs.Path("kubeadm"), "config", "images", "list", "--kubernetes-version", n.programs.KubernetesVersion).Output()
	if err != nil {
		return nil, fmt.Errorf("asking kubeadm for the images it needs: %w", err)
	}
	var wanted []string
	for _, name := range strings.Fields(string(output)) {
		if baseName(name) != "pause" { // containerd decides on that
			wanted = append(wanted, name)
		}
	}
	pause, err := n.kind.pauseImage()
	if err != nil {
		return nil, err
	}
	addOns, err := n.kind.addOnImages()
	if err != nil {
		return nil, err
	}
	images := map[string]v1.Image{}
	for _, name := range append(append(wanted, pause), addOns...) {
		if images[name], err = n.image(baseName(name)); err != nil {
			return nil, fmt.Errorf("making the image %s: %w", name, err)
		}
	}
	return images, nil
}

// baseName of an image is the last part of its name, without the tag.
func baseName(name string) string {
	base, _, _ := strings.Cut(path.Base(name), ":")
	return base
}

// image makes one image. No image is built on another: a static program needs no Linux around it.
func (n nodeImage) image(name string) (v1.Image, error) {
	config := v1.Config{Env: []string{"PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}}
	var entries []entry
	var below []v1.Layer
	switch name {
	case "kube-proxy":
		root, err := layerFromFile(n.proxyRoot)
		if err != nil {
			return nil, err
		}
		below = append(below, root)
		entries = append(entries, executable("usr/local/bin/kube-proxy", n.programs.Path(name)), executable("usr/local/bin/choose-iptables", n.programs.iptables))
		// In a folder that comes first in PATH: Debian's own are links that only its package scripts would make.
		for _, tool := range []string{"iptables", "ip6tables"} {
			for _, suffix := range []string{"", "-save", "-restore"} {
				entries = append(entries, symlink("usr/local/bin/"+tool+suffix, "choose-iptables"))
			}
		}
	case "kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd":
		entries = append(entries, executable("usr/local/bin/"+name, n.programs.Path(name)))
	case "coredns":
		entries = append(entries, executable("coredns", n.programs.Path(name)))
		config.Entrypoint = []string{"/coredns"}
	case "pause":
		entries = append(entries, executable("pause", n.programs.pause))
		config.Entrypoint = []string{"/pause"}
	case "kindnetd", "local-path-provisioner", "local-path-helper":
		// Nothing here uses kind's network or storage add-on. Their pods may exist; they do nothing.
		entries = append(entries, executable("usr/local/bin/"+name, n.programs.pause))
		config.Entrypoint = []string{"/usr/local/bin/" + name}
	default:
		return nil, fmt.Errorf("nothing is known about %s: kubeadm or kind asks for more than it used to", name)
	}
	top, err := layer(entries...)
	if err != nil {
		return nil, err
	}
	return image(runtime.GOARCH, config, append(below, top)...)
}
