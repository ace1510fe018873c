package chart

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"sigs.k8s.io/yaml"
)

const objectMeta = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"

// writeSchemas writes a JSON schema for each kind of the API description that Kubernetes publishes
// (swagger.json) and of the CustomResourceDefinitions, where kubeconform finds them by schemaLayout.
// Unlike what it is made from, a schema refuses fields that it does not know. What only an API server
// can judge is not in it: CEL rules, and what Kubernetes checks in code.
func writeSchemas(folder, swagger string, crds []string) error {
	var api object
	if err := readInto(swagger, &api); err != nil {
		return err
	}
	definitions, _ := dig(api, "definitions").(object)
	for name, definition := range definitions {
		closed(definition)
		if strings.HasSuffix(name, ".api.resource.Quantity") {
			definition.(object)["type"] = []any{"string", "number"}
		}
	}
	for name, definition := range definitions {
		// Those of several kinds are no objects of their own: DeleteOptions, WatchEvent.
		if kinds := list(definition, "x-kubernetes-group-version-kind"); len(kinds) == 1 {
			schema := object{"$ref": "#/definitions/" + name}
			if err := writeSchema(folder, kinds[0], schema, definitions); err != nil {
				return err
			}
		}
	}
	for _, crd := range crds {
		if err := writeCustomKind(folder, crd, definitions); err != nil {
			return err
		}
	}
	return nil
}

func writeCustomKind(folder, crd string, definitions object) error {
	var definition object
	if err := readInto(crd, &definition); err != nil {
		return err
	}
	for _, version := range list(definition, "spec", "versions") {
		schema, _ := dig(version, "schema", "openAPIV3Schema").(object)
		if dig(schema, "properties", "metadata") == nil {
			return fmt.Errorf("%s: no schema", crd)
		}
		closed(schema)
		schema["properties"].(object)["metadata"] = object{"$ref": "#/definitions/" + objectMeta}
		kind := object{"group": text(definition, "spec", "group"), "version": text(version, "name"),
			"kind": text(definition, "spec", "names", "kind")}
		if err := writeSchema(folder, kind, schema, definitions); err != nil {
			return err
		}
	}
	return nil
}

// closed makes the schema and all within it refuse unknown fields, in place, and says in the language
// of JSON Schema what OpenAPI says in words of Kubernetes.
func closed(schema any) {
	switch s := schema.(type) {
	case []any:
		for _, one := range s {
			closed(one)
		}
	case object:
		for _, inner := range s {
			closed(inner)
		}
		if s["format"] == "int-or-string" {
			s["type"] = []any{"integer", "string"}
		}
		_, named := s["properties"].(object)
		if _, said := s["additionalProperties"]; named && !said && s["x-kubernetes-preserve-unknown-fields"] != true {
			s["additionalProperties"] = false
		}
	}
}

// schemaLayout is where kubeconform shall look. Its Group is "v1" for the core kinds.
const schemaLayout = "{{.Group}}/{{.ResourceAPIVersion}}/{{.ResourceKind}}.json"

func writeSchema(folder string, kind any, schema, definitions object) error {
	group, version := text(kind, "group"), text(kind, "version")
	if group == "" {
		group = version
	}
	file := filepath.Join(folder, group, version, strings.ToLower(text(kind, "kind"))+".json")
	needed := object{}
	collect(schema, definitions, needed)
	schema["$schema"], schema["definitions"] = "http://json-schema.org/draft-07/schema#", needed
	content, err := json.Marshal(schema)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(file), 0o755)
	}
	if err == nil {
		err = os.WriteFile(file, content, 0o644)
	}
	return err
}

// collect adds the definitions that the schema refers to, and those that they refer to.
func collect(schema any, definitions, needed object) {
	switch s := schema.(type) {
	case []any:
		for _, one := range s {
			collect(one, definitions, needed)
		}
	case object:
		for _, inner := range s {
			collect(inner, definitions, needed)
		}
		reference, _ := s["$ref"].(string)
		name := strings.TrimPrefix(reference, "#/definitions/")
		if name != "" && needed[name] == nil {
			needed[name] = definitions[name]
			collect(definitions[name], definitions, needed)
		}
	}
}

func readInto(file string, into *object) error {
	content, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	if strings.HasSuffix(file, ".json") {
		return json.Unmarshal(content, into)
	}
	return yaml.Unmarshal(content, into)
}
