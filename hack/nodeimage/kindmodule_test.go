package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestKindsSourceSaysWhatANodeImageMustHave(t *testing.T) {
	g := NewWithT(t)
	kind, err := findKind(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(kind.pauseImage()).To(ContainSubstring("/pause:"))
	addOns, err := kind.addOnImages()
	g.Expect(err).NotTo(HaveOccurred())
	var names []string
	for _, image := range addOns {
		names = append(names, baseName(image))
	}
	g.Expect(names).To(ConsistOf("kindnetd", "local-path-provisioner", "local-path-helper"))
}

func TestTheBaseImageStartsKindsServicesAndCanExecuteItsScripts(t *testing.T) {
	g := NewWithT(t)
	kind, err := findKind(t.Context())
	g.Expect(err).NotTo(HaveOccurred())
	entries, err := kindEntries(kind)
	g.Expect(err).NotTo(HaveOccurred())
	files := map[string]entry{}
	for _, e := range entries {
		files[e.path] = e
	}
	for _, unit := range []string{"kubelet.service", "containerd.service", "undo-mount-hacks.service"} {
		g.Expect(files).To(HaveKey("etc/systemd/system/" + unit))
		g.Expect(files["etc/systemd/system/multi-user.target.wants/"+unit].link).To(Equal("/etc/systemd/system/" + unit))
	}
	for _, script := range []string{"usr/local/bin/entrypoint", "kind/bin/mount-product-files.sh", "kind/bin/undo-mount-hacks.sh"} {
		g.Expect(files[script].mode).To(BeEquivalentTo(0o755), script)
	}
	g.Expect(files["etc/containerd/config.toml"].mode).To(BeEquivalentTo(0o644))
}
