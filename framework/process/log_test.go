package process_test

import (
	"testing"

	. "github.com/onsi/gomega"

	"github.com/rollcall-conformance/rollcall/framework/process"
)

func TestAboutKeepsWhatTellsMost(t *testing.T) {
	const other, conflict, cause = "syncing b", "a: the object has been modified; please apply your changes to the latest version and try again", "a: forbidden"
	for name, test := range map[string]struct{ lines, want []string }{
		"lines about it":                      {[]string{other, cause, cause}, []string{cause, cause}},
		"all lines, if none is about it":      {[]string{other, other}, []string{other, other}},
		"no conflicts":                        {[]string{cause, conflict, other, conflict}, []string{cause}},
		"conflicts, if there is nothing else": {[]string{conflict, other}, []string{conflict}},
		"the last ones":                       {[]string{cause, cause, cause}, []string{cause, cause}},
	} {
		t.Run(name, func(t *testing.T) { NewWithT(t).Expect(process.About(test.lines, 2, "a: ")).To(Equal(test.want)) })
	}
}
