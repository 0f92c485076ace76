package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
)

// capabilityNames are Linux's capabilities in the order of their numbers, see capabilities(7).
var capabilityNames = strings.Fields(`CAP_CHOWN CAP_DAC_OVERRIDE CAP_DAC_READ_SEARCH CAP_FOWNER CAP_FSETID CAP_KILL CAP_SETGID CAP_SETUID CAP_SETPCAP
	CAP_LINUX_IMMUTABLE CAP_NET_BIND_SERVICE CAP_NET_BROADCAST CAP_NET_ADMIN CAP_NET_RAW CAP_IPC_LOCK CAP_IPC_OWNER CAP_SYS_MODULE CAP_SYS_RAWIO
	CAP_SYS_CHROOT CAP_SYS_PTRACE CAP_SYS_PACCT CAP_SYS_ADMIN CAP_SYS_BOOT CAP_SYS_NICE CAP_SYS_RESOURCE CAP_SYS_TIME CAP_SYS_TTY_CONFIG CAP_MKNOD
	CAP_LEASE CAP_AUDIT_WRITE CAP_AUDIT_CONTROL CAP_SETFCAP CAP_MAC_OVERRIDE CAP_MAC_ADMIN CAP_SYSLOG CAP_WAKE_ALARM CAP_BLOCK_SUSPEND
	CAP_AUDIT_READ CAP_PERFMON CAP_BPF CAP_CHECKPOINT_RESTORE`)

// missingCapabilities names what the kernel knows and no process on this machine can have.
func missingCapabilities() ([]string, error) {
	last, err := os.ReadFile("/proc/sys/kernel/cap_last_cap")
	if err != nil {
		return nil, fmt.Errorf("reading how many capabilities there are: %w", err)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return nil, fmt.Errorf("reading the capability bounding set: %w", err)
	}
	return missingOf(string(status), strings.TrimSpace(string(last)))
}

func missingOf(status, last string) ([]string, error) {
	highest, err := strconv.Atoi(last)
	if err != nil {
		return nil, fmt.Errorf("reading how many capabilities there are: %w", err)
	}
	_, after, _ := strings.Cut(status, "CapBnd:")
	text, _, _ := strings.Cut(after, "\n")
	bounding, err := strconv.ParseUint(strings.TrimSpace(text), 16, 64)
	if err != nil {
		return nil, fmt.Errorf("reading the capability bounding set: %w", err)
	}
	var missing []string
	for number := range min(highest+1, len(capabilityNames)) {
		if bounding&(1<<number) == 0 {
			missing = append(missing, capabilityNames[number])
		}
	}
	return missing, nil
}
