// Command iptables is all of Debian's iptables programs in kube-proxy's image. There are two back ends in the kernel, and kube-proxy must use the one
// that the node's kubelet uses, which only shows by the chains that kubelet has made.
package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

func main() {
	program := "/usr/sbin/xtables-" + backEnd() + "-multi"
	arguments := append([]string{filepath.Base(os.Args[0])}, os.Args[1:]...)
	err := syscall.Exec(program, arguments, os.Environ())
	fmt.Fprintf(os.Stderr, "iptables: %s: %v\n", program, err)
	os.Exit(1)
}

func backEnd() string {
	for _, name := range []string{"nft", "legacy"} {
		// A back end that the kernel lacks fails here, and is not the one in use.
		rules, _ := exec.Command("/usr/sbin/xtables-"+name+"-multi", "iptables-save", "-t", "mangle").Output()
		if bytes.Contains(rules, []byte("KUBE-IPTABLES-HINT")) || bytes.Contains(rules, []byte("KUBE-KUBELET-CANARY")) {
			return name
		}
	}
	return "nft"
}
