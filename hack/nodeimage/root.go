package main

import (
	"context"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// leaveOut is what nobody reads in a node.
var leaveOut = []string{"/usr/share/doc/*", "/usr/share/man/*", "/usr/share/info/*", "/usr/share/locale/*"}

// nodeCleanUp is what kind does to Debian in its own base image: nothing is started but what kind asks for.
const nodeCleanUp = `set -e
cd "$1"
find usr/lib/systemd/system/sysinit.target.wants -name systemd-tmpfiles-setup.service -delete
rm -f usr/lib/systemd/system/multi-user.target.wants/* etc/systemd/system/*.wants/* usr/lib/systemd/system/local-fs.target.wants/*
rm -f usr/lib/systemd/system/sockets.target.wants/*udev* usr/lib/systemd/system/sockets.target.wants/*initctl*
rm -f usr/lib/systemd/system/basic.target.wants/*
echo ReadKMsg=no >> etc/systemd/journald.conf
ln -sf /usr/lib/systemd/systemd usr/sbin/init
rm -rf var/lib/apt/lists/* var/cache/apt/* etc/resolv.conf`

// nodeRoot is the Debian that kind's nodes run.
func nodeRoot(sources []string) artifact {
	return debianRoot("node-root", "making the node's root file system with mmdebstrap", sources, []string{
		"--variant=minbase",
		"--include=" + strings.Join([]string{
			"systemd", "conntrack", "iptables", "nftables", "iproute2", "ethtool", "util-linux", "mount", "kmod", "libseccomp2", "pigz", "e2fsprogs",
			"bash", "ca-certificates", "curl", "jq", "procps", "runc", "socat", "containernetworking-plugins",
		}, ","),
		"--customize-hook=" + nodeCleanUp,
	})
}

// proxyRoot is what kube-proxy calls, unpacked: no shell, no package database.
func proxyRoot(sources []string) artifact {
	return debianRoot("proxy-root", "unpacking what kube-proxy calls with mmdebstrap", sources, []string{
		"--variant=extract",
		"--include=conntrack,iptables,nftables,kmod",
		`--customize-hook=rm -rf "$1"/var/lib/apt "$1"/var/cache "$1"/usr/share/doc "$1"/usr/share/man "$1"/usr/share/locale "$1"/etc/apt`,
	})
}

func debianRoot(name, what string, sources, options []string) artifact {
	for _, path := range leaveOut {
		options = append(options, "--dpkgopt=path-exclude="+path)
	}
	return artifact{
		name: name, what: what,
		recipe: strings.Join(slices.Concat(options, sources), "\n"),
		build: func(ctx context.Context, path string) error {
			if err := needMmdebstrap(ctx); err != nil {
				return err
			}
			args := slices.Concat([]string{"--quiet", "--format=tar"}, options, []string{"", path}, sources)
			if output, err := exec.CommandContext(ctx, "mmdebstrap", args...).CombinedOutput(); err != nil {
				return fmt.Errorf("mmdebstrap: %w\n%s", err, output)
			}
			return nil
		},
	}
}
