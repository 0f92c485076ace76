package reports

// WatchRollout is a rollout that `rollcall watch` has seen. The numbers are of all of it once it has ended, and of what was seen so far before.
type WatchRollout struct {
	// Workload is namespace and name of the DaemonSet.
	Workload string `json:"workload"`
	// Underway: it had begun before the watch did.
	Underway bool `json:"underway,omitempty"`
	// Overtaken: another template, or the deletion of the DaemonSet, ended it.
	Overtaken bool `json:"overtaken,omitempty"`
	// Seconds that it took, or has taken so far.
	Seconds float64 `json:"seconds"`
	// Nodes that the DaemonSet is to run on, and Order in which updated pods were created there.
	Nodes int      `json:"nodes"`
	Order []string `json:"order,omitempty"`
	// Unavailable is how many of these nodes were without an available pod at once, at most, and UnavailableAtFirst how many were when it began.
	Unavailable        int `json:"unavailable"`
	UnavailableAtFirst int `json:"unavailableAtFirst"`
	// MaxUnavailable and MaxSurge are the limits, in nodes.
	MaxUnavailable int `json:"maxUnavailable"`
	MaxSurge       int `json:"maxSurge"`
	// Surged is how many nodes had two pods at once, at most.
	Surged int `json:"surged"`
	// Slow are the pods that took far longer than half of them did, Waiting those that are not available yet.
	Slow    []WatchPod `json:"slow,omitempty"`
	Waiting []WatchPod `json:"waiting,omitempty"`
	// Deleted is how many pods the controller deleted, as its Events say; Evicted how many somebody evicted; Unclaimed how many somebody deleted who does not
	// say so.
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
	// Times is how often it was broken by the time of this event that was not told before, at least once.
	Times int `json:"times"`
	// Again: it has been told of this requirement before.
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
