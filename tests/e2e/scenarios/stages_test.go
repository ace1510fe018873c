package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// The rollout of docs/install.md: from looking over warnings to denials, each stage by the values that
// it changes. What was set before, here the certificate, stays.
func TestRolloutInStages(t *testing.T) {
	i := prepare(t)
	i.useOwnCertificate()
	i.install()

	i.stage("policy.default=audit", "webhooks.mutating.enabled=false")
	harness.Eventually(t, 60*time.Second, "the stage of looking", func() error {
		if err := soundIsPatched(i.team); err == nil {
			return fmt.Errorf("the sound Pod is still patched")
		}
		return i.wrongIsWarnedOf("")
	})
	i.stage("policy.default=warn", "webhooks.mutating.enabled=true")
	harness.Eventually(t, 60*time.Second, "the stage of warnings", func() error {
		if err := soundIsPatched(i.team); err != nil {
			return err
		}
		return i.wrongIsWarnedOf("TPU101")
	})
	i.stage("policy.default=deny")
	i.awaitDenial()
}

// stage is the upgrade of docs/install.md with some values.
func (i *installation) stage(values ...string) {
	i.Helper()
	out := i.system.Helm(i.T, tools, "upgrade", "tpu-admission", chart, "--reset-then-reuse-values",
		"--set", strings.Join(values, ","))
	if out.Code != 0 {
		i.Fatal(out)
	}
}

// wrongIsWarnedOf asks by dry run for a wrong Pod, which is let in with a warning of the rule; with none at
// all if the rule is "".
func (i *installation) wrongIsWarnedOf(rule string) error {
	warnings, err := i.team.Warnings("/api/v1", "pods", wrongPod)
	if err != nil {
		return err
	}
	if all := strings.Join(warnings, "\n"); rule == "" && all != "" || !strings.Contains(all, rule) {
		return fmt.Errorf("the warnings are %q, not of %q", all, rule)
	}
	return nil
}
