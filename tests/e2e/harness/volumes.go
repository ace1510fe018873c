package harness

import (
	"encoding/base64"
	"fmt"
	"maps"
	"os"
	"path/filepath"
)

const serviceAccountPath = "/var/run/secrets/kubernetes.io/serviceaccount"

// mountVolumes writes the pod's Secrets, ConfigMaps and projected volumes.
func (p *fakePod) mountVolumes(pod Object) error {
	for _, volume := range List(pod, "spec", "volumes") {
		files, err := p.files(pod, volume)
		if err != nil {
			return err
		}
		if err := replaceFiles(filepath.Join(p.dir, Text(volume, "name")), files); err != nil {
			return err
		}
	}
	return nil
}

func (p *fakePod) files(pod, volume any) (map[string]string, error) {
	switch {
	case Dig(volume, "secret") != nil:
		source := Dig(volume, "secret").(Object)
		return p.keys("secrets", Text(source, "secretName"), source)
	case Dig(volume, "configMap") != nil:
		source := Dig(volume, "configMap").(Object)
		return p.keys("configmaps", Text(source, "name"), source)
	}
	all := map[string]string{}
	for _, source := range List(volume, "projected", "sources") {
		files, err := p.projected(pod, source)
		if err != nil {
			return nil, err
		}
		maps.Copy(all, files)
	}
	return all, nil
}

func (p *fakePod) projected(pod, source any) (map[string]string, error) {
	if wanted, ok := Dig(source, "serviceAccountToken").(Object); ok {
		token, err := p.token(pod)
		return map[string]string{Text(wanted, "path"): token}, err
	}
	if wanted, ok := Dig(source, "configMap").(Object); ok {
		return p.keys("configmaps", Text(wanted, "name"), wanted)
	}
	return map[string]string{"namespace": p.kubelet.namespace}, nil
}

// token is one of the pod's own service account, bound to the pod, as a kubelet asks for it.
func (p *fakePod) token(pod any) (string, error) {
	var answer Object
	path := fmt.Sprintf("/api/v1/namespaces/%s/serviceaccounts/%s/token", p.kubelet.namespace,
		Text(pod, "spec", "serviceAccountName"))
	err := p.kubelet.cluster.do("POST", path, Object{
		"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest",
		"spec": Object{"expirationSeconds": 3607, "boundObjectRef": Object{"apiVersion": "v1", "kind": "Pod",
			"name": p.name, "uid": Text(pod, "metadata", "uid")}}}, &answer)
	return Text(answer, "status", "token"), err
}

// keys are the values of a Secret or ConfigMap that the volume asks for, by file name.
func (p *fakePod) keys(resource, name string, source Object) (map[string]string, error) {
	var found Object
	err := p.kubelet.cluster.Get(fmt.Sprintf("/api/v1/namespaces/%s/%s/%s", p.kubelet.namespace, resource, name), &found)
	if err != nil {
		if source["optional"] == true {
			return nil, nil
		}
		return nil, err
	}
	data, _ := found["data"].(Object)
	paths := map[string]string{}
	for key := range data {
		paths[key] = key
	}
	if items := List(source, "items"); items != nil {
		paths = map[string]string{}
		for _, item := range items {
			paths[Text(item, "key")] = Text(item, "path")
		}
	}
	files := map[string]string{}
	for key, path := range paths {
		value, ok := data[key].(string)
		if !ok && source["optional"] != true {
			return nil, fmt.Errorf("%s %s has no %s", resource, name, key)
		}
		if !ok {
			continue
		}
		if resource == "secrets" {
			decoded, err := base64.StdEncoding.DecodeString(value)
			if err != nil {
				return nil, err
			}
			value = string(decoded)
		}
		files[path] = value
	}
	return files, nil
}

// replaceFiles makes these the files of the folder, all at once: as a kubelet does it, by links into a
// folder that one rename replaces.
func replaceFiles(folder string, files map[string]string) error {
	data := filepath.Join(folder, "..data")
	if same(data, files) {
		return nil
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	next, err := os.MkdirTemp(folder, "..version-")
	if err != nil {
		return err
	}
	for name, value := range files {
		if err := os.WriteFile(filepath.Join(next, name), []byte(value), 0o600); err != nil {
			return err
		}
		os.Symlink(filepath.Join("..data", name), filepath.Join(folder, name)) // may be there already
	}
	previous, _ := os.Readlink(data)
	if err := os.Symlink(filepath.Base(next), data+"_tmp"); err != nil {
		return err
	}
	if err := os.Rename(data+"_tmp", data); err != nil {
		return err
	}
	if previous != "" {
		return os.RemoveAll(filepath.Join(folder, previous))
	}
	return nil
}

func same(folder string, files map[string]string) bool {
	entries, err := os.ReadDir(folder)
	if err != nil || len(entries) != len(files) {
		return false
	}
	for name, value := range files {
		if text, err := os.ReadFile(filepath.Join(folder, name)); err != nil || string(text) != value {
			return false
		}
	}
	return true
}
