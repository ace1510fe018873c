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
func (c *ControlPlane) AuditAnnotations(namespace, resource, name string) ([]Object, error) {
	log, err := os.Open(c.auditPath())
	if err != nil {
		return nil, err
	}
	defer log.Close()
	var found []Object
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var event Object
		if json.Unmarshal(lines.Bytes(), &event) != nil {
			continue // the last line may be only half written
		}
		if Text(event, "objectRef", "namespace") == namespace &&
			Text(event, "objectRef", "resource") == resource &&
			Text(event, "objectRef", "name") == name {
			annotations, _ := event["annotations"].(Object)
			found = append(found, annotations)
		}
	}
	return found, lines.Err()
}

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
omitStages: [RequestReceived]
rules:
- level: None
  verbs: [get, list, watch]
- level: Metadata
  resources:
  - {group: "", resources: [pods]}
  - {group: batch, resources: [jobs]}
- level: None
`
