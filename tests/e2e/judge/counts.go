package judge

import (
	"encoding/json"

	"tpu-admission.io/e2e/harness"
)

// How many pods of an object are judged, read from the object itself, so that it holds as well for one
// that a repair has changed. Counts are ints where we wrote them and numbers of JSON after a repair.

func number(value any) int {
	switch n := value.(type) {
	case int:
		return n
	case float64:
		return int(n)
	case json.Number:
		i, _ := n.Int64()
		return int(i)
	}
	return 0
}

func product(keys ...any) func(object) int {
	return func(made object) int { return number(harness.Dig(made, keys...)) }
}

func jobSetPods(made object) (pods int) {
	for _, job := range elements(harness.Dig(made, "spec", "replicatedJobs")) {
		pods += number(job["replicas"]) * number(harness.Dig(job, "template", "spec", "parallelism"))
	}
	return pods
}

// The leader without TPUs is not judged.
func leaderWorkerSetPods(made object) int {
	size := number(harness.Dig(made, "spec", "leaderWorkerTemplate", "size"))
	if harness.Dig(made, "spec", "leaderWorkerTemplate", "leaderTemplate") != nil {
		size--
	}
	return number(harness.Dig(made, "spec", "replicas")) * size
}

func rayPods(cluster ...any) func(object) int {
	return func(made object) (pods int) {
		for _, group := range elements(harness.Dig(harness.Dig(made, cluster...), "workerGroupSpecs")) {
			pods += number(group["replicas"]) * number(group["numOfHosts"])
		}
		return pods
	}
}

// elements are the objects of a list, be it ours or one of JSON.
func elements(list any) (all []object) {
	if ours, ok := list.([]object); ok {
		return ours
	}
	items, _ := list.([]any)
	for _, item := range items {
		if element, ok := item.(object); ok {
			all = append(all, element)
		}
	}
	return all
}
