package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/yaml"
	"tpu-admission.io/e2e/harness"
)

// The rules that the API server evaluates itself say nothing that we do not say, over the fixtures of
// all rules: neither `check` nor, asked about the same object by the same API server, the webhook. What
// they miss of their own rules (init containers, affinity, sizes in doubt) is logged.
func TestPoliciesAgreeWithUs(t *testing.T) {
	n := plain.namespace(t, "policies")
	install(t, n)
	installPolicies(t, n)
	fixtures, err := filepath.Glob(filepath.Join(root, "src", "rules", "*", "cases", "*.yaml"))
	if err != nil || len(fixtures) < 100 {
		t.Fatalf("%d fixtures: %v", len(fixtures), err)
	}
	found, missed := 0, []string{}
	for _, fixture := range fixtures {
		said, ok := askBoth(t, n, fixture)
		if !ok {
			continue
		}
		checked := ourFindings(t, fixture)
		for _, rule := range said.policy {
			if !slices.Contains(checked, rule) || !slices.Contains(said.webhook, rule) {
				t.Errorf("%s: the policy says %s, check says %v, the webhook %v", fixture, rule, checked, said.webhook)
			}
			found++
		}
		for _, rule := range said.webhook {
			if slices.Contains(policyRules, rule) && !slices.Contains(said.policy, rule) {
				missed = append(missed, rule+" of "+filepath.Base(filepath.Dir(filepath.Dir(fixture)))+"/"+filepath.Base(fixture))
			}
		}
	}
	t.Logf("the policies find %d of %d faults of their four rules; missed: %q", found, found+len(missed), missed)
	if found < 15 {
		t.Error("too few")
	}
}

// While the webhook is dead, the policies still warn; while it lives, the user reads both.
func TestPoliciesWarnWithoutTheWebhook(t *testing.T) {
	n := plain.namespace(t, "policies-alone")
	w := install(t, n)
	installPolicies(t, n)
	const warning = "Warning: Validation failed for " + policyName
	out := n.Kubectl(t, "apply", "-f", "examples/wrong-pod.yaml")
	isDenied(t, out, warning, "TPU101 accelerator-unknown: no node has the accelerator tpu-v6e-podslice")
	w.Kill()
	out = n.Succeed(t, "apply", "-f", "examples/wrong-pod.yaml")
	says(t, out, warning, "TPU101 accelerator-unknown: no node has the accelerator tpu-v6e-podslice", "pod/notebook created")
	out = n.Succeed(t, "apply", "-f", "examples/sound-pod.yaml")
	if strings.Contains(out.All(), "Warning") {
		t.Errorf("a sound Pod is warned about:\n%s", out)
	}
}

// How a warning names its author.
const policyName = "ValidatingAdmissionPolicy 'tpu-admission'"

var policyRules = []string{"TPU101", "TPU201", "TPU203", "TPU301"}

func installPolicies(t *testing.T, n *harness.Namespace) {
	t.Helper()
	rendered := n.Helm(t, tools, "template", "tpu-admission", chart, "--kube-version", "1.36.2", "--namespace", "tpu-admission-system",
		"--set", "vap.enabled=true", "--show-only", "templates/validatingadmissionpolicy.yaml")
	if out := n.Apply(t, rendered.Stdout); out.Code != 0 {
		t.Fatal(rendered, out)
	}
	t.Cleanup(func() {
		n.Kubectl(t, "delete", "validatingadmissionpolicy,validatingadmissionpolicybinding", "tpu-admission")
	})
	harness.Eventually(t, 30*time.Second, "the policies", func() error {
		warnings, err := n.Warnings("/api/v1", "pods", wrongPod)
		if strings.Contains(strings.Join(warnings, "\n"), policyName) {
			return nil
		}
		return fmt.Errorf("no warning of theirs: %q, %w", warnings, err)
	})
	policy := n.Object(t, "validatingadmissionpolicy", "tpu-admission")
	if complaints := harness.List(policy, "status", "typeChecking", "expressionWarnings"); len(complaints) > 0 {
		t.Errorf("%v", complaints)
	}
}

var plurals = map[string]string{"Pod": "pods", "Job": "jobs", "CronJob": "cronjobs", "Deployment": "deployments",
	"StatefulSet": "statefulsets", "ReplicaSet": "replicasets", "DaemonSet": "daemonsets"}

// said is what one answer of the API server names: rules, by who names them.
type said struct{ policy, webhook []string }

// askBoth asks by dry run what becomes of the fixture; false if the policies are not for its kind, or
// the API server does not take it anyhow.
func askBoth(t *testing.T, n *harness.Namespace, fixture string) (answer said, ok bool) {
	t.Helper()
	text, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	var manifest object
	if yaml.Unmarshal(text, &manifest) != nil || plurals[harness.Text(manifest, "kind")] == "" {
		return said{}, false
	}
	group := harness.Text(manifest, "apiVersion")
	if group == "v1" {
		group = "/api/v1"
	} else {
		group = "/apis/" + group
	}
	metadata, _ := manifest["metadata"].(object)
	delete(metadata, "namespace")
	delete(metadata, "ownerReferences")
	warnings, err := n.Warnings(group, plurals[harness.Text(manifest, "kind")], manifest)
	var policy, webhook []string
	for _, warning := range warnings {
		if strings.Contains(warning, policyName) {
			policy = append(policy, warning)
		} else {
			webhook = append(webhook, warning)
		}
	}
	if err != nil {
		webhook = append(webhook, err.Error())
	}
	ok = err == nil || strings.Contains(err.Error(), "validate.tpu-admission.io")
	return said{rulesIn(strings.Join(policy, "\n")), rulesIn(strings.Join(webhook, "\n"))}, ok
}

func rulesIn(text string) []string {
	rules := regexp.MustCompile(`TPU[0-9]{3}`).FindAllString(text, -1)
	slices.Sort(rules)
	return slices.Compact(rules)
}

// ourFindings are the rules that `tpu-admission check` names for it.
func ourFindings(t *testing.T, fixture string) []string {
	t.Helper()
	out, err := exec.Command(binary, "check", "--output", "json", fixture).Output()
	var findings any
	if parsed := json.Unmarshal(out, &findings); parsed != nil {
		t.Fatal(fmt.Errorf("%s: %w, %w", fixture, err, parsed))
	}
	return rulesIn(string(out))
}
