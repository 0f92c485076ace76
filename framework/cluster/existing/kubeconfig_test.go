package existing

import (
	"os"
	"path/filepath"
	"testing"

	. "github.com/onsi/gomega"
)

const twoClusters = `apiVersion: v1
kind: Config
current-context: production
clusters:
- {name: c1, cluster: {server: "https://one.test"}}
- {name: c2, cluster: {server: "https://two.test"}}
users:
- {name: u1, user: {token: secret1}}
- {name: u2, user: {tokenFile: token}}
contexts:
- {name: production, context: {cluster: c1, user: u1}}
- {name: testing, context: {cluster: c2, user: u2}}
`

func TestOnlyTheNamedContextIsRead(t *testing.T) {
	g := NewWithT(t)
	file := filepath.Join(t.TempDir(), "config")
	g.Expect(os.WriteFile(file, []byte(twoClusters), 0o600)).To(Succeed())
	config, err := ReadConfig(file, "testing")
	g.Expect(err).NotTo(HaveOccurred())
	g.Expect(config.CurrentContext).To(Equal("testing"))
	g.Expect(config.Clusters).To(HaveLen(1))
	g.Expect(config.Clusters).To(HaveKey("c2"))
	g.Expect(config.AuthInfos).To(HaveLen(1))
	g.Expect(config.AuthInfos["u2"].TokenFile).To(Equal(filepath.Join(filepath.Dir(file), "token")), "from wherever it is used")
}

func TestNeitherFileNorContextHasADefault(t *testing.T) {
	folder := t.TempDir()
	file, empty := filepath.Join(folder, "config"), filepath.Join(folder, "empty")
	g := NewWithT(t)
	g.Expect(os.WriteFile(file, []byte(twoClusters), 0o600)).To(Succeed())
	g.Expect(os.WriteFile(empty, nil, 0o600)).To(Succeed())
	t.Setenv("KUBECONFIG", file)
	for name, tt := range map[string]struct{ file, context, says string }{
		"no file":                 {"", "testing", "no kubeconfig file is named"},
		"no such file":            {filepath.Join(folder, "missing"), "testing", "missing"},
		"no context":              {file, "", "is named with -context=NAME: its contexts are production, testing"},
		"no such context":         {file, "staging", `has no context "staging": its contexts are production, testing`},
		"a file without contexts": {empty, "testing", "it has no contexts"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadConfig(tt.file, tt.context)
			NewWithT(t).Expect(err).To(MatchError(ContainSubstring(tt.says)))
		})
	}
}
