// Command e2e runs Kubernetes' own end-to-end tests of apps: those of DaemonSets, ControllerRevisions, disruption budgets and evictions are among them. It is
// the e2e.test of Kubernetes without the tests of everything else, which would take longer to compile than all other programs together.
package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/gomega"
	"k8s.io/component-base/version"
	_ "k8s.io/kubernetes/test/e2e/apps"
	_ "k8s.io/kubernetes/test/e2e/feature"
	"k8s.io/kubernetes/test/e2e/framework"
	"k8s.io/kubernetes/test/e2e/framework/config"
	_ "k8s.io/kubernetes/test/e2e/framework/node/init"
)

// outcome is told by ginkgo that a test failed.
type outcome struct{ failed bool }

// Fail implements ginkgo.GinkgoTestingT.
func (o *outcome) Fail() { o.failed = true }

func main() {
	asked := flag.Bool("version", false, "print the version of Kubernetes and exit")
	config.CopyFlags(config.Flags, flag.CommandLine)
	framework.RegisterCommonFlags(flag.CommandLine)
	framework.RegisterClusterFlags(flag.CommandLine)
	flag.Parse()
	if *asked {
		fmt.Println(version.Get())
		return
	}
	framework.AfterReadingAllFlags(&framework.TestContext)
	gomega.RegisterFailHandler(framework.Fail)
	suite, reporter := framework.CreateGinkgoConfig()
	var tests outcome
	ginkgo.RunSpecs(&tests, "Kubernetes e2e suite", suite, reporter)
	if tests.failed {
		os.Exit(1)
	}
}
