package variants

// lawfulProcesses are run with other settings.
func lawfulProcesses() []Variant {
	const workers = "No requirement says how many DaemonSets are worked on at once."
	return []Variant{
		{Name: "one-worker", Says: "Works on one DaemonSet at a time.", Lawful: workers, Args: []string{"--concurrent-syncs=1"}},
		{Name: "twenty-workers", Says: "Works on twenty DaemonSets at a time.", Lawful: workers, Args: []string{"--concurrent-syncs=20"}},
		{Name: "slower-client", Says: "Sends no more than 100 requests a second to the API server, 200 at once on top.",
			Lawful: "Still within what promptly means for the suite's DaemonSets.", Args: []string{"--kube-api-qps=100", "--kube-api-burst=200"}},
		{Name: "default-client", Says: "Sends no more than 5 requests a second to the API server, 10 at once on top, and creates or deletes one pod in a pass, at random.",
			Lawful: "Client-go does so unless it is told otherwise. With PROCS=1 who is at work is not late: see docs/verdicts.md.", Planner: remember(oneAPass),
			Args: []string{"--kube-api-qps=5", "--kube-api-burst=10"}},
		{Name: "elects-a-leader", Says: "Leads by a lease, which it has to wait for after it was killed.",
			Lawful: "It is ready once it leads, and what is late counts from then.",
			Args: []string{
				"--leader-elect=true", "--ready-when-leading=true", "--leader-elect-lease-duration=12s", "--leader-elect-renew-deadline=10s",
				"--leader-elect-retry-period=500ms",
			}},
	}
}
