package scenarios

import (
	"path/filepath"
	"strings"
	"testing"

	"tpu-admission.io/e2e/harness"
)

// What a user applies twice must stay as it is: a patch that kubectl undoes on the second apply
// would be an error on a Job and a rollout on a Deployment.
func TestSecondApplyChangesNothing(t *testing.T) {
	n := plain.namespace(t, "twice")
	install(t, n)
	for _, path := range kinds(t) {
		kind := strings.TrimSuffix(filepath.Base(path), ".yaml")
		t.Run(kind, func(t *testing.T) {
			applyTwice(t, n, path, " unchanged", " configured")
		})
		t.Run(kind+"-server-side", func(t *testing.T) {
			applyTwice(t, n, path, " serverside-applied", " serverside-applied", "--server-side")
		})
	}
}

// applyTwice makes the object and applies it again. The second time kubectl must say one of two
// things.
func applyTwice(t *testing.T, n *harness.Namespace, path, either, or string, options ...string) {
	apply := append([]string{"apply", "-f", path}, options...)
	t.Cleanup(func() { n.Kubectl(t, "delete", "-f", path, "--force") })
	n.Succeed(t, apply...)
	first := generation(t, n, path)
	out := n.Succeed(t, apply...)
	if !strings.Contains(out.Stdout, either) && !strings.Contains(out.Stdout, or) {
		t.Errorf("neither%s nor%s:\n%s", either, or, out)
	}
	if second := generation(t, n, path); second != first {
		t.Errorf("the second apply has made generation %v of %v: a rollout", second, first)
	}
}

func generation(t *testing.T, n *harness.Namespace, path string) any {
	t.Helper()
	out := n.Succeed(t, "get", "-f", path, "-o", "json")
	return harness.Dig(harness.ParseObject(t, out.Stdout), "metadata", "generation")
}
