package variants

// lawfulProcesses are run with other settings.
func lawfulProcesses() []Variant {
	const workers = "No requirement says how many DaemonSets are worked on at once."
	return []Variant{
		{Name: "one-worker", Says: "Works on one DaemonSet at a time.", Lawful: workers, Args: []string{"--concurrent-syncs=1"}},
		{Name: "twenty-workers", Says: "Works on twenty DaemonSets at a time.", Lawful: workers, Args: []string{"--concurrent-syncs=20"}},
		{Name: "slower-client", Says: "Sends no more than 100 requests a second to the API server, 200 at once on top.",
			Lawful: "Still within what promptly means for the suite's DaemonSets.", Args: []string{"--kube-api-qps=100", "--kube-api-burst=200"}},
	}
}
