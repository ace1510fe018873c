package scenarios

import (
	"encoding/json"
	"errors"
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
// all rules; and of their own rules they find nearly all.
func TestPoliciesAgreeWithUs(t *testing.T) {
	n := plain.namespace(t, "policies")
	installPolicies(t, n)
	fixtures, err := filepath.Glob(filepath.Join(root, "tests", "rules", "*", "*.yaml"))
	if err != nil || len(fixtures) < 100 {
		t.Fatalf("%d fixtures: %v", len(fixtures), err)
	}
	found, missed := 0, []string{}
	for _, fixture := range fixtures {
		theirs, ok := policyFindings(t, n, fixture)
		if !ok {
			continue
		}
		ours := ourFindings(t, fixture)
		for _, rule := range theirs {
			// Which of two rules of a family finds it first may differ.
			if !slices.ContainsFunc(ours, func(o string) bool { return o[:4] == rule[:4] }) {
				t.Errorf("%s: the policy says %s, we say %v", fixture, rule, ours)
			}
			found++
		}
		for _, rule := range ours {
			if slices.Contains(policyRules, rule) && !slices.Contains(theirs, rule) {
				missed = append(missed, rule+" of "+filepath.Base(filepath.Dir(fixture))+"/"+filepath.Base(fixture))
			}
		}
	}
	t.Logf("the policies find %d of %d faults of their four rules", found, found+len(missed))
	if found < 10 {
		t.Errorf("too few; these are missed: %q", missed)
	}
}

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
		if warnings, err := n.Warnings("/api/v1", "pods", wrongPod); err != nil || len(warnings) == 0 {
			return errors.Join(err, errors.New("no warning"))
		}
		return nil
	})
	policy := n.Object(t, "validatingadmissionpolicy", "tpu-admission")
	if complaints := harness.List(policy, "status", "typeChecking", "expressionWarnings"); len(complaints) > 0 {
		t.Errorf("%v", complaints)
	}
}

var plurals = map[string]string{"Pod": "pods", "Job": "jobs", "CronJob": "cronjobs", "Deployment": "deployments",
	"StatefulSet": "statefulsets", "ReplicaSet": "replicasets", "DaemonSet": "daemonsets"}

// policyFindings are the rules that the policies name for the fixture; false if it is of another kind,
// or the API server does not take it anyhow.
func policyFindings(t *testing.T, n *harness.Namespace, fixture string) (rules []string, ok bool) {
	t.Helper()
	text, err := os.ReadFile(fixture)
	if err != nil {
		t.Fatal(err)
	}
	var manifest object
	if yaml.Unmarshal(text, &manifest) != nil || plurals[harness.Text(manifest, "kind")] == "" {
		return nil, false
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
	return rulesIn(strings.Join(warnings, "\n")), err == nil
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
