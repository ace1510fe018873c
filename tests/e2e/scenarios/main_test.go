// Package scenarios shows tpu-admission at work in a real control plane, through the real kubectl.
// tests/e2e/run builds what it needs, sets the environment below and runs it.
package scenarios

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"tpu-admission.io/e2e/harness"
)

var (
	root     = os.Getenv("E2E_ROOT")             // the repository; kubectl runs here
	output   = os.Getenv("E2E_OUTPUT")           // folder for texts worth keeping
	programs = os.Getenv("E2E_PROGRAMS")         // folder of etcd, kube-apiserver, ..., kubectl
	work     = os.Getenv("E2E_WORK")             // temporary folder: data and logs
	binary   = os.Getenv("TPU_ADMISSION_BINARY") // what is tested
)

// Paths from root.
const (
	configurations = "deploy/webhook-configurations.yaml"
	testdata       = "tests/e2e/scenarios/testdata"
)

// Control planes, each started by the first scenario that uses it.
var (
	plain = &shared{name: "plain"}
	// GKE runs this admission plugin; without it our toleration would be hard to see.
	// And there the API server may trace its requests.
	likeGKE = &shared{name: "like-gke", options: harness.Options{ExtendedResourceToleration: true, Tracing: true}}
)

func TestMain(m *testing.M) {
	for _, name := range []string{"E2E_ROOT", "E2E_OUTPUT", "E2E_PROGRAMS", "E2E_TOOLS", "E2E_WORK", "TPU_ADMISSION_BINARY"} {
		if os.Getenv(name) == "" {
			fmt.Fprintln(os.Stderr, name, "is not set: these tests are run by ./dev e2e")
			os.Exit(2)
		}
	}
	code := m.Run()
	plain.stop()
	likeGKE.stop()
	production.stop()
	crowded.stop()
	os.Exit(code)
}

type shared struct {
	name    string
	options harness.Options
	once    sync.Once
	plane   *harness.ControlPlane
	err     error
}

// namespace returns a new namespace of the control plane, which it starts if need be.
func (s *shared) namespace(t *testing.T, name string) *harness.Namespace {
	t.Helper()
	s.once.Do(func() {
		s.plane, s.err = harness.StartControlPlane(programs, work, s.name, s.options)
	})
	if s.err != nil {
		t.Fatalf("the control plane %q did not start: %v", s.name, s.err)
	}
	return s.plane.NewNamespace(t, root, name)
}

func (s *shared) stop() {
	if s.plane != nil {
		s.plane.Stop()
	}
}

// install puts tpu-admission in the way of the whole control plane until the test ends.
func install(t *testing.T, n *harness.Namespace) *harness.Webhook {
	t.Helper()
	return n.InstallWebhook(t, binary, configurations)
}

// kinds are the manifests of a sound object of every kind, as paths from root.
func kinds(t *testing.T) []string {
	t.Helper()
	manifests, err := filepath.Glob(filepath.Join(root, testdata, "kinds", "*.yaml"))
	if err != nil || len(manifests) < 7 {
		t.Fatalf("%d manifests: %v", len(manifests), err)
	}
	for i, manifest := range manifests {
		manifests[i] = filepath.Join(testdata, "kinds", filepath.Base(manifest))
	}
	return manifests
}

// says fails the test unless the output contains every part.
func says(t *testing.T, out harness.Output, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if err := contains(out, part); err != nil {
			t.Error(err)
		}
	}
}

func contains(out harness.Output, part string) error {
	if strings.Contains(out.All(), part) {
		return nil
	}
	return fmt.Errorf("%q is not in\n%s", part, out)
}
