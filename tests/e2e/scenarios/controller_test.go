package scenarios

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// controllerEnv are values that set environment twins of the controller's flags.
func controllerEnv(variables ...string) (values []string) {
	for i, variable := range variables {
		name, value, _ := strings.Cut(variable, "=")
		values = append(values, "--set-string", fmt.Sprintf("controller.extraEnv[%d].name=TPU_ADMISSION_%s,controller.extraEnv[%d].value=%s", i, name, i, value))
	}
	return values
}

// With the defaults: the controller makes the certificate and tells the API server, and mends what
// others break, unless it is told not to.
func TestChartWithTheDefaults(t *testing.T) {
	i := prepare(t, controllerEnv("POLL_INTERVAL=1s")...)
	before := everythingThere(i)
	i.install()

	t.Run("Prometheus answers the dashboard", func(t *testing.T) { prometheusScrapes(t, i) })
	t.Run("helm test", func(t *testing.T) {
		says(t, i.helm("test", "tpu-admission", "--timeout", "90s"), "Phase:          Succeeded")
	})
	t.Run("upgrade and rollback clear nothing", func(t *testing.T) { upgradeClearsNothing(t, i) })
	t.Run("an emptied caBundle is filled again", func(t *testing.T) {
		emptyBundles(t, i)
		bundlesAreThere(t, i)
		i.awaitDenial()
	})
	t.Run("the kill switch is not fought", func(t *testing.T) { killSwitchHolds(t, i) })
	t.Run("a restarted API server is found again", func(t *testing.T) {
		if err := production.plane.RestartAPIServer(); err != nil {
			t.Fatal(err)
		}
		emptyBundles(t, i)
		bundlesAreThere(t, i)
		i.awaitDenial()
	})
	t.Run("a Lease is not needed", func(t *testing.T) { // Argo CD leaves Leases out
		i.system.Succeed(t, "delete", "lease", "tpu-admission-controller")
		time.Sleep(11 * time.Second) // until the leader stops
		emptyBundles(t, i)
		bundlesAreThere(t, i)
	})

	i.uninstall(30*time.Second, before)
}

// upgradeClearsNothing takes the controller away, so that what is there afterwards was left by helm.
func upgradeClearsNothing(t *testing.T, i *installation) {
	i.T.Helper()
	i.system.Succeed(t, "scale", "deployment/tpu-admission-controller", "--replicas=0")
	harness.Eventually(t, 30*time.Second, "the controller to be gone", func() error {
		if pods := len(i.system.Pods(t)); pods != 2 {
			return fmt.Errorf("%d pods", pods)
		}
		return nil
	})
	state := func() string {
		return i.system.Succeed(t, "get", "secret", "tpu-admission-tls", "-o", "jsonpath={.data}").Stdout + fmt.Sprint(bundles(t, i))
	}
	before := state()
	if len(before) < 1000 {
		t.Fatalf("nothing is filled: %s", before)
	}
	without := []string{"--set", "controller.replicaCount=0", "--set", "webhooks.timeoutSeconds=4"}
	i.helm("upgrade", append([]string{"tpu-admission", chart}, without...)...)
	if state() != before {
		t.Error("the upgrade has changed the Secret or a caBundle")
	}
	i.helm("rollback", "tpu-admission", "1")
	if state() != before {
		t.Error("the rollback has changed the Secret or a caBundle")
	}
	i.awaitDenial()
}

// bundles are the caBundles of both configurations.
func bundles(t *testing.T, i *installation) (texts []string) {
	t.Helper()
	for _, kind := range []string{"mutatingwebhookconfiguration", "validatingwebhookconfiguration"} {
		texts = append(texts, harness.Text(i.system.Object(t, kind, "tpu-admission"), "webhooks", 0, "clientConfig", "caBundle"))
	}
	return texts
}

func emptyBundles(t *testing.T, i *installation) {
	t.Helper()
	for _, kind := range []string{"mutatingwebhookconfiguration", "validatingwebhookconfiguration"} {
		i.system.Succeed(t, "patch", kind, "tpu-admission", "--type=json", "-p",
			`[{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]`)
	}
}

func bundlesAreThere(t *testing.T, i *installation) {
	t.Helper()
	harness.Eventually(t, 60*time.Second, "the caBundles", func() error {
		for _, text := range bundles(t, i) {
			if text == "" {
				return errors.New("still empty")
			}
		}
		return nil
	})
}

func killSwitchHolds(t *testing.T, i *installation) {
	t.Helper()
	const kind, name = "validatingwebhookconfiguration", "tpu-admission"
	i.system.Succeed(t, "annotate", kind, name, "tpu-admission.io/managed=false")
	i.system.Succeed(t, "patch", kind, name, "--type=json", "-p", `[{"op": "remove", "path": "/webhooks/0/clientConfig/caBundle"}]`)
	time.Sleep(5 * time.Second) // it looks every second
	if bundles(t, i)[1] != "" {
		t.Error("the controller fights the kill switch")
	}
	i.system.Succeed(t, "annotate", kind, name, "tpu-admission.io/managed-")
	bundlesAreThere(t, i)
}

// Serving certificate and CA are replaced while requests come, and none is lost. The lives are short
// for this; what follows from them is the same.
func TestRotationLosesNothing(t *testing.T) {
	t.Parallel() // it waits, mostly, on a control plane of its own
	i := prepare(t, controllerEnv("POLL_INTERVAL=1s", "PROPAGATION_DELAY=5s", "CERTIFICATE_LIFETIME=45s", "CA_LIFETIME=135s")...)
	i.install()
	served, trusted := map[string]bool{}, map[string]bool{}
	i.underLoad("rotation", func() {
		for end := time.Now().Add(100 * time.Second); time.Now().Before(end) && (len(served) < 4 || len(trusted) < 2); time.Sleep(2 * time.Second) {
			secret := i.system.Object(t, "secret", "tpu-admission-tls")
			served[harness.Text(secret, "data", "tls.crt")] = true
			trusted[bundles(t, i)[1]] = true
		}
	})
	i.Logf("%d serving certificates and %d caBundles", len(served), len(trusted))
	if len(served) < 3 || len(trusted) < 2 {
		t.Error("too few to show anything")
	}
}
