package main

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"slices"
	"strings"
)

// savedRules is what iptables-save prints: all tables, one line a chain or rule.
func savedRules(ctx context.Context) (string, error) {
	output, err := exec.CommandContext(ctx, "iptables-save").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("iptables-save: %w: %s", err, output)
	}
	return string(output), nil
}

// restoreRules removes from the packet filter what the engine has put there since.
func restoreRules(ctx context.Context, before string) error {
	now, err := savedRules(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for _, args := range undoing(before, now) {
		if output, err := exec.CommandContext(ctx, "iptables", args...).CombinedOutput(); err != nil {
			errs = append(errs, fmt.Errorf("iptables %s: %w: %s", strings.Join(args, " "), err, output))
		}
	}
	return errors.Join(errs...)
}

// undoing returns the arguments of the iptables commands that take the engine's rules and chains away, and give chains their policy back.
// Rules that do not name a chain or bridge of Docker's are somebody else's.
func undoing(before, now string) [][]string {
	old := byTable(before)
	var rules, chains, policies [][]string
	for table, lines := range byTable(now) {
		for _, line := range lines {
			words := strings.Fields(line)
			switch {
			case strings.HasPrefix(line, "-A ") && dockers(words) && !slices.Contains(old[table], line):
				rules = append(rules, append([]string{"-t", table, "-D"}, words[1:]...))
			case strings.HasPrefix(line, ":DOCKER") && !hasChain(old[table], words[0]):
				chains = append(chains, []string{"-t", table, "-X", words[0][1:]})
			case words[0] == ":FORWARD" && words[1] == "DROP" && !slices.ContainsFunc(old[table], func(l string) bool {
				return strings.HasPrefix(l, ":FORWARD DROP")
			}):
				policies = append(policies, []string{"-t", table, "-P", "FORWARD", "ACCEPT"})
			}
		}
	}
	return slices.Concat(rules, chains, policies)
}

func byTable(saved string) map[string][]string {
	tables := map[string][]string{}
	table := ""
	for _, line := range strings.Split(saved, "\n") {
		switch {
		case strings.HasPrefix(line, "*"):
			table = line[1:]
		case strings.HasPrefix(line, "-A ") || strings.HasPrefix(line, ":"):
			tables[table] = append(tables[table], line)
		}
	}
	return tables
}

func hasChain(lines []string, chain string) bool {
	return slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, chain+" ") })
}

func dockers(rule []string) bool {
	return slices.ContainsFunc(rule, func(word string) bool {
		return strings.HasPrefix(word, "DOCKER") || word == "docker0" || strings.HasPrefix(word, "br-")
	})
}
