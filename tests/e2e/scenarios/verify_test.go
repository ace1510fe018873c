package scenarios

import (
	"errors"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// `helm test` passes where both webhooks answer, whatever the policy makes of the wrong Pod, and says
// what it has seen.
func TestHelmTest(t *testing.T) {
	i := prepare(t)
	i.useOwnCertificate()
	i.install()
	for _, test := range []struct {
		name   string
		values []string
		says   string
	}{
		{"the defaults", nil, "denied"},
		{"a denial is expected", []string{"--set", "test.expect=denial"}, "denied"},
		{"one rule warns", []string{"--set", "policy.rules.TPU301=warn"}, "let in, with our warning"},
		{"all warn, and a warning is expected", []string{"--set", "policy.default=warn,test.expect=warning"}, "let in, with our warning"},
		{"audit", []string{"--set", "policy.default=audit"}, "let in, and nothing is said"},
		{"off here, and no fix", []string{"--set", "policy.namespaces[0].match=def*,policy.namespaces[0].default=off,policy.fixes.TPU104=false"}, "let in, and nothing is said"},
		{"the mutating webhook is off", []string{"--set", "webhooks.mutating.enabled=false"}, "denied"},
		{"Autopilot, strict", []string{"--set", "policy.profile=strict,cluster.mode=autopilot"}, "denied"},
		{"a namespace under Pod Security", []string{"--set", "test.namespace=team"}, "denied"},
		{"policies that name the same rule", []string{"--set", "vap.enabled=true,policy.default=audit"}, "let in, and nothing is said"},
	} {
		t.Run(test.name, func(t *testing.T) {
			i.team.Succeed(t, "label", "namespace", i.team.Name, "pod-security.kubernetes.io/enforce=restricted", "--overwrite")
			i.configure(test.values...)
			out, log := i.test(t)
			says(t, out, "Phase:          Succeeded")
			for _, line := range []string{"validate.tpu-admission.io answers", "chips of its host: " + test.says, "the same Pod with 4 chips: let in, and nothing is said"} {
				if !strings.Contains(log, line) {
					t.Errorf("%q is not in\n%s", line, log)
				}
			}
		})
	}
}

// It fails where nothing was shown, and says why.
func TestHelmTestFails(t *testing.T) {
	i := prepare(t)
	i.useOwnCertificate()
	i.install()
	for _, test := range []struct {
		name   string
		values []string
		says   string
	}{
		{"more is expected than the policy does", []string{"--set", "policy.default=warn,test.expect=denial"}, "a denial was expected"},
		{"the namespace is left alone by name", []string{"--set", "webhooks.excludedNamespaces={default}"}, "nothing was tested: the webhooks leave the namespace default alone"},
		{"the namespace is left alone by a label", []string{"--set", `webhooks.namespaceSelector.matchLabels.tpu-admission\.io/enabled=yes`}, "nothing was tested: the webhooks leave the namespace default alone"},
		{"both webhooks are off", []string{"--set", "webhooks.mutating.enabled=false,webhooks.validating.enabled=false"}, "nothing was tested: both webhooks are turned off"},
		{"the servers are dead", []string{"--set", "policy.default=audit"}, "mutate.tpu-admission.io does not answer: the API server took the Pod without it"},
		{"the servers are dead, under Fail", []string{"--set", "webhooks.failurePolicy=Fail"}, `failed calling webhook "mutate.tpu-admission.io"`},
	} {
		t.Run(test.name, func(t *testing.T) {
			i.configure(test.values...)
			if strings.Contains(test.name, "dead") {
				i.kubelet.Crash("server")
				defer i.kubelet.Recover("server")
			}
			out, log := i.test(t)
			says(t, out, "Phase:          Failed")
			if out.Code == 0 || !strings.Contains(log, test.says) {
				t.Errorf("exit code %d; %q is not in\n%s", out.Code, test.says, log)
			}
		})
	}
}

// configure changes the values and returns when all servers have read them.
func (i *installation) configure(values ...string) {
	i.Helper()
	policy := func() string {
		return harness.Text(i.system.Object(i.T, "configmap", "tpu-admission-config"), "data", "policy.yaml")
	}
	before, begin := policy(), time.Now()
	i.helm("upgrade", append([]string{"tpu-admission", chart, "--wait", "--timeout", "90s"}, values...)...)
	if policy() == before {
		return
	}
	const family = "tpu_admission_config_last_reload_success_timestamp_seconds"
	harness.Eventually(i.T, 30*time.Second, "the policy", func() error {
		for _, text := range i.kubelet.Metrics(i.T, "server") {
			if harness.SumMetric(text, family) < float64(begin.UnixMilli())/1000 {
				return errors.New("a server has not read it")
			}
		}
		return nil
	})
}

// test runs `helm test`, which may fail, and returns what its pod has written.
func (i *installation) test(t *testing.T) (out harness.Output, log string) {
	t.Helper()
	const pod = "tpu-admission-test"
	before := len(i.kubelet.Log(pod))
	out = i.system.Helm(t, tools, "test", "tpu-admission", "--timeout", "90s")
	return out, i.kubelet.Log(pod)[before:]
}
