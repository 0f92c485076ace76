package history

import (
	"fmt"
	"maps"
	"slices"
)

// Act is a kind of deliberate act of the harness. Its value is what a reader of a recording sees; what it may cause is in one table, so that an act
// that the table does not know cannot be recorded.
type Act string

// Acts on nodes and on the machines behind them.
const (
	AddNode      Act = "add node"
	EditNode     Act = "edit node"
	LabelNode    Act = "label node"
	TaintNode    Act = "taint node"
	UntaintNode  Act = "untaint node"
	CordonNode   Act = "cordon node"
	UncordonNode Act = "uncordon node"
	TakeDownNode Act = "take down node"
	RestoreNode  Act = "restore node"
	DeleteNode   Act = "delete node"
	StopKubelet  Act = "stop kubelet"
	StartKubelet Act = "start kubelet"
	RebootNode   Act = "reboot node"
)

// Acts on pods.
const (
	CreatePod          Act = "create pod"
	AdoptPod           Act = "adopt pod"
	LabelPod           Act = "label pod"
	RunPod             Act = "run pod"
	BecomeUnready      Act = "become unready"
	BecomeReady        Act = "become ready"
	FailPod            Act = "fail"
	SucceedPod         Act = "succeed"
	HoldTermination    Act = "hold termination"
	ReleaseTermination Act = "release termination"
	SetReadySince      Act = "set Ready transition time"
	HoldRestart        Act = "hold restart"
	ObserveUpdate      Act = "observe update"
	RestartAs          Act = "restart as"
	RestartContainer   Act = "restart container"
	ReleaseRestart     Act = "release restart"
	PatchPod           Act = "patch pod"
	SetDisruption      Act = "set DisruptionTarget condition"
	DeletePod          Act = "delete pod"
	EvictPod           Act = "evict pod"
	DryRunEviction     Act = "dry-run eviction"
	ReadEviction       Act = "read eviction"
	PatchEviction      Act = "patch eviction"
	AddOwner           Act = "add owner"
	ReferByVersion     Act = "refer to the controller by another version"
	DetachPod          Act = "detach pod"
	AddToleration      Act = "add toleration"
	AddFinalizer       Act = "add finalizer"
	RemoveFinalizer    Act = "remove finalizer"
)

// Acts on workloads and what belongs to them.
const (
	CreateDaemonSet  Act = "create DaemonSet"
	UpdateDaemonSet  Act = "update DaemonSet"
	WriteStatus      Act = "write status"
	DeleteDaemonSet  Act = "delete DaemonSet"
	CreateWorkload   Act = "create workload"
	ScaleWorkload    Act = "scale workload"
	UpdateWorkload   Act = "update workload"
	DeleteWorkload   Act = "delete workload"
	CreateRevision   Act = "create ControllerRevision"
	UpdateRevision   Act = "update ControllerRevision"
	DeleteRevision   Act = "delete ControllerRevision"
	CreateBudget     Act = "create PodDisruptionBudget"
	UpdateBudget     Act = "update PodDisruptionBudget"
	StoreBudget      Act = "store PodDisruptionBudget in etcd"
	DeleteBudget     Act = "delete PodDisruptionBudget"
	ReadBudget       Act = "read PodDisruptionBudget"
	ListBudgets      Act = "list PodDisruptionBudgets"
	RefuseStatus     Act = "have status writes conflict"
	Discover         Act = "read discovery document"
	DeleteNamespace  Act = "delete namespace"
	DeleteCollection Act = "delete collection"
	StartProbes      Act = "start probes"
	HoldDaemonSet    Act = "hold DaemonSet"
	RefusePods       Act = "refuse pods"
	AdmitPods        Act = "admit pods"
	RefuseRevisions  Act = "refuse ControllerRevisions"
	AdmitRevisions   Act = "admit ControllerRevisions"
	RefusePodUpdates Act = "refuse pod updates"
	AdmitPodUpdates  Act = "admit pod updates"
	RefuseDeletions  Act = "refuse pod deletions"
	AdmitDeletions   Act = "admit pod deletions"
	KeepRevisions    Act = "refuse ControllerRevision deletions"
	LetRevisionsGo   Act = "admit ControllerRevision deletions"
	RefuseAdoptions  Act = "refuse pod adoptions"
	AdmitAdoptions   Act = "admit pod adoptions"
	ChangePods       Act = "change pods by admission"
	CreateUnited     Act = "create UnitedDaemonSet"
	UpdateUnited     Act = "update UnitedDaemonSet"
	DeleteUnited     Act = "delete UnitedDaemonSet"
)

// Acts on the implementation under test.
const (
	KillImplementation      Act = "kill implementation"
	RestartImplementation   Act = "restart implementation"
	SuspendImplementation   Act = "suspend implementation"
	ResumeImplementation    Act = "resume implementation"
	CutOffImplementation    Act = "cut implementation off"
	ReconnectImplementation Act = "reconnect implementation"
	CrashImplementation     Act = "crash implementation"
	DeleteImplementationPod Act = "delete the implementation's pod"
	BreakWatches            Act = "break the implementation's watches"
	DelayWatches            Act = "delay the implementation's watches"
	EndWatchDelay           Act = "end the delay of the implementation's watches"
	LoseAnswer              Act = "lose the answer to a request of the implementation"
	RefuseRequest           Act = "refuse a request of the implementation"
	AnswerFromPast          Act = "answer a list of the implementation from the past"
	BreakAnswer             Act = "break off the answer to a list of the implementation"
	ThrottleRequest         Act = "have the implementation wait before it asks again"
	ElectLeader             Act = "run two replicas of the implementation"
	KillLeader              Act = "kill the replica that leads"
	HandBack                Act = "hand back to kube-controller-manager"
	TakeOver                Act = "take over from kube-controller-manager"
)

