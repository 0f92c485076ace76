# Sends a signal to all processes of a pod's containers and prints how many there are: UID of the pod, name of the signal.
ctr() { command ctr --namespace k8s.io "$@"; }
containers=$(ctr containers ls -q "labels.\"io.kubernetes.pod.uid\"==\"$1\",labels.\"io.cri-containerd.kind\"==container")
# A container that has ended is still listed, and has no task.
processes=$(for container in $containers; do ctr tasks ps "$container" 2>/dev/null | awk 'NR > 1 { print $1 }'; done)
# The death of the first of a container's processes takes the others along.
[ -z "$processes" ] || kill -s "$2" $processes || [ "$2" = KILL ]
echo $processes | wc -w
