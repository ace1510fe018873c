package scenarios

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// From nothing to nothing: install, upgrade, roll back, uninstall, and what happens between.
func TestChartWithOwnCertificate(t *testing.T) {
	i := prepare(t, "--set", "webhooks.excludedNamespaces={left-alone}")
	i.useOwnCertificate()
	before := everythingThere(i)
	i.install()
	if got := len(i.kubelet.Ready("server")); got != 2 {
		t.Errorf("%d servers, not 2", got)
	}
	says(t, i.team.Kubectl(t, "apply", "-f", "examples/wrong-job.yaml"), denied, "TPU301")

	t.Run("latency", func(t *testing.T) { latency(t, i) })
	t.Run("a rolling restart loses nothing", func(t *testing.T) { rollingRestartLosesNothing(t, i) })
	t.Run("a new certificate loses nothing", func(t *testing.T) { newCertificateOfOwn(t, i) })
	t.Run("a policy is reloaded", func(t *testing.T) { policyOfValuesIsReloaded(t, i) })

	i.helm("upgrade", "tpu-admission", chart, "--wait", "--set", "server.logLevel=debug")
	i.awaitDenial()
	i.helm("rollback", "tpu-admission", "1", "--wait")
	i.awaitDenial()
	// The last, since a rollback would bring the old CA back.
	var ca string
	t.Run("a new CA loses nothing", func(t *testing.T) { ca = newCAOfOwn(t, i) })
	t.Run("from self-managed", func(t *testing.T) { fromSelfManaged(t, i, ca) })

	i.uninstall(30*time.Second, before)
}

// uninstall takes the chart away: TPU workloads go in unjudged then, and within the time nothing is there
// but what may be.
func (i *installation) uninstall(within time.Duration, mayBe []string) {
	i.Helper()
	i.helm("uninstall", "tpu-admission", "--wait")
	says(i.T, i.team.Succeed(i.T, "apply", "-f", "examples/wrong-job.yaml"), "created")
	harness.Eventually(i.T, within, "nothing of ours to be left", func() error {
		return sameObjects(mayBe, everythingThere(i))
	})
}

// everythingThere names all objects of the kinds that a chart can have, those of events and of the
// users' namespace left out.
func everythingThere(i *installation) []string {
	i.Helper()
	kinds := "mutatingwebhookconfigurations,validatingwebhookconfigurations,clusterroles,clusterrolebindings," +
		"validatingadmissionpolicies,validatingadmissionpolicybindings,priorityclasses,namespaces"
	objects := i.system.Succeed(i.T, "get", kinds, "-o", "name").Stdout
	namespaced := i.system.Succeed(i.T, "api-resources", "--namespaced", "--verbs=list", "-o", "name").Stdout
	kinds = strings.Join(strings.Fields(strings.NewReplacer("events.events.k8s.io", "", "events", "").Replace(namespaced)), ",")
	objects += i.system.Succeed(i.T, "get", kinds, "-o", "name").Stdout
	return strings.Fields(objects)
}

func sameObjects(before, after []string) error {
	known := map[string]bool{}
	for _, name := range before {
		known[name] = true
	}
	var left []string
	for _, name := range after {
		if !known[name] {
			left = append(left, name)
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("left behind: %v", left)
	}
	return nil
}
