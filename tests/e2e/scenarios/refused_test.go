package scenarios

import (
	"strings"
	"testing"
)

// What rules say that the API server refuses by itself, without any webhook.
func TestTheAPIServerRefusesPathsInSelectors(t *testing.T) {
	n := plain.namespace(t, "refused")
	pod := func(value string) string {
		return `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "train"}, "spec": {"nodeSelector":
			{"cloud.google.com/reservation-name": "` + value + `"}, "containers": [{"name": "jax", "image": "jax"}]}}`
	}
	out := n.Apply(t, pod("projects/p/reservations/r"), "--dry-run=server")
	if out.Code == 0 || !strings.Contains(out.All(), "a valid label must be") {
		t.Errorf("a path in a selector was not refused: %s", out)
	}
	if out = n.Apply(t, pod("r"), "--dry-run=server"); out.Code != 0 {
		t.Errorf("a name in a selector was refused: %s", out)
	}

	claim := func(class string) string {
		return `{"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaimTemplate", "metadata": {"name": "chips"}, "spec":
			{"spec": {"devices": {"requests": [{"name": "tpu", "exactly": {"deviceClassName": "` + class + `"}}]}}}}`
	}
	out = n.Apply(t, claim("google.com/tpu"), "--dry-run=server")
	if out.Code == 0 || !strings.Contains(out.All(), "deviceClassName: Invalid value") {
		t.Errorf("a path as the name of a device class was not refused: %s", out)
	}
	if out = n.Apply(t, claim("tpu.google.com"), "--dry-run=server"); out.Code != 0 {
		t.Errorf("the name of a device class was refused: %s", out)
	}
}
