package harness

import (
	"fmt"
	"os"
	"path/filepath"
)

// AdminKubeconfig writes the administrator's client configuration and returns its path.
func (c *ControlPlane) AdminKubeconfig() string { return c.kubeconfig(adminToken, "") }

// kubeconfig writes a client configuration for the bearer of the token and returns its path.
// Commands without -n act on the namespace (or on "default" if it is empty).
func (c *ControlPlane) kubeconfig(token, namespace string) string {
	path := filepath.Join(c.dir, fmt.Sprintf("%s%s.kubeconfig", token, namespace))
	text := fmt.Sprintf(kubeconfigFormat, c.server, c.authority.CertPath(), token, namespace)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		panic(err) // our own temporary folder: no test can go on
	}
	return path
}

const kubeconfigFormat = `apiVersion: v1
kind: Config
clusters:
- name: e2e
  cluster: {server: %q, certificate-authority: %q}
users:
- name: e2e
  user: {token: %q}
contexts:
- name: e2e
  context: {cluster: e2e, user: e2e, namespace: %q}
current-context: e2e
`
