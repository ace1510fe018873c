package scenarios

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// What we decided, and by which rules, stands in the API server's audit log.
func TestDecisionsAreAudited(t *testing.T) {
	n := plain.namespace(t, "audit")
	install(t, n)
	n.Kubectl(t, "apply", "-f", "examples/wrong-job.yaml")
	n.Succeed(t, "apply", "-f", "examples/sound-pod.yaml")
	isAudited(t, n, "jobs", "train", "validate.tpu-admission.io/findings", "TPU301=deny", "TPU401=deny")
	isAudited(t, n, "pods", "serve", "mutate.tpu-admission.io/patched", "TPU104", "TPU601")
}

func isAudited(t *testing.T, n *harness.Namespace, resource, name, key string, rules ...string) {
	t.Helper()
	harness.Eventually(t, 5*time.Second, "the audit of "+name, func() error {
		audited, err := plain.plane.AuditAnnotations(n.Name, resource, name)
		if err != nil || len(audited) == 0 {
			return errors.Join(err, errors.New("nothing is audited"))
		}
		for _, rule := range rules {
			if !strings.Contains(harness.Text(audited[0], key), rule) {
				return fmt.Errorf("no %s in %s of %v", rule, key, audited[0])
			}
		}
		return nil
	})
}

// Each decision is one line of our log that names the object, and never its content.
func TestDecisionsAreLogged(t *testing.T) {
	n := plain.namespace(t, "log")
	w := install(t, n)
	n.Kubectl(t, "apply", "-f", "examples/wrong-job.yaml")
	harness.Eventually(t, 5*time.Second, "the log line", func() error {
		for _, decision := range w.Decisions(t, n.Name) {
			return isDenial(decision)
		}
		return errors.New(w.Log(t))
	})
	if strings.Contains(w.Log(t), "python:3.12-slim") {
		t.Errorf("the log shows the content of an object:\n%s", w.Log(t))
	}
}

func isDenial(decision harness.Object) error {
	for key, value := range map[string]string{"kind": "Job", "name": "train", "decision": "denied"} {
		if got := harness.Text(decision, key); got != value {
			return fmt.Errorf("%s is %q, not %q: %v", key, got, value, decision)
		}
	}
	rules := fmt.Sprint(decision["rules"])
	if harness.Text(decision, "uid") == "" || !strings.Contains(rules, "TPU301") {
		return fmt.Errorf("without uid or rules: %v", decision)
	}
	return nil
}
