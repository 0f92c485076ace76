package job

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/rollcall-conformance/rollcall/fixtures"
)

// Manifest has the values for fixtures/job/job.yaml. All are required.
type Manifest struct {
	// Name of the Job, and its Namespace, which is made.
	Name, Namespace string
	// Image is the image's reference.
	Image string
	// Shards is the number of pods.
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
