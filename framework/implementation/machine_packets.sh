# Drops the packets between a pod and some addresses, or lets them pass again: UID of the pod, drop or pass, HOST:PORT...
ctr() { command ctr --namespace k8s.io "$@"; }
sandboxes=$(ctr containers ls -q "labels.\"io.kubernetes.pod.uid\"==\"$1\",labels.\"io.cri-containerd.kind\"==sandbox")
process=$(for sandbox in $sandboxes; do ctr tasks ps "$sandbox" 2>/dev/null | awk 'NR == 2 { print $1 }'; done)
case $2 in drop) change=--insert ;; pass) change=--delete ;; esac
shift 2
for address in "$@"; do
  host=${address%:*} port=${address##*:}
  # What is on its way to the pod counts too: a watch is read without a word being said.
  nsenter --net="/proc/$process/ns/net" iptables --wait "$change" OUTPUT --protocol tcp --destination "$host" --dport "$port" --jump DROP
  nsenter --net="/proc/$process/ns/net" iptables --wait "$change" INPUT --protocol tcp --source "$host" --sport "$port" --jump DROP
done
