package scenarios

import (
	"encoding/json"
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
		for line := range strings.Lines(w.Log(t)) {
			var entry harness.Object
			if err := json.Unmarshal([]byte(line), &entry); err != nil {
				return fmt.Errorf("not JSON: %q", line)
			}
			if harness.Text(entry, "name") == "train" {
				return isDecision(entry, n.Name)
			}
		}
		return errors.New(w.Log(t))
	})
	if strings.Contains(w.Log(t), "python:3.12-slim") {
		t.Errorf("the log shows the content of an object:\n%s", w.Log(t))
	}
}

func isDecision(entry harness.Object, namespace string) error {
	want := harness.Object{"kind": "Job", "namespace": namespace, "decision": "denied"}
	for key, value := range want {
		if entry[key] != value {
			return fmt.Errorf("%s is not %v: %v", key, value, entry)
		}
	}
	if harness.Text(entry, "uid") == "" || !strings.Contains(fmt.Sprint(entry["rules"]), "TPU301") {
		return fmt.Errorf("without uid or rules: %v", entry)
	}
	return nil
}
