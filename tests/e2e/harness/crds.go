package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// CustomKind is a kind of a custom resource that a test defines for itself.
type CustomKind struct {
	Group, Version, Kind, Plural string
	ClusterScoped                bool
}

const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

// Define makes the kind known to the API server until the test ends. Its schema allows everything,
// so that a webhook sees whatever was written.
func (c *ControlPlane) Define(t testing.TB, k CustomKind) {
	t.Helper()
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

// createCustomResources creates those of the files in dir, and returns when all there are are served.
func (c *ControlPlane) createCustomResources(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no custom resources in %s: %w", dir, err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := c.CreateYAML(definitions, text); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
	}
	for range 100 {
		if err = c.customResourcesServed(); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
}

func (c *ControlPlane) customResourcesServed() error {
	var all Object
	if err := c.Get(definitions, &all); err != nil {
		return err
	}
	for _, definition := range List(all, "items") {
		served := func(condition any) bool {
			return Text(condition, "type") == "Established" && Text(condition, "status") == "True"
		}
		if !slices.ContainsFunc(List(definition, "status", "conditions"), served) {
			return errors.New(Text(definition, "metadata", "name") + " is not established")
		}
	}
	return nil
}
