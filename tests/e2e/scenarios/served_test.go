package scenarios

import (
	"bytes"
	"crypto/tls"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// certificateIn is the leaf, in DER, in tls.crt of the Secret.
func (i *installation) certificateIn(t *testing.T, secret string) []byte {
	t.Helper()
	text, err := base64.StdEncoding.DecodeString(harness.Text(i.system.Object(t, "secret", secret), "data", "tls.crt"))
	block, _ := pem.Decode(text)
	if err != nil || block == nil {
		t.Fatalf("no certificate in %s: %v", secret, err)
	}
	return block.Bytes
}

// awaitServed returns when both servers show the certificate to new connections.
func (i *installation) awaitServed(t *testing.T, certificate []byte) {
	t.Helper()
	harness.Eventually(t, 30*time.Second, "the servers to take the new certificate", func() error {
		addresses := i.kubelet.Ready("server")
		if len(addresses) != 2 {
			return fmt.Errorf("%d servers", len(addresses))
		}
		return errors.Join(shows(addresses[0], certificate), shows(addresses[1], certificate))
	})
}

func shows(address string, certificate []byte) error {
	connection, err := tls.Dial("tcp", address+":10250", &tls.Config{InsecureSkipVerify: true}) // any may be shown
	if err != nil {
		return err
	}
	defer connection.Close()
	if !bytes.Equal(connection.ConnectionState().PeerCertificates[0].Raw, certificate) {
		return errors.New(address + " shows another one")
	}
	return nil
}

// awaitOther returns when the Secret has a certificate other than this one.
func (i *installation) awaitOther(t *testing.T, secret string, certificate []byte) {
	t.Helper()
	harness.Eventually(t, 30*time.Second, "another certificate in "+secret, func() error {
		if out := i.system.Kubectl(t, "get", "secret", secret); out.Code != 0 {
			return errors.New(out.All())
		}
		if bytes.Equal(i.certificateIn(t, secret), certificate) {
			return errors.New("still the same")
		}
		return nil
	})
}

// renewedUnderLoad has `renew` replace the servers' certificate in the Secret, while requests come. None
// may be lost, and no server started.
func (i *installation) renewedUnderLoad(t *testing.T, secret string, renew func()) {
	t.Helper()
	started, before := i.kubelet.Started("server"), i.certificateIn(t, secret)
	i.underLoad(t.Name(), func() {
		renew()
		i.awaitOther(t, secret, before)
		i.awaitServed(t, i.certificateIn(t, secret))
	})
	if got := i.kubelet.Started("server") - started; got != 0 {
		t.Errorf("%d servers were started for a certificate", got)
	}
}
