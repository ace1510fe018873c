package scenarios

import (
	"encoding/base64"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// useOwnCertificate makes a Secret as a user would, and sets the values for it.
func (i *installation) useOwnCertificate() {
	i.Helper()
	pair, ca, err := production.plane.Issue("own", "tpu-admission."+i.system.Name+".svc")
	if err != nil {
		i.Fatal(err)
	}
	i.system.Succeed(i.T, "create", "secret", "tls", "own", "--cert="+pair.Cert, "--key="+pair.Key)
	i.values = append(i.values, "--set", "certificates.mode=existing-secret,certificates.existingSecret.name=own")
	i.trust(ca)
}

// trust sets the value of caBundle to the file; the last one counts.
func (i *installation) trust(file string) {
	i.values = append(i.values, "--set-file", "certificates.existingSecret.caBundle="+file)
}

// replaceOwn puts another certificate into the Secret.
func (i *installation) replaceOwn(t *testing.T, pair harness.KeyPair) {
	t.Helper()
	secret := i.system.Succeed(t, "create", "secret", "tls", "own", "--cert="+pair.Cert, "--key="+pair.Key, "--dry-run=client", "-o", "yaml")
	if out := i.system.Apply(t, secret.Stdout, "--server-side", "--force-conflicts"); out.Code != 0 {
		t.Fatal(out)
	}
}

func newCertificateOfOwn(t *testing.T, i *installation) {
	t.Helper()
	pair, _, err := production.plane.Issue("own", "tpu-admission."+i.system.Name+".svc")
	if err != nil {
		t.Fatal(err)
	}
	i.renewedUnderLoad(t, "own", func() { i.replaceOwn(t, pair) })
}

// newCAOfOwn goes the way that docs/certificates.md tells: both, then the new certificate, then only
// the new CA, whose file it returns.
func newCAOfOwn(t *testing.T, i *installation) string {
	t.Helper()
	_, old, err := production.plane.Issue("unused")
	if err != nil {
		t.Fatal(err)
	}
	next, err := harness.NewAuthority(i.TempDir()) // the values name its file until the end
	if err != nil {
		t.Fatal(err)
	}
	pair, err := next.Issue("own", "tpu-admission."+i.system.Name+".svc")
	if err != nil {
		t.Fatal(err)
	}
	i.renewedUnderLoad(t, "own", func() {
		i.trust(i.joined(old, next.CertPath()))
		i.helm("upgrade", "tpu-admission", chart)
		time.Sleep(3 * time.Second) // the API server takes a moment to look at it
		i.replaceOwn(t, pair)
		i.awaitServed(t, i.certificateIn(t, "own"))
		i.trust(next.CertPath())
		i.helm("upgrade", "tpu-admission", chart)
		time.Sleep(3 * time.Second)
	})
	return next.CertPath()
}

// fromSelfManaged lets the controller make the certificate for a while, and comes back the way that
// docs/certificates.md tells: without the controller, and both CAs trusted until the servers are others.
func fromSelfManaged(t *testing.T, i *installation, ca string) {
	t.Helper()
	i.toSelfManaged()
	i.underLoad(t.Name(), func() {
		i.system.Succeed(t, "scale", "deployment/tpu-admission-controller", "--replicas=0")
		i.system.Succeed(t, "wait", "pod", "--for=delete", "--timeout=60s",
			"--selector=app.kubernetes.io/instance=tpu-admission,app.kubernetes.io/component=controller")
		old := filepath.Join(t.TempDir(), "old.crt")
		text := harness.Text(i.system.Object(t, "secret", "tpu-admission-tls"), "data", "ca.crt")
		if decoded, err := base64.StdEncoding.DecodeString(text); err != nil || os.WriteFile(old, decoded, 0o600) != nil {
			t.Fatalf("the CA of the controller: %v", err)
		}
		i.trust(i.joined(old, ca))
		i.helm("upgrade", "tpu-admission", chart, "--wait")
		i.awaitServed(t, i.certificateIn(t, "own"))
		i.trust(ca)
		i.helm("upgrade", "tpu-admission", chart)
		time.Sleep(3 * time.Second)
	})
}

// joined is a file with the text of both.
func (i *installation) joined(one, other string) string {
	i.Helper()
	first, err := os.ReadFile(one)
	second, failed := os.ReadFile(other)
	path := filepath.Join(i.TempDir(), "joined.crt")
	if err := errors.Join(err, failed, os.WriteFile(path, slices.Concat(first, second), 0o600)); err != nil {
		i.Fatal(err)
	}
	return path
}
