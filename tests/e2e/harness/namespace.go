package harness

import (
	"path/filepath"
	"testing"
	"time"
)

// Namespace is a place of its own for one test, and a user of kubectl who works in it.
type Namespace struct {
	Name    string
	cluster *ControlPlane
	root    string // of the repository; kubectl runs there
	config  string
}

// NewNamespace makes a namespace that is deleted with all its pods when the test ends. Commands
// of its user run in root.
func (c *ControlPlane) NewNamespace(t testing.TB, root, name string) *Namespace {
	t.Helper()
	object := Object{"apiVersion": "v1", "kind": "Namespace", "metadata": Object{"name": name}}
	// One of the same name may still be on its way out.
	Eventually(t, time.Minute, "the namespace "+name, func() error {
		return c.Create("/api/v1/namespaces", object)
	})
	n := &Namespace{Name: name, cluster: c, root: root, config: c.kubeconfig(adminToken, name)}
	t.Cleanup(n.delete)
	Eventually(t, 10*time.Second, "the namespace's default service account", func() error {
		return c.Get(n.path("/api/v1", "serviceaccounts/default"), nil)
	})
	return n
}

// delete leaves no pod behind that could take the place of another test's pod on a node.
func (n *Namespace) delete() {
	n.cluster.Delete("/api/v1/namespaces/" + n.Name)
	n.cluster.Delete(n.path("/api/v1", "pods"))
}

// DryRun asks the API server what would become of the Pod in the namespace, and reads that into `into`
// (nil: not read). A denial is a *StatusError.
func (n *Namespace) DryRun(pod Object, into *Object) error {
	return n.cluster.do("POST", n.path("/api/v1", "pods")+"?dryRun=All", pod, into)
}

// Warnings asks the API server what would become of the object in the namespace, and returns its
// warnings.
func (n *Namespace) Warnings(group, plural string, object Object) ([]string, error) {
	return n.cluster.warnings(n.path(group, plural)+"?dryRun=All", object)
}

// Create makes the Pod in the namespace.
func (n *Namespace) Create(pod Object) error {
	return n.cluster.Create(n.path("/api/v1", "pods"), pod)
}

// CreateTraced is Create as part of a trace of the caller's.
func (n *Namespace) CreateTraced(pod Object, traceParent string) error {
	return n.cluster.CreateTraced(n.path("/api/v1", "pods"), pod, traceParent)
}

// Pods returns the pods that exist in the namespace now.
func (n *Namespace) Pods(t testing.TB) []any {
	t.Helper()
	var pods Object
	if err := n.cluster.Get(n.path("/api/v1", "pods"), &pods); err != nil {
		t.Fatalf("cannot list the pods of %s: %v", n.Name, err)
	}
	return List(pods, "items")
}

func (n *Namespace) path(group, resource string) string {
	return filepath.Join(group, "namespaces", n.Name, resource)
}

// Eventually polls until the condition returns nil and fails the test after the limit, with what
// was awaited and the last reason.
func Eventually(t testing.TB, limit time.Duration, awaited string, condition func() error) {
	t.Helper()
	for deadline := time.Now().Add(limit); ; time.Sleep(100 * time.Millisecond) {
		err := condition()
		if err == nil {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("waited %s in vain for %s: %v", limit, awaited, err)
		}
	}
}

// List returns the objects of a resource in the namespace, e.g. ("/api/v1", "services").
func (n *Namespace) List(t testing.TB, group, resource string) []any {
	t.Helper()
	var all Object
	if err := n.cluster.Get(n.path(group, resource), &all); err != nil {
		t.Fatalf("cannot list the %s of %s: %v", resource, n.Name, err)
	}
	return List(all, "items")
}

// Patch merges the object into that of a resource, e.g. ("/apis/apps/v1", "statefulsets/serve").
func (n *Namespace) Patch(t testing.TB, group, resource string, object Object) {
	t.Helper()
	if err := n.cluster.Patch(n.path(group, resource), object); err != nil {
		t.Fatalf("cannot change %s of %s: %v", resource, n.Name, err)
	}
}

// DeletePod deletes the pod at once.
func (n *Namespace) DeletePod(t testing.TB, name string) {
	t.Helper()
	if err := n.cluster.Delete(n.path("/api/v1", "pods/"+name)); err != nil {
		t.Fatalf("cannot delete the pod %s of %s: %v", name, n.Name, err)
	}
}
