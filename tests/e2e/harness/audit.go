package harness

import (
	"bufio"
	"encoding/json"
	"os"
	"path/filepath"
)

func (c *ControlPlane) auditPath() string { return filepath.Join(c.dir, "audit.log") }

// AuditAnnotations returns the annotations of every audited write of the named object, the oldest
// first: what webhooks and the API server wrote about it.
func (c *ControlPlane) AuditAnnotations(namespace, resource, name string) (found []Object, err error) {
	err = c.eachAudited(func(event Object) {
		if Text(event, "objectRef", "namespace") == namespace &&
			Text(event, "objectRef", "resource") == resource &&
			Text(event, "objectRef", "name") == name {
			annotations, _ := event["annotations"].(Object)
			found = append(found, annotations)
		}
	})
	return found, err
}

// ListsOfNodes counts the lists that a service account has asked for so far, pages too.
func (c *ControlPlane) ListsOfNodes(namespace, account string) (count int, err error) {
	err = c.eachAudited(func(event Object) {
		if Text(event, "verb") == "list" && Text(event, "objectRef", "resource") == "nodes" &&
			Text(event, "user", "username") == "system:serviceaccount:"+namespace+":"+account {
			count++
		}
	})
	return count, err
}

func (c *ControlPlane) eachAudited(take func(event Object)) error {
	log, err := os.Open(c.auditPath())
	if err != nil {
		return err
	}
	defer log.Close()
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event Object
		if json.Unmarshal(lines.Bytes(), &event) == nil { // the last line may be only half written
			take(event)
		}
	}
	return lines.Err()
}

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: Metadata
  verbs: [list]
  userGroups: ["system:serviceaccounts"]
  resources:
  - {group: "", resources: [nodes]}
- level: None
  verbs: [get, list, watch]
- level: Metadata
  resources:
  - {group: "", resources: [pods]}
  - {group: batch, resources: [jobs]}
- level: None
`
