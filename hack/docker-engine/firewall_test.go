package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

const (
	untouchedRules = `*filter
:INPUT ACCEPT [0:0]
:FORWARD ACCEPT [0:0]
-A INPUT -i lo -j ACCEPT
COMMIT
`
	rulesWithEngine = `*filter
:INPUT ACCEPT [7:77]
:FORWARD DROP [0:0]
:DOCKER - [0:0]
-A INPUT -i lo -j ACCEPT
-A INPUT -s 10.0.0.1/32 -j DROP
-A FORWARD -j DOCKER
-A FORWARD -o br-0123456789ab -j ACCEPT
COMMIT
*nat
:POSTROUTING ACCEPT [0:0]
-A POSTROUTING -s 172.17.0.0/16 ! -o docker0 -j MASQUERADE
COMMIT
`
)

func TestTheEnginesRulesGoAndEverybodyElsesStay(t *testing.T) {
	g := NewWithT(t)
	commands := undoing(untouchedRules, rulesWithEngine)
	g.Expect(commands).To(ConsistOf(
		[]string{"-t", "filter", "-D", "FORWARD", "-j", "DOCKER"},
		[]string{"-t", "filter", "-D", "FORWARD", "-o", "br-0123456789ab", "-j", "ACCEPT"},
		[]string{"-t", "nat", "-D", "POSTROUTING", "-s", "172.17.0.0/16", "!", "-o", "docker0", "-j", "MASQUERADE"},
		[]string{"-t", "filter", "-X", "DOCKER"},
		[]string{"-t", "filter", "-P", "FORWARD", "ACCEPT"},
	))
	g.Expect(commands[3]).To(ContainElement("-X"), "a chain can only go when no rule points to it")
}

func TestWhereDockerWasBeforeNothingIsUndone(t *testing.T) {
	NewWithT(t).Expect(undoing(rulesWithEngine, rulesWithEngine)).To(BeEmpty())
}
