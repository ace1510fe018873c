package scenarios

import (
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// pair is two controllers with the rights that the chart gives them, and what they take care of.
type pair struct {
	*testing.T
	n      *harness.Namespace
	first  *harness.Controller
	second *harness.Controller
}

var pairFlags = []string{
	"--service-name=webhook", "--secret-name=certificates", "--lease-name=controller",
	"--mutating-webhook-configuration=election", "--validating-webhook-configuration=election",
	"--poll-interval=500ms", "--leader-elect-lease-duration=4s", "--leader-elect-renew-deadline=3s",
	"--leader-elect-retry-period=500ms",
}

func startPair(t *testing.T, name string, flags ...string) *pair {
	t.Helper()
	p := &pair{T: t, n: plain.namespace(t, name)}
	manifest := fmt.Sprintf(pairManifest, name)
	if out := p.n.Apply(t, manifest); out.Code != 0 {
		t.Fatal(out)
	}
	t.Cleanup(func() {
		p.n.Kubectl(t, "delete", "mutatingwebhookconfiguration,validatingwebhookconfiguration,clusterrole,clusterrolebinding", "election")
	})
	flags = append(append([]string{}, pairFlags...), flags...)
	p.first = p.n.StartController(t, "first", binary, "controller", flags...)
	p.awaitLeader(p.first)
	p.second = p.n.StartController(t, "second", binary, "controller", flags...)
	return p
}

func (p *pair) awaitLeader(c *harness.Controller) {
	p.Helper()
	harness.Eventually(p.T, 15*time.Second, "the lead", func() error {
		if c.Metric("tpu_admission_controller_leader") != 1 {
			return errors.New("not leading")
		}
		return nil
	})
}

// awaitOrder returns when the served certificate is trusted by every caBundle, as Go sees it: the
// language of the API server.
func (p *pair) awaitOrder() {
	p.Helper()
	harness.Eventually(p.T, 20*time.Second, "certificates in order", func() error {
		served := p.served()
		var errs []error
		for _, bundle := range p.bundles() {
			errs = append(errs, trusted(p.n.Name, served, bundle))
		}
		return errors.Join(errs...)
	})
}

func (p *pair) served() string {
	p.Helper()
	return decode(harness.Text(p.n.Object(p.T, "secret", "certificates"), "data", "tls.crt"))
}

func (p *pair) bundles() (texts []string) {
	p.Helper()
	for _, kind := range []string{"mutatingwebhookconfiguration", "validatingwebhookconfiguration"} {
		for _, webhook := range harness.List(p.n.Object(p.T, kind, "election"), "webhooks") {
			texts = append(texts, decode(harness.Text(webhook, "clientConfig", "caBundle")))
		}
	}
	return texts
}

func (p *pair) emptyBundle() {
	p.Helper()
	p.n.Succeed(p.T, "patch", "validatingwebhookconfiguration", "election", "--type=json", "-p",
		`[{"op": "remove", "path": "/webhooks/1/clientConfig/caBundle"}]`)
}

func decode(text string) string {
	decoded, _ := base64.StdEncoding.DecodeString(text)
	return string(decoded)
}

func trusted(namespace, served, bundle string) error {
	block, _ := pem.Decode([]byte(served))
	if block == nil {
		return errors.New("nothing is served")
	}
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		return err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(bundle))
	_, err = certificate.Verify(x509.VerifyOptions{Roots: roots, DNSName: "webhook." + namespace + ".svc"})
	return err
}