// effect is what an act may cause, beyond what the object that it names shows.
type effect uint8

const (
	// deletes: objects may go.
	deletes effect = 1 << iota
	// creates: the object that it names comes into being.
	creates
	// writesStatus of the object that it names.
	writesStatus
	// disturbs: the pod or node that it names may lose its availability.
	disturbs
	// halts: the implementation under test does nothing, or cannot be expected to, from now on.
	halts
	// starts: the implementation under test is at work again when the act has ended.
	starts
)

// effects of each act.
var effects = map[Act]effect{
	AddNode: creates, EditNode: disturbs, LabelNode: 0, TaintNode: disturbs, UntaintNode: 0, CordonNode: 0,
	UncordonNode: 0, TakeDownNode: disturbs, RestoreNode: 0, DeleteNode: deletes | disturbs,
	StopKubelet: disturbs, StartKubelet: 0, RebootNode: deletes | disturbs,

	CreatePod: creates, AdoptPod: creates, LabelPod: 0, RunPod: 0, BecomeUnready: disturbs, BecomeReady: 0, FailPod: disturbs, SucceedPod: disturbs,
	HoldTermination: 0, ReleaseTermination: 0, SetReadySince: disturbs, HoldRestart: 0, ObserveUpdate: 0, RestartAs: 0, RestartContainer: 0, ReleaseRestart: 0, PatchPod: disturbs,
	SetDisruption: 0, DeletePod: deletes | disturbs, EvictPod: deletes | disturbs,
	DryRunEviction: 0, ReadEviction: 0, PatchEviction: 0, ReadBudget: 0, ListBudgets: 0, RefuseStatus: 0, Discover: 0,
	AddOwner: 0, ReferByVersion: 0, DetachPod: disturbs, AddToleration: 0, AddFinalizer: 0, RemoveFinalizer: deletes,

	CreateDaemonSet: creates, UpdateDaemonSet: disturbs, WriteStatus: writesStatus, DeleteDaemonSet: deletes | disturbs,
	CreateWorkload: creates, ScaleWorkload: 0, UpdateWorkload: 0, DeleteWorkload: deletes | disturbs,
	CreateRevision: creates, UpdateRevision: 0, DeleteRevision: deletes, CreateBudget: creates, StoreBudget: creates, UpdateBudget: 0, DeleteBudget: deletes,
	DeleteNamespace: deletes | disturbs, DeleteCollection: deletes | disturbs, StartProbes: 0,
	HoldDaemonSet: 0, RefusePods: 0, AdmitPods: 0, RefuseRevisions: 0, AdmitRevisions: 0, RefusePodUpdates: 0, AdmitPodUpdates: 0, RefuseDeletions: 0, AdmitDeletions: 0,
	KeepRevisions: 0, LetRevisionsGo: 0, RefuseAdoptions: 0, AdmitAdoptions: 0,
	ChangePods:   0,
	CreateUnited: creates, UpdateUnited: 0, DeleteUnited: deletes,

	KillImplementation: halts, RestartImplementation: starts, SuspendImplementation: halts, ResumeImplementation: starts,
	CutOffImplementation: halts, ReconnectImplementation: starts, CrashImplementation: halts | starts, DeleteImplementationPod: halts | starts,
	BreakWatches: halts | starts, DelayWatches: halts, EndWatchDelay: starts, LoseAnswer: halts | starts, RefuseRequest: halts | starts,
	AnswerFromPast: halts | starts, BreakAnswer: halts | starts,
	ThrottleRequest: halts | starts, ElectLeader: halts | starts, KillLeader: halts | starts,
	HandBack: halts, TakeOver: halts | starts,
}

// Acts returns all acts, sorted.
func Acts() []Act { return slices.Sorted(maps.Keys(effects)) }

// Valid returns an error for an act that is not in the table: a recording with it was made by another version.
func (a Act) Valid() error {
	if _, known := effects[a]; !known {
		return fmt.Errorf("the act %q is not known", string(a))
	}
	return nil
}

// MayDelete reports whether the act may make objects go, so that nobody else is blamed for their deletion.
func (a Act) MayDelete() bool { return effects[a]&deletes != 0 }

// Creates reports whether the act brings the object that it names into being.
func (a Act) Creates() bool { return effects[a]&creates != 0 }

// WritesStatus reports whether the act writes the status of the object that it names.
func (a Act) WritesStatus() bool { return effects[a]&writesStatus != 0 }

// Disturbs reports whether the act may cost the pod or node that it names its availability.
func (a Act) Disturbs() bool { return effects[a]&disturbs != 0 }

// Halts reports whether the act keeps the implementation from its work from its beginning on; Starts, whether the implementation is at work when the
// act has ended. A crash does both.
func (a Act) Halts() bool { return effects[a]&halts != 0 }

// Starts reports whether the implementation is at work when the act has ended: see Halts.
func (a Act) Starts() bool { return effects[a]&starts != 0 }
