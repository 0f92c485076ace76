package relay

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	jsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
)

// toldBody is what a watch sends on its way to the client, with each object told of when the client has taken it.
type toldBody struct {
	io.ReadCloser
	copied *io.PipeWriter
	told   *told
}

// newToldBody reads along in the watch of that content type.
func newToldBody(inner io.ReadCloser, contentType string, told *told) io.ReadCloser {
	taken, copied := io.Pipe()
	b := &toldBody{ReadCloser: inner, copied: copied, told: told}
	told.begin(b)
	go func() {
		err := readAlong(taken, strings.HasPrefix(contentType, runtime.ContentTypeProtobuf), func(object *metav1.PartialObjectMetadata) { told.note(b, object) })
		// What cannot be read is told of to nobody, and passed on all the same.
		_ = taken.CloseWithError(err)
	}()
	return b
}

// Read implements io.Reader.
func (b *toldBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	// Who reads along may have stopped.
	_, _ = b.copied.Write(p[:n])
	return n, err
}

// Close implements io.Closer.
func (b *toldBody) Close() error {
	b.told.end(b)
	_ = b.copied.Close()
	return b.ReadCloser.Close()
}

// largestFrame is more than one event of a watch has: etcd takes no object of more than 1.5 MiB.
const largestFrame = 4 << 20

// readAlong tells of the objects in a watch until that ends.
func readAlong(stream io.ReadCloser, inProtobuf bool, tell func(*metav1.PartialObjectMetadata)) error {
	framer, metadataOf := runtime.Framer(jsonserializer.Framer), metadataInJSON
	if inProtobuf {
		framer, metadataOf = protobuf.LengthDelimitedFramer, metadataInProtobuf
	}
	frames, buffer := framer.NewFrameReader(stream), make([]byte, largestFrame)
	for {
		n, err := frames.Read(buffer)
		if err != nil {
			return err
		}
		object, err := metadataOf(buffer[:n])
		if err != nil {
			return fmt.Errorf("read an event of a watch: %w", err)
		}
		tell(object)
	}
}

// metadataInJSON is what the object of an event says of itself.
func metadataInJSON(frame []byte) (*metav1.PartialObjectMetadata, error) {
	var event struct {
		Object metav1.PartialObjectMetadata `json:"object"`
	}
	err := json.Unmarshal(frame, &event)
	return &event.Object, err
}

// protobufPrefix is before every object in the encoding that Kubernetes has of its own.
const protobufPrefix = "k8s\x00"

// metadataInProtobuf is metadataInJSON. In every message of an object the first field is its metadata.
func metadataInProtobuf(frame []byte) (*metav1.PartialObjectMetadata, error) {
	var event metav1.WatchEvent
	if err := event.Unmarshal(frame); err != nil {
		return nil, err
	}
	message, found := strings.CutPrefix(string(event.Object.Raw), protobufPrefix)
	if !found {
		return nil, fmt.Errorf("the object does not begin with %q", protobufPrefix)
	}
	var unknown runtime.Unknown
	if err := unknown.Unmarshal([]byte(message)); err != nil {
		return nil, err
	}
	object := &metav1.PartialObjectMetadata{}
	return object, object.Unmarshal(unknown.Raw)
}
