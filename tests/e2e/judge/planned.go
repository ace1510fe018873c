package judge

import (
	"errors"
	"fmt"
	"os/exec"
	"strings"

	"sigs.k8s.io/yaml"

	"tpu-admission.io/e2e/harness"
)

// What `tpu-admission plan --emit` calls the kinds that run pods.
var plannedKinds = map[string]string{"pod": "Pod", "job": "Job", "jobset": "JobSet", "lws": "LeaderWorkerSet",
	"statefulset": "StatefulSet", "raycluster": "RayCluster", "deployment": "Deployment"}

// Planned returns what `tpu-admission plan` writes down for every shape of at most mostHosts hosts, in
// every kind that it writes. Where it writes a Service too, that comes with it.
func Planned(binary string, catalog *Catalog, mostHosts int) (cases []*Case, err error) {
	var pairs []Pair
	for _, s := range catalog.Shapes() {
		pairs = append(pairs, s.labels())
	}
	for _, s := range catalog.Shapes() {
		for _, k := range kinds {
			for emit, name := range plannedKinds {
				if name != k.name || s.Hosts > mostHosts {
					continue
				}
				c := &Case{Shape: s, Kind: k, Fault: "as planned", Sound: true, id: fmt.Sprintf("c%05d", len(cases))}
				written, err := c.plan(binary, emit)
				if err != nil {
					return nil, err
				}
				if written {
					c.count()
					c.lands = landing(c.Object, pairs)
					cases = append(cases, c)
				}
			}
		}
	}
	return cases, nil
}

// plan takes what the binary writes; false where it says that the kind cannot run on the shape.
func (c *Case) plan(binary, emit string) (written bool, err error) {
	text, err := exec.Command(binary, "plan", "--accelerator", c.Shape.Generation.ID, "--topology", c.Shape.Topology,
		"--machine", c.Shape.Machine.Name, "--emit", emit, "--name", c.id).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && strings.Contains(string(failed.Stderr), "whose "+fmt.Sprint(c.Shape.Hosts)+" hosts must find each other") {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("plan --emit %s for %s: %w: %s", emit, c.Shape, err, failed.Stderr)
	}
	for _, document := range strings.Split(string(text), "\n---\n") {
		var made object
		if err := yaml.Unmarshal([]byte(document), &made); err != nil {
			return false, err
		}
		if harness.Text(made, "kind") == "Service" {
			c.service = made
		} else {
			c.Object = made
		}
	}
	markPods(c.Object)
	return true, nil
}

// markPods labels the pods with chips, wherever they stand, as those that are judged.
func markPods(value any) {
	switch v := value.(type) {
	case object:
		if len(selected(v["spec"], acceleratorLabel)) > 0 && harness.Dig(v, "spec", "containers") != nil {
			metadata, _ := v["metadata"].(object)
			if metadata == nil {
				metadata = object{}
				v["metadata"] = metadata
			}
			labels, _ := metadata["labels"].(object)
			if labels == nil {
				labels = object{}
				metadata["labels"] = labels
			}
			labels[judgedLabel] = "yes"
			return
		}
		for _, child := range v {
			markPods(child)
		}
	case []any:
		for _, child := range v {
			markPods(child)
		}
	}
}
