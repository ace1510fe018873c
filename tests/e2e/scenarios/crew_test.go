package scenarios

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tpu-admission.io/e2e/harness"
)

// worker is a container with chips, and what it is told by its environment.
type worker struct {
	pod string
	env map[string]string
}

func (w worker) number(variable string) int {
	number, err := strconv.Atoi(w.env[variable])
	if err != nil {
		return -1
	}
	return number
}

// names are those of the processes of its slice: those that JAX takes.
func (w worker) names() []string {
	list := w.env["TPU_PROCESS_ADDRESSES"]
	if list == "" {
		list = w.env["TPU_WORKER_HOSTNAMES"]
	}
	return strings.Split(list, ",")
}

// slice tells slices apart: no two have the same hosts.
func (w worker) slice() string { return w.env["TPU_WORKER_HOSTNAMES"] }

var labelField = regexp.MustCompile(`^metadata\.labels\['(.*)'\]$`)

// workersOf reads the workers among the pods, those that are on their way out left out. A name that
// is set twice is an error.
func workersOf(pods []any) (workers []worker, err error) {
	for _, pod := range pods {
		if harness.Text(pod, "metadata", "deletionTimestamp") != "" {
			continue
		}
		for _, container := range harness.List(pod, "spec", "containers") {
			if harness.Text(container, "resources", "limits", "google.com/tpu") == "" {
				continue
			}
			w := worker{harness.Text(pod, "metadata", "name"), map[string]string{}}
			for _, variable := range harness.List(container, "env") {
				name := harness.Text(variable, "name")
				if _, twice := w.env[name]; twice {
					err = fmt.Errorf("%s is set twice in %s", name, w.pod)
				}
				w.env[name] = harness.Text(variable, "value")
				field := harness.Text(variable, "valueFrom", "fieldRef", "fieldPath")
				if key := labelField.FindStringSubmatch(field); key != nil {
					w.env[name] = harness.Text(pod, "metadata", "labels", key[1])
				}
			}
			workers = append(workers, w)
		}
	}
	return workers, err
}

// twice returns an error if two workers are told the same slice and number.
func twice(workers []worker) error {
	seen := map[string]string{}
	for _, w := range workers {
		who := w.env["TPU_WORKER_ID"] + " of " + w.slice()
		if other := seen[who]; other != "" && w.slice() != "" {
			return fmt.Errorf("%s and %s are both number %s", other, w.pod, who)
		}
		seen[who] = w.pod
	}
	return nil
}

// crew is what the workers of a namespace ought to be.
type crew struct {
	slices, processes int  // processes of each slice
	together          bool // the slices work together
}

// check holds the workers against it, and each name that they are told against DNS.
func (c crew) check(workers []worker, resolve func(name string) (string, error)) error {
	if want := c.slices * c.processes; len(workers) != want {
		return fmt.Errorf("%d workers, not %d", len(workers), want)
	}
	slicesSeen := map[string]bool{}
	for _, w := range workers {
		slicesSeen[w.slice()] = true
		if err := c.checkWorker(w, resolve); err != nil {
			return fmt.Errorf("%s: %w; it is told %v", w.pod, err, w.env)
		}
	}
	if len(slicesSeen) != c.slices {
		return fmt.Errorf("%d lists of names, not %d", len(slicesSeen), c.slices)
	}
	return twice(workers)
}

func (c crew) checkWorker(w worker, resolve func(string) (string, error)) error {
	names, id := w.names(), w.number("TPU_WORKER_ID")
	if len(names) != c.processes || id < 0 || id >= c.processes {
		return fmt.Errorf("number %d of %d names, not of %d", id, len(names), c.processes)
	}
	for i, name := range names {
		pod, err := resolve(name)
		if err != nil {
			return err
		}
		if own := pod == w.pod; own != (names[i] == names[id] || host(name) == host(names[id])) {
			return fmt.Errorf("%s leads to %s", name, pod)
		}
	}
	return c.checkSlice(w, resolve)
}

func (c crew) checkSlice(w worker, resolve func(string) (string, error)) error {
	coordinator := w.env["MEGASCALE_COORDINATOR_ADDRESS"]
	if !c.together {
		if coordinator != "" || w.env["MEGASCALE_SLICE_ID"] != "" {
			return errors.New("it is told of other slices, which are nothing to it")
		}
		return nil
	}
	slice := w.number("MEGASCALE_SLICE_ID")
	if w.number("MEGASCALE_NUM_SLICES") != c.slices || slice < 0 || slice >= c.slices {
		return errors.New("its slice is none of those that work together")
	}
	_, err := resolve(coordinator)
	if first := host(w.names()[0]) == host(coordinator); first != (slice == 0) && err == nil {
		err = errors.New("the coordinator is not the first worker of slice 0")
	}
	return err
}

func host(address string) string { return strings.SplitN(address, ":", 2)[0] }

// dns returns what names of pods lead to in the namespace, by the rules of headless Services: as the
// EndpointSlices have it that the controller manager makes.
// https://kubernetes.io/docs/concepts/services-networking/dns-pod-service/
func dns(t *testing.T, n *harness.Namespace) func(name string) (string, error) {
	t.Helper()
	headless, pods := map[string]bool{}, map[string][]string{}
	for _, service := range n.List(t, "/api/v1", "services") {
		headless[harness.Text(service, "metadata", "name")] = harness.Text(service, "spec", "clusterIP") == "None"
	}
	for _, list := range n.List(t, "/apis/discovery.k8s.io/v1", "endpointslices") {
		service := harness.Text(list, "metadata", "labels", "kubernetes.io/service-name")
		for _, endpoint := range harness.List(list, "endpoints") {
			if ready, _ := harness.Dig(endpoint, "conditions", "ready").(bool); !ready || !headless[service] {
				continue
			}
			pod, name := harness.Text(endpoint, "targetRef", "name"), service
			if hostname := harness.Text(endpoint, "hostname"); hostname != "" {
				pods[hostname+"."+service] = append(pods[hostname+"."+service], pod)
			}
			pods[name] = append(pods[name], pod)
		}
	}
	return func(address string) (string, error) {
		found := pods[host(address)]
		if len(found) != 1 {
			return "", fmt.Errorf("%q leads to %d pods: %v", host(address), len(found), slices.Sorted(slices.Values(found)))
		}
		return found[0], nil
	}
}
