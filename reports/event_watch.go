package reports

// WatchRollout is a rollout that `rollcall watch` has seen. The numbers are of all of it once it has ended, and of what was seen so far before.
type WatchRollout struct {
	// Workload is namespace and name of the DaemonSet.
	Workload string `json:"workload"`
	// Underway: it had begun before the watch did.
	Underway bool `json:"underway,omitempty"`
	// Overtaken: it ended because the template changed again or the DaemonSet was deleted.
	Overtaken bool `json:"overtaken,omitempty"`
	// Seconds that it took, or has taken so far.
	Seconds float64 `json:"seconds"`
	// Nodes is the number of nodes that the DaemonSet is to run on. Order has their names in the order in which updated pods were created.
	Nodes int      `json:"nodes"`
	Order []string `json:"order,omitempty"`
	// Unavailable is the largest number of these nodes without an available pod at one time, UnavailableAtFirst their number when it began.
	Unavailable        int `json:"unavailable"`
	UnavailableAtFirst int `json:"unavailableAtFirst"`
	// MaxUnavailable and MaxSurge are the limits, in nodes.
	MaxUnavailable int `json:"maxUnavailable"`
	MaxSurge       int `json:"maxSurge"`
	// Surged is the largest number of nodes with two pods at one time.
	Surged int `json:"surged"`
	// Slow are the pods that took far longer than half of them did, Waiting those that are not available yet.
	Slow    []WatchPod `json:"slow,omitempty"`
	Waiting []WatchPod `json:"waiting,omitempty"`
	// Deleted is how many pods the controller deleted, by its Events; Evicted how many were evicted; Unclaimed how many were deleted by an unknown author.
	Deleted   int `json:"deleted"`
	Evicted   int `json:"evicted"`
	Unclaimed int `json:"unclaimed"`
}

// WatchPod is how long a pod took from its creation until it was available, or has taken so far.
type WatchPod struct {
	Pod     string  `json:"pod"`
	Node    string  `json:"node"`
	Seconds float64 `json:"seconds"`
}

// WatchBroken is a requirement that `rollcall watch` has seen broken, in brief.
type WatchBroken struct {
	Requirement ID `json:"requirement"`
	// Workload is namespace and name of the DaemonSet.
	Workload string `json:"workload,omitempty"`
	EventViolation
	// Times is how often it was broken since the event before of this requirement, at least 1.
	Times int `json:"times"`
	// Again: there was an event of this requirement before.
	Again bool `json:"again,omitempty"`
}

// WatchResult is what a watch has seen by its end.
type WatchResult struct {
	// RolloutsOver is how many rollouts have ended, UnderWay are those that go on.
	RolloutsOver int            `json:"rolloutsOver"`
	UnderWay     []WatchRollout `json:"underWay,omitempty"`
	// Broken is how often each requirement was broken.
	Broken map[ID]int `json:"broken,omitempty"`
	// NotJudged says what could not be judged, and why.
	NotJudged []string `json:"notJudged,omitempty"`
}
