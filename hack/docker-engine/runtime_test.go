package main

import (
	"testing"

	. "github.com/onsi/gomega"
)

func TestOnlyWhatCannotBeHadIsTakenOutOfASpecification(t *testing.T) {
	missing := []string{"CAP_SYS_RESOURCE"}
	for name, tt := range map[string]struct{ before, after string }{
		"a container": {
			`{"ociVersion":"1.0.2","process":{"capabilities":{"bounding":["CAP_KILL","CAP_SYS_RESOURCE"],"ambient":null},"rlimits":[{"hard":18446744073709551615}]}}`,
			`{"ociVersion":"1.0.2","process":{"capabilities":{"bounding":["CAP_KILL"],"ambient":null},"rlimits":[{"hard":18446744073709551615}]}}`,
		},
		"a process in a container": {
			`{"args":["sh"],"capabilities":{"effective":["CAP_SYS_RESOURCE"]}}`,
			`{"args":["sh"],"capabilities":{"effective":[]}}`,
		},
		"a process that asks for nothing": {`{"args":["sh"]}`, `{"args":["sh"]}`},
	} {
		t.Run(name, func(t *testing.T) {
			g := NewWithT(t)
			edited, err := withoutCapabilities([]byte(tt.before), missing)
			g.Expect(err).NotTo(HaveOccurred())
			g.Expect(edited).To(MatchJSON(tt.after))
			g.Expect(string(edited)).NotTo(ContainSubstring("e+19"), "numbers stay exact")
		})
	}
}

func TestTheSpecificationIsFoundWhereverTheEngineNamesIt(t *testing.T) {
	for name, tt := range map[string]struct {
		args []string
		want string
	}{
		"create":                {[]string{"--root", "/r", "--log", "/l", "create", "--bundle", "/b", "--pid-file", "/p", "id"}, "/b/config.json"},
		"run, joined":           {[]string{"run", "--bundle=/b", "id"}, "/b/config.json"},
		"run, where one stands": {[]string{"run", "id"}, "config.json"},
		"exec":                  {[]string{"--root", "/r", "exec", "--process", "/p.json", "id"}, "/p.json"},
		"exec, short":           {[]string{"exec", "-p", "/p.json", "id"}, "/p.json"},
		"delete":                {[]string{"--root", "/r", "delete", "--force", "id"}, ""},
	} {
		t.Run(name, func(t *testing.T) { NewWithT(t).Expect(specification(tt.args)).To(Equal(tt.want)) })
	}
}

func TestMissingCapabilitiesAreThoseTheKernelKnowsAndDoesNotGrant(t *testing.T) {
	g := NewWithT(t)
	g.Expect(missingOf("Name:\tx\nCapBnd:\t000001fffeffffff\nCapAmb:\t0\n", "40")).To(HaveExactElements("CAP_SYS_RESOURCE"))
	g.Expect(missingOf("CapBnd:\t000000ffffffffff\n", "39")).To(BeEmpty())
}
