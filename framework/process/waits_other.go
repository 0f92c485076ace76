//go:build !linux

package process

// threadsOf says nothing: only Linux tells how long a thread waited for a processor.
func threadsOf(int) map[int]usage { return nil }