// One of two controllers works; when it dies or is asked to go, another goes on.
func TestControllersHandOver(t *testing.T) {
	p := startPair(t, "election")
	p.awaitOrder()
	if p.second.Metric("tpu_admission_controller_leader") != 0 {
		t.Error("both lead")
	}

	p.first.Kill()
	p.emptyBundle()
	p.awaitLeader(p.second)
	p.awaitOrder()

	third := p.n.StartController(t, "third", binary, "controller", pairFlags...)
	if took := p.second.Stop(); took > 3*time.Second {
		t.Errorf("it took %s to stop", took)
	}
	begin := time.Now()
	p.awaitLeader(third)
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("a Lease that was given up was taken after %s", took)
	}
	p.emptyBundle()
	p.awaitOrder()
	lease := p.n.Object(t, "lease", "controller")
	if got := harness.Dig(lease, "spec", "leaseTransitions"); got != 3.0 {
		t.Errorf("%v transitions, not 3", got)
	}
	if got := third.Metric("tpu_admission_controller_errors_total"); got != 0 {
		t.Errorf("%v errors", got)
	}
}

// Every certificate that may still be served is trusted by every caBundle, at any moment of several
// rotations with a controller that is killed again and again.
func TestRotationSurvivesKills(t *testing.T) {
	t.Parallel() // it waits, mostly
	brief := []string{"--certificate-lifetime=20s", "--ca-lifetime=60s", "--propagation-delay=3s"}
	p := startPair(t, "rotation", brief...)
	p.awaitOrder()
	seen, bundles := map[string]time.Time{}, map[string]bool{}
	leader := p.first
	for end, next := time.Now().Add(75*time.Second), time.Now().Add(9*time.Second); time.Now().Before(end); time.Sleep(200 * time.Millisecond) {
		seen[p.served()] = time.Now()
		for _, bundle := range p.bundles() {
			bundles[bundle] = true
			for served := range seen {
				if expired(t, served) {
					delete(seen, served)
				} else if err := trusted(p.n.Name, served, bundle); err != nil {
					t.Errorf("%s: %v", time.Now().Format("15:04:05.000"), err)
				}
			}
		}
		if time.Now().After(next) {
			leader.Kill()
			leader = p.n.StartController(t, fmt.Sprintf("at-%d", time.Now().Unix()), binary, "controller",
				append(append([]string{}, pairFlags...), brief...)...)
			leader, p.second = p.second, leader
			next = time.Now().Add(9 * time.Second)
		}
	}
	if len(bundles) < 3 {
		t.Errorf("only %d caBundles: too few to show anything", len(bundles))
	}
}

func expired(t *testing.T, served string) bool {
	t.Helper()
	block, _ := pem.Decode([]byte(served))
	certificate, err := x509.ParseCertificate(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return time.Now().After(certificate.NotAfter)
}

// The objects as the chart renders them: Secret and Lease empty, configurations without caBundle,
// rights to get and patch these by name. The webhooks have no rules, so nothing is sent to them.
const pairManifest = `apiVersion: v1
kind: ServiceAccount
metadata: {name: controller}
---
apiVersion: v1
kind: Secret
metadata: {name: certificates}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: controller}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: controller}
rules:
- {apiGroups: [""], resources: [secrets], resourceNames: [certificates], verbs: [get, patch]}
- {apiGroups: [coordination.k8s.io], resources: [leases], resourceNames: [controller], verbs: [get, patch]}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: controller}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: controller}
subjects: [{kind: ServiceAccount, name: controller}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata: {name: election}
rules:
- apiGroups: [admissionregistration.k8s.io]
  resources: [mutatingwebhookconfigurations, validatingwebhookconfigurations]
  resourceNames: [election]
  verbs: [get, patch]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: {name: election}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: election}
subjects: [{kind: ServiceAccount, name: controller, namespace: %[1]s}]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingWebhookConfiguration
metadata: {name: election}
webhooks:
- name: mutate.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: %[1]s, name: webhook}}
---
apiVersion: admissionregistration.k8s.io/v1
kind: ValidatingWebhookConfiguration
metadata: {name: election}
webhooks:
- name: validate.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: %[1]s, name: webhook}}
- name: second.example.com
  admissionReviewVersions: [v1]
  sideEffects: None
  clientConfig: {service: {namespace: %[1]s, name: webhook}}
`
