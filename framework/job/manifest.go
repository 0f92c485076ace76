package job

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/rollcall-conformance/rollcall/fixtures"
)

// Manifest says what fixtures/job/job.yaml leaves open.
type Manifest struct {
	// Name of the Job, and its Namespace, which is made.
	Name, Namespace string
	// Image is what the nodes call the image.
	Image string
	// Shards is how many pods there are.
	Shards int
	// Architecture of the nodes, in Go's words, which are also those of their label.
	Architecture string
	// Args are those of the container.
	Args []string
}

// Write returns the manifest for kubectl apply.
func (m Manifest) Write() ([]byte, error) {
	text, err := fs.ReadFile(fixtures.Files(), "job/job.yaml")
	if err != nil {
		return nil, err
	}
	// JSON is YAML.
	args, err := json.Marshal(m.Args)
	if err != nil {
		return nil, fmt.Errorf("write the container's arguments: %w", err)
	}
	return []byte(strings.NewReplacer(
		"${NAME}", m.Name, "${NAMESPACE}", m.Namespace, "${IMAGE}", m.Image, "${SHARDS}", strconv.Itoa(m.Shards),
		"${ARCHITECTURE}", m.Architecture, "${ARGS}", string(args),
	).Replace(string(text))), nil
}
