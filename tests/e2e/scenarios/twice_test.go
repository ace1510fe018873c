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
	manifests, err := filepath.Glob("testdata/kinds/*.yaml")
	if err != nil || len(manifests) < 7 {
		t.Fatalf("%d manifests: %v", len(manifests), err)
	}
	n := plain.namespace(t, "twice")
	install(t, n)
	for _, manifest := range manifests {
		t.Run(strings.TrimSuffix(filepath.Base(manifest), ".yaml"), func(t *testing.T) {
			applyTwice(t, n, filepath.Join("tests/e2e/scenarios", manifest))
		})
	}
}

func applyTwice(t *testing.T, n *harness.Namespace, manifest string) {
	says(t, n.Succeed(t, "apply", "-f", manifest), " created")
	first := generation(t, n, manifest)
	out := n.Succeed(t, "apply", "-f", manifest)
	if !strings.Contains(out.Stdout, " unchanged") && !strings.Contains(out.Stdout, " configured") {
		t.Errorf("neither unchanged nor configured:\n%s", out)
	}
	if second := generation(t, n, manifest); second != first {
		t.Errorf("the second apply has made generation %v of %v: a rollout", second, first)
	}
}

func generation(t *testing.T, n *harness.Namespace, manifest string) any {
	t.Helper()
	out := n.Succeed(t, "get", "-f", manifest, "-o", "json")
	return harness.Dig(harness.ParseObject(t, out.Stdout), "metadata", "generation")
}
