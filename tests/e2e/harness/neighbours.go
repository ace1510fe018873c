package harness

import (
	"encoding/base64"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// Neighbour is a controller that is not part of Kubernetes, with its custom resources and, if it
// has some, its webhooks.
type Neighbour struct {
	Name string
	// Arguments tells the program where to listen and which certificate to show. A program without
	// webhooks gets what it needs to know from the ports alone.
	Arguments func(dir string, ports NeighbourPorts) ([]string, error)
	Webhooks  []NeighbourWebhook
}

// NeighbourPorts are free ports of 127.0.0.1.
type NeighbourPorts struct{ Webhook, Probe int }

// NeighbourWebhook is one path of the program's webhook server.
type NeighbourWebhook struct {
	Path, Group, Version, Resource string
	Operations                     []string
	Mutates                        bool
	ObjectLabel                    string // if set, only objects with this label are sent
}

// StartNeighbour runs the program dir/name under a service account of its own, once the custom
// resources of the files dir/name-crds/*.yaml are there, and returns it when it is ready. It ends with the
// control plane at the latest.
func (c *ControlPlane) StartNeighbour(dir string, n Neighbour) (*Process, error) {
	if err := c.createCustomResources(filepath.Join(dir, n.Name+"-crds")); err != nil {
		return nil, err
	}
	config, err := c.serviceAccount(n.Name)
	if err != nil {
		return nil, err
	}
	ports, err := FreePorts(2)
	if err != nil {
		return nil, err
	}
	own := filepath.Join(c.dir, n.Name)
	if err := os.MkdirAll(own, 0o755); err != nil {
		return nil, err
	}
	if err := c.webhookCertificate(own, n.Name); err != nil {
		return nil, err
	}
	args, err := n.Arguments(own, NeighbourPorts{ports[0], ports[1]})
	if err != nil {
		return nil, err
	}
	argv := append([]string{"env", "KUBECONFIG=" + config, filepath.Join(dir, n.Name)}, args...)
	process, err := StartProcess(n.Name, c.logs, argv...)
	if err != nil {
		return nil, err
	}
	c.running = append(c.running, process)
	ready := API{server: fmt.Sprintf("http://127.0.0.1:%d", ports[1]), http: c.http}
	if err := process.WaitFor(time.Minute, func() error { return ready.Get("/readyz", nil) }); err != nil {
		return nil, err
	}
	return process, c.installNeighbourWebhooks(n, ports[0])
}

// serviceAccount returns a client configuration for the account name/controller, which may do all.
func (c *ControlPlane) serviceAccount(name string) (string, error) {
	const rbac = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings"
	meta := Object{"name": "controller", "namespace": name}
	binding := Object{"metadata": Object{"name": name},
		"roleRef":  Object{"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
		"subjects": []Object{{"kind": "ServiceAccount", "name": "controller", "namespace": name}}}
	accounts := "/api/v1/namespaces/" + name + "/serviceaccounts"
	if err := c.Create("/api/v1/namespaces", Object{"metadata": Object{"name": name}}); err != nil {
		return "", err
	}
	if err := c.Create(accounts, Object{"metadata": meta}); err != nil {
		return "", err
	}
	if err := c.Create(rbac, binding); err != nil {
		return "", err
	}
	var token Object
	request := Object{"spec": Object{"expirationSeconds": 86400}}
	if err := c.do("POST", accounts+"/controller/token", request, &token); err != nil {
		return "", err
	}
	path := filepath.Join(c.dir, name+".kubeconfig")
	text := fmt.Sprintf(kubeconfigFormat, c.server, c.authority.CertPath(), Text(token, "status", "token"), "")
	return path, os.WriteFile(path, []byte(text), 0o600)
}

// webhookCertificate puts tls.crt and tls.key into dir, where controller-runtime looks for them.
func (c *ControlPlane) webhookCertificate(dir, name string) error {
	pair, err := c.authority.Issue(name, "webhook."+name+".svc")
	if err != nil {
		return err
	}
	if err := os.Rename(pair.Cert, filepath.Join(dir, "tls.crt")); err != nil {
		return err
	}
	return os.Rename(pair.Key, filepath.Join(dir, "tls.key"))
}

func (c *ControlPlane) installNeighbourWebhooks(n Neighbour, port int) error {
	service := Object{"metadata": Object{"name": "webhook"},
		"spec": Object{"type": "ExternalName", "externalName": "localhost"}}
	if err := c.Create("/api/v1/namespaces/"+n.Name+"/services", service); err != nil {
		return err
	}
	ca, err := os.ReadFile(c.authority.CertPath())
	if err != nil {
		return err
	}
	const path = "/apis/admissionregistration.k8s.io/v1/"
	for _, kind := range []string{"Mutating", "Validating"} {
		var webhooks []Object
		for _, w := range n.Webhooks {
			if w.Mutates == (kind == "Mutating") {
				webhooks = append(webhooks, w.object(n.Name, port, ca))
			}
		}
		if len(webhooks) == 0 {
			continue
		}
		object := Object{"metadata": Object{"name": n.Name}, "webhooks": webhooks}
		if err := c.Create(path+strings.ToLower(kind)+"webhookconfigurations", object); err != nil {
			return err
		}
	}
	return nil
}

func (w NeighbourWebhook) object(namespace string, port int, ca []byte) Object {
	object := Object{
		"name":                    w.Resource + "." + namespace + ".example.com",
		"admissionReviewVersions": []string{"v1"}, "sideEffects": "None", "failurePolicy": "Fail",
		"clientConfig": Object{"caBundle": base64.StdEncoding.EncodeToString(ca),
			"service": Object{"namespace": namespace, "name": "webhook", "path": w.Path, "port": port}},
		"rules": []Object{{"apiGroups": []string{w.Group}, "apiVersions": []string{w.Version},
			"resources": []string{w.Resource}, "operations": w.Operations}},
	}
	if w.ObjectLabel != "" {
		object["objectSelector"] = Object{"matchExpressions": []Object{
			{"key": w.ObjectLabel, "operator": "Exists"}}}
	}
	return object
}
