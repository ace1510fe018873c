package scenarios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tpu-admission.io/e2e/harness"
)

const denied = `admission webhook "validate.tpu-admission.io" denied the request: `

func TestWrongJobIsDenied(t *testing.T) {
	n := plain.namespace(t, "wrong-job")
	install(t, n)
	wrongJobIsDenied(t, n.Kubectl(t, "apply", "-f", "examples/wrong-job.yaml"))
	isAbsent(t, n, "job", "train")
}

func TestWrongPodIsDenied(t *testing.T) {
	n := plain.namespace(t, "wrong-pod")
	install(t, n)
	out := n.Kubectl(t, "apply", "-f", "examples/wrong-pod.yaml")
	isDenied(t, out, `Pod "notebook"`, "TPU101", "tpu-v6e-podslice", "-> ", "tpu-v6e-slice")
	isAbsent(t, n, "pod", "notebook")
}

// Every kind is judged by the pod template that it carries.
func TestWrongTemplateOfEveryKindIsDenied(t *testing.T) {
	n := plain.namespace(t, "every-kind")
	install(t, n)
	for _, manifest := range kinds(t) {
		isDenied(t, n.Apply(t, misspelt(t, manifest)), "TPU101", "tpu-v6e-slice")
	}
}

// misspelt returns a sound manifest with an accelerator that does not exist.
func misspelt(t *testing.T, manifest string) string {
	t.Helper()
	sound, err := os.ReadFile(filepath.Join(root, manifest))
	if err != nil {
		t.Fatal(err)
	}
	return strings.ReplaceAll(string(sound), "tpu-v6e-slice", "tpu-v6e-podslice")
}

// A dry run is judged and patched like the real thing, and leaves nothing behind.
func TestDryRun(t *testing.T) {
	n := plain.namespace(t, "dry-run")
	install(t, n)
	out := n.Kubectl(t, "apply", "--dry-run=server", "-f", "examples/wrong-job.yaml")
	wrongJobIsDenied(t, out)

	out = n.Succeed(t, "apply", "--dry-run=server", "-f", "examples/sound-pod.yaml")
	says(t, out, "pod/serve created (server dry run)")
	out = n.Succeed(t, "apply", "--dry-run=server", "-o", "json", "-f", "examples/sound-pod.yaml")
	isPatched(t, harness.ParseObject(t, out.Stdout), harness.V6ex4)
	isAbsent(t, n, "pod", "serve")
}

// wrongJobIsDenied asserts on all that a reader of the answer to examples/wrong-job.yaml needs:
// both faults, where they are, and the change to make.
func wrongJobIsDenied(t *testing.T, out harness.Output) {
	t.Helper()
	isDenied(t, out, `Job "train"`,
		"TPU301 chips-per-host", `spec.template.spec.containers[0] "jax"`,
		"TPU401 hosts", "spec.parallelism",
		"What would run:\n  a) keep 4x4, 16 chips on 4 hosts:",
		"containers[0] google.com/tpu: 4, parallelism: 4, completions: 4")
	_, message, _ := strings.Cut(out.Stderr, denied)
	first, _, _ := strings.Cut(message, "\n")
	if len(first) > 400 || !strings.Contains(first, "TPU301") {
		t.Errorf("the first line must stand alone in at most 400 characters: %q", first)
	}
}

func isDenied(t *testing.T, out harness.Output, parts ...string) {
	t.Helper()
	if out.Code != 1 {
		t.Errorf("exit code %d, not 1", out.Code)
	}
	says(t, out, append(parts, "Error from server (Forbidden): ", denied)...)
}

func isAbsent(t *testing.T, n *harness.Namespace, kind, name string) {
	t.Helper()
	out := n.Kubectl(t, "get", kind, name)
	says(t, out, "Error from server (NotFound)")
}
