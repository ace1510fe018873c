package harness

import (
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const adminToken = "admin"

// Options choose what differs between two control planes.
type Options struct {
	// ExtendedResourceToleration turns on the admission plugin of that name, as GKE does.
	ExtendedResourceToleration bool
}

// ControlPlane is a running etcd, kube-apiserver, kube-controller-manager and kube-scheduler.
type ControlPlane struct {
	*API
	programs  string // folder of the five programs
	dir       string
	logs      string
	authority *Authority
	server    string // https://127.0.0.1:port
	running   []*Process
}

// StartControlPlane starts the programs found in the folder `programs`, keeping data in work/name
// and logs in work/logs/name, and returns when all of them do their work. Stop it in any case.
func StartControlPlane(programs, work, name string, options Options) (*ControlPlane, error) {
	c := &ControlPlane{
		programs: programs,
		dir:      filepath.Join(work, name),
		logs:     filepath.Join(work, "logs", name),
	}
	for _, dir := range []string{c.dir, c.logs} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return c, err
		}
	}
	ports, err := FreePorts(3)
	if err != nil {
		return c, err
	}
	if c.authority, err = NewAuthority(c.dir); err != nil {
		return c, err
	}
	c.server = fmt.Sprintf("https://127.0.0.1:%d", ports[2])
	if c.API, err = newAPI(c.server, adminToken, c.authority.CertPath()); err != nil {
		return c, err
	}
	etcd := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	if err := c.startEtcd(etcd, fmt.Sprintf("http://127.0.0.1:%d", ports[1])); err != nil {
		return c, err
	}
	if err := c.startAPIServer(etcd, ports[2], options); err != nil {
		return c, err
	}
	return c, c.startControllers()
}

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
		"--leader-elect=false", "--secure-port=0"); err != nil {
		return err
	}
	return manager.WaitFor(time.Minute, func() error {
		return c.Get("/api/v1/namespaces/default/serviceaccounts/default", nil)
	})
}

func (c *ControlPlane) start(program string, args ...string) (*Process, error) {
	argv := append([]string{filepath.Join(c.programs, program)}, args...)
	process, err := StartProcess(program, c.logs, argv...)
	if err == nil {
		c.running = append(c.running, process)
	}
	return process, err
}

// Stop ends the programs, the youngest first: kube-apiserver hangs when etcd is gone before it.
func (c *ControlPlane) Stop() {
	for i := len(c.running) - 1; i >= 0; i-- {
		c.running[i].Stop(5 * time.Second)
	}
	c.running = nil
}

const tokenFile = adminToken + `,admin,1,"system:masters"
kube-controller-manager,system:kube-controller-manager,2
kube-scheduler,system:kube-scheduler,3
`
