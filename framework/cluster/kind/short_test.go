package kind

import "testing"

func TestACommandIsNamedInShort(t *testing.T) {
	got := inShort([]string{"sh", "-euc", "# Sends a signal.\nkill -s \"$2\" $1\n", "signal", "17", "STOP"})
	if want := "sh -euc '# Sends a signal. …' signal 17 STOP"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
