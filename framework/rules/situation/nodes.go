package situation

import "github.com/rollcall-conformance/rollcall/framework/judge"

// Situations of the node that the test is about.

// OnCordoned is on a cordoned node.
func OnCordoned() judge.Situation { return here("on a cordoned node", judge.Cordoned) }

// OnDown is on a node that is not Ready.
func OnDown() judge.Situation { return here("on a node that is not Ready", judge.Down) }

// OnUnknown is on a node with a pod whose Ready condition is Unknown.
func OnUnknown() judge.Situation {
	return here("beside a pod whose Ready condition is Unknown", judge.Unknown)
}

// OnTwoOld is on a node with two old pods.
func OnTwoOld() judge.Situation { return here("on a node with two old pods", judge.TwoOld) }

// OnRelapsed is on a node whose updated pod stopped being Ready before its minReadySeconds had run out.
func OnRelapsed() judge.Situation {
	return here("after the updated pod was not Ready for a while during its minReadySeconds", judge.Relapsed, judge.UpdatedReady)
}

// BesideOldUnready is beside an old pod that is not Ready.
func BesideOldUnready() judge.Situation {
	return here("beside an old pod that is not Ready", judge.OldUnready)
}

// BesideOldLeaving is beside an old pod that is terminating.
func BesideOldLeaving() judge.Situation {
	return here("beside an old pod that is terminating", judge.OldLeaving)
}

// BesideUpdatedLeaving is beside an updated pod that is terminating.
func BesideUpdatedLeaving() judge.Situation {
	return here("beside an updated pod that is terminating", judge.UpdatedLeaving)
}

// OnJoined is on a node that became eligible after the rollout began.
func OnJoined() judge.Situation {
	return of("on a node that became eligible during the rollout", func(t judge.Test) bool {
		return t.Node != nil && t.Workload.Course().Rollout && t.Node.Since.After(t.Workload.Course().Since)
	})
}

// OnFailed is on a node on which a pod ended since the DaemonSet last changed.
func OnFailed() judge.Situation {
	return of("on a node on which a pod has ended", func(t judge.Test) bool { return t.Node != nil && t.Node.Failures > 0 })
}

// Situations of other nodes.

// Closed is with a node that is not eligible.
func Closed() judge.Situation { return elsewhere("while a node is not eligible", judge.Closed) }

// CordonedElsewhere is with another node that is cordoned.
func CordonedElsewhere() judge.Situation {
	return elsewhere("while a node is cordoned", judge.Cordoned)
}

// EmptyElsewhere is with another node without a pod.
func EmptyElsewhere() judge.Situation {
	return elsewhere("while a node has no pod", judge.Empty)
}

// OldUnreadyElsewhere is with an old pod on another node that is not Ready.
func OldUnreadyElsewhere() judge.Situation {
	return elsewhere("while an old pod is not Ready", judge.OldUnready)
}

// UpdatedUnreadyElsewhere is with an updated pod on another node that is not Ready.
func UpdatedUnreadyElsewhere() judge.Situation {
	return elsewhere("while an updated pod is not Ready", judge.UpdatedUnready)
}

// RelapsedElsewhere is with an updated pod on another node that stopped being Ready before its minReadySeconds had run out.
func RelapsedElsewhere() judge.Situation {
	return elsewhere("while an updated pod has not been Ready throughout its minReadySeconds", judge.Relapsed)
}

// LeavingElsewhere is with an old pod on another node that is terminating.
func LeavingElsewhere() judge.Situation {
	return elsewhere("while an old pod is terminating", judge.OldLeaving)
}

// UpdatedLeavingElsewhere is with an updated pod on another node that is terminating.
func UpdatedLeavingElsewhere() judge.Situation {
	return elsewhere("while an updated pod is terminating", judge.UpdatedLeaving)
}

// UnknownElsewhere is with a pod on another node whose Ready condition is Unknown.
func UnknownElsewhere() judge.Situation {
	return elsewhere("while the Ready condition of a pod is Unknown", judge.Unknown)
}

// EndedElsewhere is with a pod on another node that has ended.
func EndedElsewhere() judge.Situation {
	return elsewhere("while a pod has ended", judge.Ended)
}

// Situations of several nodes at once.

// SeveralOldUnready is with old pods of two nodes not Ready.
func SeveralOldUnready() judge.Situation {
	return several("while old pods of two nodes are not Ready", judge.OldUnready)
}

// SeveralUpdatedUnready is with updated pods of two nodes not Ready.
func SeveralUpdatedUnready() judge.Situation {
	return several("while updated pods of two nodes are not Ready", judge.UpdatedUnready)
}

// SeveralEmpty is with two nodes without a pod.
func SeveralEmpty() judge.Situation { return several("while two nodes have no pod", judge.Empty) }

// SeveralLeaving is with old pods of two nodes terminating.
func SeveralLeaving() judge.Situation {
	return several("while old pods of two nodes are terminating", judge.OldLeaving)
}

// SeveralSurging is with two nodes that have an old and an updated pod.
func SeveralSurging() judge.Situation {
	return several("while two nodes have an old and an updated pod", judge.Surging)
}
