package controlplane

import "time"

// KubernetesTests is the name of the program that runs Kubernetes' own end-to-end tests of apps. Ensure provides it only when Options.Names has it, in
// rollcall's checkout, and for the version of Kubernetes that hack/tools pins.
const KubernetesTests = "e2e"

func testPrograms() []program {
	return []program{{
		name: KubernetesTests, module: kubernetesTests, pkg: ".", cold: 10 * time.Minute,
		versionArgs: []string{"-version"}, versionText: "v",
	}}
}
