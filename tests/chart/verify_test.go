package chart

import (
	"encoding/json"
	"strings"
	"testing"
)

// verifyPod is the pod of `helm test`, and verifyFlags its flags, by name without the dashes.
func verifyPod(t *testing.T, arguments ...string) object {
	t.Helper()
	return one(t, render(t, arguments...), "Pod")
}

func verifyFlags(t *testing.T, arguments ...string) map[string]string {
	t.Helper()
	flags := map[string]string{}
	for _, argument := range list(verifyPod(t, arguments...), "spec", "containers", 0, "args") {
		name, value, _ := strings.Cut(strings.TrimPrefix(argument.(string), "--"), "=")
		flags[name] = value
	}
	return flags
}

// The test is told what is installed, and nothing of what the policy makes of it: that it finds out.
func TestVerifyIsToldWhatIsInstalled(t *testing.T) {
	for _, test := range []struct {
		values                       string
		mutating, validating, expect string
	}{
		{"test.enabled=true", "true", "true", "any"},
		{"policy.default=warn", "true", "true", "any"},
		{"policy.default=audit", "true", "true", "any"},
		{"policy.rules.TPU301=off,policy.fixes.TPU104=false", "true", "true", "any"},
		{"webhooks.mutating.enabled=false", "false", "true", "any"},
		{"webhooks.validating.enabled=false", "true", "false", "any"},
		{"test.expect=denial", "true", "true", "denial"},
	} {
		flags := verifyFlags(t, "--set", test.values)
		if flags["mutating"] != test.mutating || flags["validating"] != test.validating || flags["expect"] != test.expect {
			t.Errorf("%s: %v", test.values, flags)
		}
		if flags["namespace"] != "default" {
			t.Errorf("%s: in the namespace %s", test.values, flags["namespace"])
		}
	}
}

// It judges by the very selector of the configurations.
func TestVerifyKnowsTheSelector(t *testing.T) {
	for _, values := range []string{
		"webhooks.excludedNamespaces={default}",
		"webhooks.namespaceSelector.matchLabels.tpu-admission\\.io/enabled=yes",
		"webhooks.namespaceSelector.matchExpressions[0].key=team,webhooks.namespaceSelector.matchExpressions[0].operator=Exists",
	} {
		var told object
		if err := json.Unmarshal([]byte(verifyFlags(t, "--set", values)["namespace-selector"]), &told); err != nil {
			t.Fatal(values, err)
		}
		for _, webhook := range webhooks(render(t, "--set", values)) {
			if want := dig(webhook, "namespaceSelector"); asJSON(t, told) != asJSON(t, want) {
				t.Errorf("%s: %v, not %v", values, told, want)
			}
		}
	}
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Where the servers can run, the test can.
func TestVerifyRunsWhereTheServersRun(t *testing.T) {
	objects := render(t, "--set", "nodeSelector.pool=system,tolerations[0].key=dedicated,tolerations[0].operator=Exists",
		"--set", "imagePullSecrets[0].name=registry,priorityClassName=high,image.digest=sha256:"+strings.Repeat("0", 64))
	server := dig(one(t, objects, "Deployment", "tpu-admission"), "spec", "template", "spec")
	test := dig(one(t, objects, "Pod"), "spec")
	for _, field := range []string{"nodeSelector", "tolerations", "imagePullSecrets", "priorityClassName", "securityContext"} {
		if dig(test, field) == nil || asJSON(t, dig(test, field)) != asJSON(t, dig(server, field)) {
			t.Errorf("%s: %v, not %v", field, dig(test, field), dig(server, field))
		}
	}
	for _, field := range []string{"image", "imagePullPolicy", "securityContext"} {
		if asJSON(t, dig(test, "containers", 0, field)) != asJSON(t, dig(server, "containers", 0, field)) {
			t.Errorf("%s: %v", field, dig(test, "containers", 0, field))
		}
	}
}

// It may ask for Pods and read the one namespace, there and nowhere else.
func TestVerifyMayLittle(t *testing.T) {
	var tests []object
	for _, o := range render(t, "--set", "test.namespace=canary") {
		if isTest(o) {
			tests = append(tests, o)
		}
	}
	role := one(t, tests, "Role")
	want := `[{"apiGroups":[""],"resources":["pods"],"verbs":["create"]},` +
		`{"apiGroups":[""],"resourceNames":["canary"],"resources":["namespaces"],"verbs":["get"]}]`
	if got := asJSON(t, role["rules"]); got != want {
		t.Errorf("%s", got)
	}
	for _, kind := range []string{"Role", "RoleBinding"} {
		if text(one(t, tests, kind), "metadata", "namespace") != "canary" {
			t.Errorf("the %s is not in the test's namespace", kind)
		}
	}
	if len(only(tests, "ClusterRole"))+len(only(tests, "ClusterRoleBinding")) > 0 {
		t.Error("rights in the whole cluster")
	}
}

func TestVerifyCanBeLeftOut(t *testing.T) {
	for _, o := range render(t, "--set", "test.enabled=false") {
		if isTest(o) {
			t.Errorf("%s %s is there", kind(o), name(o))
		}
	}
	if _, complaint, err := template("--set", "test.expect=patch"); err == nil || !strings.Contains(complaint, "expect") {
		t.Errorf("test.expect=patch: %s", complaint)
	}
}
