package harness

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// CustomKind is a kind of a custom resource that a test defines for itself.
type CustomKind struct {
	Group, Version, Kind, Plural string
	ClusterScoped                bool
}

// Define makes the kind known to the API server until the test ends. Its schema allows everything,
// so that a webhook sees whatever was written.
func (c *ControlPlane) Define(t testing.TB, k CustomKind) {
	t.Helper()
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
	name, scope := k.Plural+"."+k.Group, "Namespaced"
	if k.ClusterScoped {
		scope = "Cluster"
	}
	annotations := Object{}
	if strings.HasSuffix(k.Group, "k8s.io") {
		annotations["api-approved.kubernetes.io"] = "unapproved, for a test"
	}
	definition := Object{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": Object{"name": name, "annotations": annotations},
		"spec": Object{
			"group": k.Group, "scope": scope,
			"names": Object{"kind": k.Kind, "plural": k.Plural},
			"versions": []Object{{"name": k.Version, "served": true, "storage": true,
				"schema": Object{"openAPIV3Schema": Object{"type": "object",
					"x-kubernetes-preserve-unknown-fields": true}}}},
		},
	}
	if err := c.CreateOnce(definitions, definition); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Delete(definitions + "/" + name) })
	Eventually(t, 15*time.Second, "the API of "+name, func() error {
		return c.Get(fmt.Sprintf("/apis/%s/%s/%s", k.Group, k.Version, k.Plural), nil)
	})
}

// Collection is the path of the kind's objects in the namespace.
func (k CustomKind) Collection(namespace string) string {
	if k.ClusterScoped {
		return fmt.Sprintf("/apis/%s/%s/%s", k.Group, k.Version, k.Plural)
	}
	return fmt.Sprintf("/apis/%s/%s/namespaces/%s/%s", k.Group, k.Version, namespace, k.Plural)
}
