package schedule

// The acts that a real control plane and the simulation both know. Those of a feature that the implementation does not claim do nothing to it.
const (
	// On the template, and what else the DaemonSet asks for.
	Update             = "update"
	UpdateBroken       = "update to a broken image"
	UpdateSlow         = "update to a slow image"
	UpdateFailing      = "update to a crashing image"
	UpdateMissing      = "update to a missing image"
	UpdateAllButImage  = "update all but the image"
	UpdateOther        = "update the other container"
	UpdateToOne        = "update to one container"
	UpdateToPool       = "update to run on one pool"
	UpdateToEveryPool  = "update to run on every pool"
	Tolerate           = "update to tolerate the taint"
	TolerateNoLonger   = "update not to tolerate the taint"
	UpdateTolerations  = "update what pods tolerate"
	UpdatePlacement    = "update where pods run"
	RollBack           = "roll back"
	ChangeStrategy     = "change the strategy"
	ChangePolicy       = "change the pod update policy"
	ChangeMinReady     = "change minReadySeconds"
	ChangeHistoryLimit = "change revisionHistoryLimit"

	// On pods.
	DeletePod        = "somebody deletes a pod"
	DeletePodByForce = "somebody deletes a pod by force"
	EvictPod         = "somebody evicts a pod"
	BecomeUnready    = "a pod becomes unready"
	BecomeReady      = "a pod becomes ready"
	BecomeUnknown    = "nobody knows whether a pod is ready"
	Fail             = "a pod fails"
	Succeed          = "a pod succeeds"
	RestartContainer = "a container is restarted"
	HoldTermination  = "a pod is slow to end"
	Release          = "a pod ends at last"
	TakeLabel        = "somebody takes a label off a pod"
	MakeOrphan       = "an orphan appears"
	RefusePods       = "the API server refuses pods"
	AdmitPods        = "the API server admits pods"

	// On nodes.
	Cordon         = "a node is cordoned"
	Uncordon       = "a node is uncordoned"
	Taint          = "a node is tainted NoSchedule"
	TaintNoExecute = "a node is tainted NoExecute"
	TaintPrefer    = "a node is tainted PreferNoSchedule"
	Untaint        = "a node is untainted"
	Move           = "a node moves to another pool"
	Join           = "a node joins"
	Leave          = "a node leaves"

	// On histories.
	CopyRevision       = "somebody copies a revision"
	UnlabelRevision    = "somebody takes the label off a revision"
	ReleaseRevision    = "somebody releases a revision"
	UnreadableRevision = "somebody creates a revision that cannot be read"

	// On the controller.
	Restart    = "restart the controller"
	Kill       = "kill the controller"
	SwitchGate = "switch the feature gate"
)

// onController are the acts on the controller.
var onController = []string{Restart, Kill, SwitchGate}

// Lever is an act, and how often it comes up beside the others.
type Lever struct {
	Act    string
	Weight int
}

// Levers are all acts that both worlds know, with their weights.
func Levers() []Lever {
	return []Lever{
		{Update, 6}, {UpdateBroken, 1}, {UpdateSlow, 1}, {UpdateFailing, 1}, {UpdateMissing, 1}, {UpdateAllButImage, 2}, {UpdateOther, 2}, {UpdateToOne, 1},
		{UpdateToPool, 1}, {UpdateToEveryPool, 1}, {Tolerate, 1}, {TolerateNoLonger, 1}, {UpdateTolerations, 1}, {UpdatePlacement, 2},
		{RollBack, 3}, {ChangeStrategy, 2}, {ChangePolicy, 3}, {ChangeMinReady, 1}, {ChangeHistoryLimit, 1},
		{DeletePod, 3}, {DeletePodByForce, 2}, {EvictPod, 2}, {BecomeUnready, 4}, {BecomeReady, 3}, {BecomeUnknown, 1}, {Fail, 3}, {Succeed, 1}, {RestartContainer, 2},
		{HoldTermination, 2}, {Release, 2}, {TakeLabel, 1}, {MakeOrphan, 1}, {RefusePods, 1}, {AdmitPods, 2},
		{Cordon, 2}, {Uncordon, 2}, {Taint, 2}, {TaintNoExecute, 1}, {TaintPrefer, 1}, {Untaint, 3}, {Move, 2}, {Join, 2}, {Leave, 2},
		{CopyRevision, 1}, {UnlabelRevision, 1}, {ReleaseRevision, 1}, {UnreadableRevision, 1},
		{Restart, 2}, {Kill, 1}, {SwitchGate, 2},
	}
}

// Bag has the name of each act as often as its weight says, for whoever draws from it.
func Bag(levers []Lever) []string {
	var names []string
	for _, lever := range levers {
		for range lever.Weight {
			names = append(names, lever.Act)
		}
	}
	return names
}
