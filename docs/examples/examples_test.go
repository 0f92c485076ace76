// Package examples_test reads what users copy.
package examples_test

import (
	"testing"

	"github.com/rollcall-conformance/rollcall/framework/implementation"
	"github.com/rollcall-conformance/rollcall/framework/requirements"
)

func TestTheExamplesCanBeLaunched(t *testing.T) {
	catalogue, err := requirements.Load()
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"./informers/informers.yaml", "./runtime/runtime.yaml"} {
		read, err := implementation.Load(path, catalogue)
		if err != nil {
			t.Error(err)
			continue
		}
		if !read.Claims(requirements.DaemonSet) || !read.Claims(requirements.Surge) {
			t.Errorf("%s claims %v", path, read.Features)
		}
	}
}
