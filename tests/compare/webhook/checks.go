package main

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
)

const (
	tpu              = "google.com/tpu"
	acceleratorLabel = "cloud.google.com/gke-tpu-accelerator"
	topologyLabel    = "cloud.google.com/gke-tpu-topology"
)

// topologies are those of one accelerator. The clauses of Gatekeeper (../gatekeeper.yaml) know the
// same.
var topologies = map[string][]string{
	"tpu-v6e-slice": {"1x1", "2x2", "2x4", "4x4", "4x8", "8x8", "8x16", "16x16"},
}

// chipsOfHosts are the numbers of chips that a pod of that accelerator can ask for.
var chipsOfHosts = map[string][]int64{"tpu-v6e-slice": {1, 4, 8}}

func chips(container *corev1.Container) int64 {
	amount := container.Resources.Limits[tpu]
	return amount.Value()
}

// check makes three checks, those of Gatekeeper's clauses: both selectors are there, the accelerator has the
// topology, a host has so many chips.
func check(pod *corev1.Pod) (faults []string) {
	var asked int64
	for i := range pod.Spec.Containers {
		asked += chips(&pod.Spec.Containers[i])
	}
	if asked == 0 {
		return nil
	}
	accelerator, topology := pod.Spec.NodeSelector[acceleratorLabel], pod.Spec.NodeSelector[topologyLabel]
	if accelerator == "" || topology == "" {
		faults = append(faults, fmt.Sprintf("a pod that asks for chips needs the node selectors %s and %s",
			acceleratorLabel, topologyLabel))
	}
	known := topologies[accelerator]
	if known != nil && topology != "" && !slices.Contains(known, topology) {
		faults = append(faults, fmt.Sprintf("%s has no topology %s, but %v", accelerator, topology, known))
	}
	amounts := chipsOfHosts[accelerator]
	if amounts != nil && !slices.Contains(amounts, asked) {
		faults = append(faults, fmt.Sprintf("a host of %s cannot give %d chips, but %v", accelerator, asked, amounts))
	}
	return faults
}
