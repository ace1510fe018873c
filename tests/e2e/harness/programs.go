package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func (c *ControlPlane) startEtcd(client, peer string) error {
	_, err := c.start("etcd", "--data-dir", filepath.Join(c.dir, "etcd"),
		"--listen-client-urls", client, "--advertise-client-urls", client,
		"--listen-peer-urls", peer, "--unsafe-no-fsync", "--log-level", "warn")
	return err
}

func (c *ControlPlane) startAPIServer(etcd string, port int, options Options) error {
	serving, err := c.authority.Issue("apiserver", "localhost")
	if err != nil {
		return err
	}
	accounts, err := c.authority.Issue("service-accounts")
	if err != nil {
		return err
	}
	tokens := filepath.Join(c.dir, "tokens.csv")
	if err := os.WriteFile(tokens, []byte(tokenFile), 0o600); err != nil {
		return err
	}
	policy := filepath.Join(c.dir, "audit-policy.yaml")
	if err := os.WriteFile(policy, []byte(auditPolicy), 0o600); err != nil {
		return err
	}
	args := []string{
		"--etcd-servers=" + etcd, "--bind-address=127.0.0.1", fmt.Sprintf("--secure-port=%d", port),
		"--advertise-address=127.0.0.1", "--endpoint-reconciler-type=none",
		"--tls-cert-file=" + serving.Cert, "--tls-private-key-file=" + serving.Key,
		"--service-cluster-ip-range=10.0.0.0/24", "--allow-privileged=true",
		"--authorization-mode=RBAC", "--token-auth-file=" + tokens, "--anonymous-auth=false",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + accounts.Cert,
		"--service-account-signing-key-file=" + accounts.Key,
		// Nobody tells this control plane that its nodes are ready.
		"--disable-admission-plugins=TaintNodesByCondition",
		"--audit-policy-file=" + policy, "--audit-log-path=" + c.auditPath(),
	}
	if options.ExtendedResourceToleration {
		args = append(args, "--enable-admission-plugins=ExtendedResourceToleration")
	}
	if options.Tracing {
		tracing := filepath.Join(c.dir, "tracing.yaml")
		if err := os.WriteFile(tracing, []byte(traceEverything), 0o600); err != nil {
			return err
		}
		args = append(args, "--tracing-config-file="+tracing)
	}
	apiserver, err := c.start("kube-apiserver", args...)
	if err != nil {
		return err
	}
	return apiserver.WaitFor(time.Minute, func() error { return c.Get("/readyz", nil) })
}

// startControllers runs the controllers as real clusters do: each under its own service account.
func (c *ControlPlane) startControllers() error {
	manager, err := c.start("kube-controller-manager",
		"--kubeconfig="+c.kubeconfig("kube-controller-manager", ""), "--leader-elect=false",
		"--secure-port=0", "--use-service-account-credentials=true",
		"--root-ca-file="+c.authority.CertPath(),
		"--service-account-private-key-file="+filepath.Join(c.dir, "service-accounts.key"),
		// Without kubelets every node would soon be called dead.
		"--controllers=*,-node-lifecycle-controller",
		"--kube-api-qps=1000", "--kube-api-burst=2000")
	if err != nil {
		return err
	}
	if _, err := c.start("kube-scheduler", "--kubeconfig="+c.kubeconfig("kube-scheduler", ""),
		"--leader-elect=false", "--secure-port=0",
		"--kube-api-qps=1000", "--kube-api-burst=2000"); err != nil {
		return err
	}
	return manager.WaitFor(time.Minute, func() error {
		return c.Get("/api/v1/namespaces/default/serviceaccounts/default", nil)
	})
}

const traceEverything = `apiVersion: apiserver.config.k8s.io/v1
kind: TracingConfiguration
endpoint: 127.0.0.1:1
samplingRatePerMillion: 1000000
`

const tokenFile = adminToken + `,admin,1,"system:masters"
kube-controller-manager,system:kube-controller-manager,2
kube-scheduler,system:kube-scheduler,3
`
