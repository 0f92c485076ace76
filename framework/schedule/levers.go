package schedule

// The acts that a real control plane and the simulation both know.
const (
	Update           = "update"
	UpdateBroken     = "update to a broken image"
	UpdateSlow       = "update to a slow image"
	RollBack         = "roll back"
	ChangeStrategy   = "change the strategy"
	ChangeMinReady   = "change minReadySeconds"
	DeletePod        = "somebody deletes a pod"
	DeletePodByForce = "somebody deletes a pod by force"
	EvictPod         = "somebody evicts a pod"
	BecomeUnready    = "a pod becomes unready"
	BecomeReady      = "a pod becomes ready"
	Fail             = "a pod fails"
	HoldTermination  = "a pod is slow to end"
	Release          = "a pod ends at last"
	Cordon           = "a node is cordoned"
	Uncordon         = "a node is uncordoned"
	Taint            = "a node is tainted NoSchedule"
	Untaint          = "a node is untainted"
	Join             = "a node joins"
	Leave            = "a node leaves"
	Restart          = "restart the controller"
)

// Lever is an act, and how often it comes up beside the others.
type Lever struct {
	Act    string
	Weight int
}

// Levers are all acts that both worlds know, with their weights.
func Levers() []Lever {
	return []Lever{
		{Update, 4}, {UpdateBroken, 1}, {UpdateSlow, 1}, {RollBack, 3}, {ChangeStrategy, 2}, {ChangeMinReady, 1},
		{DeletePod, 3}, {DeletePodByForce, 2}, {EvictPod, 2}, {BecomeUnready, 4}, {BecomeReady, 3}, {Fail, 3}, {HoldTermination, 2}, {Release, 2},
		{Cordon, 2}, {Uncordon, 2}, {Taint, 2}, {Untaint, 2}, {Join, 2}, {Leave, 2}, {Restart, 2},
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
