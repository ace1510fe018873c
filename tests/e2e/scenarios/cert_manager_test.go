package scenarios

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

var neighbours = os.Getenv("E2E_NEIGHBOURS") // folder of the controllers that are not part of Kubernetes

// Secrets of the chart in this mode: the servers' and the CA's.
const issued, issuedCA = "tpu-admission-cert", "tpu-admission-ca"

var certManager = harness.Neighbour{Name: "cert-manager",
	Arguments: func(_ string, ports harness.NeighbourPorts) ([]string, error) {
		return []string{fmt.Sprintf("--health-probe-bind-address=127.0.0.1:%d", ports.Probe)}, nil
	}}

// The real cert-manager makes CA and certificate, and its cainjector tells the API server.
func TestChartWithCertManager(t *testing.T) {
	i := prepare(t, "--set", "certificates.mode=cert-manager")
	program, err := production.plane.StartNeighbour(neighbours, certManager)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { program.Stop(5 * time.Second) })
	before := everythingThere(i)
	i.install()
	if got := len(i.kubelet.Ready("server")); got != 2 {
		t.Errorf("%d servers, not 2", got)
	}
	says(t, i.team.Kubectl(t, "apply", "-f", "examples/wrong-job.yaml"), denied, "TPU301")

	t.Run("a renewal loses nothing", func(t *testing.T) {
		i.renewedUnderLoad(t, issued, func() { i.renew(t, "tpu-admission") })
	})
	t.Run("a deleted Secret loses nothing", func(t *testing.T) {
		i.renewedUnderLoad(t, issued, func() { i.system.Succeed(t, "delete", "secret", issued) })
	})
	t.Run("another CA loses nothing", func(t *testing.T) { anotherCALosesNothing(t, i) })
	t.Run("an emptied caBundle is filled again", func(t *testing.T) {
		emptyBundles(t, i)
		bundlesAreThere(t, i)
		i.awaitDenial()
	})
	t.Run("upgrade and rollback clear nothing", func(t *testing.T) {
		filled := fmt.Sprint(bundles(t, i))
		i.helm("upgrade", "tpu-admission", chart, "--wait", "--set", "webhooks.timeoutSeconds=4")
		i.helm("rollback", "tpu-admission", "1", "--wait")
		if fmt.Sprint(bundles(t, i)) != filled {
			t.Error("a caBundle has changed")
		}
		i.awaitDenial()
	})
	t.Run("by an issuer of the cluster", func(t *testing.T) { clusterIssuerSigns(t, i) })
	t.Run("self-managed and back", func(t *testing.T) { otherModeAndBack(t, i) })

	// cert-manager never deletes a Secret, unless it is told to own them.
	i.uninstall(60*time.Second, append(before, "secret/"+issued, "secret/"+issuedCA))
}

// anotherCALosesNothing replaces key and certificate of the CA, then the certificate that it signs. The
// API server trusts both CAs afterwards: that is why.
func anotherCALosesNothing(t *testing.T, i *installation) {
	t.Helper()
	i.renewedUnderLoad(t, issued, func() {
		old := i.certificateIn(t, issuedCA)
		i.system.Succeed(t, "delete", "secret", issuedCA)
		i.awaitOther(t, issuedCA, old)
		i.renew(t, "tpu-admission")
	})
	for _, bundle := range bundles(t, i) {
		text, err := base64.StdEncoding.DecodeString(bundle)
		if got := bytes.Count(text, []byte("BEGIN CERTIFICATE")); err != nil || got != 2 {
			t.Errorf("%d CAs in a caBundle, not 2: %v", got, err)
		}
	}
}

// clusterIssuerSigns has a CA that was there before us sign the certificate, and then ours again.
func clusterIssuerSigns(t *testing.T, i *installation) {
	t.Helper()
	ca, err := harness.NewAuthority(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	i.system.Succeed(t, "--namespace=cert-manager", "create", "secret", "tls", "company", "--cert="+ca.CertPath(), "--key="+ca.KeyPath())
	issuer := object{"apiVersion": "cert-manager.io/v1", "kind": "ClusterIssuer", "metadata": object{"name": "company"},
		"spec": object{"ca": object{"secretName": "company"}}}
	if err := production.plane.Create("/apis/cert-manager.io/v1/clusterissuers", issuer); err != nil {
		t.Fatal(err)
	}
	i.renewedUnderLoad(t, issued, func() {
		i.helm("upgrade", "tpu-admission", chart, "--set", "certificates.certManager.issuerRef.kind=ClusterIssuer,certificates.certManager.issuerRef.name=company")
	})
	i.renewedUnderLoad(t, issued, func() { i.helm("upgrade", "tpu-admission", chart) })
}

// toSelfManaged lets the controller make the certificate; the values are again those of before.
func (i *installation) toSelfManaged() {
	before := i.values
	i.values = append(slices.Clone(before), append(controllerEnv("POLL_INTERVAL=1s"), "--set", "certificates.mode=self-managed")...)
	i.helm("upgrade", "tpu-admission", chart, "--wait")
	i.awaitDenial()
	i.values = before
}

// otherModeAndBack changes who makes the certificate, by one value. On the way back to cert-manager
// nothing may be lost: its cainjector keeps what is in caBundle.
func otherModeAndBack(t *testing.T, i *installation) {
	t.Helper()
	i.toSelfManaged()
	i.underLoad(t.Name(), func() {
		i.helm("upgrade", "tpu-admission", chart, "--wait")
		i.awaitServed(t, i.certificateIn(t, issued))
	})
	if out := i.system.Kubectl(t, "get", "secret", "tpu-admission-tls"); out.Code == 0 {
		t.Error("the controller's Secret is left")
	}
}

// renew asks for a new certificate now, as `cmctl renew` does.
func (i *installation) renew(t *testing.T, certificate string) {
	t.Helper()
	path := fmt.Sprintf("/apis/cert-manager.io/v1/namespaces/%s/certificates/%s", i.system.Name, certificate)
	conditions := harness.List(i.system.Object(t, "certificate", certificate), "status", "conditions")
	conditions = append(conditions, object{"type": "Issuing", "status": "True", "reason": "ManuallyTriggered",
		"message": "by a test", "lastTransitionTime": time.Now().UTC().Format(time.RFC3339)})
	if err := production.plane.Patch(path+"/status", object{"status": object{"conditions": conditions}}); err != nil {
		t.Fatal(err)
	}
}
