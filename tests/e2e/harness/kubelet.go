package harness

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// Kubelet plays the kubelets of one namespace: a pod that is bound to a node becomes a process of the
// binary under test, with the pod's arguments, environment and volumes and with a token of its service
// account. What it does not do: images, namespaces and cgroups of the kernel, NetworkPolicy, liveness.
//
// Pods have addresses of the loopback range, unknown to the API server: it would not have them in an
// EndpointSlice. A Balancer stands for the Service.
type Kubelet struct {
	cluster   *ControlPlane
	namespace string
	binary    string
	dir       string
	mu        sync.Mutex
	pods      map[string]*fakePod // by uid
	born      int
	crashed   map[string]bool // components whose processes do not run
	stop      chan struct{}
	stopped   chan struct{}
}

// StartKubelet looks at the pods of the namespace until the test ends.
func (c *ControlPlane) StartKubelet(t testing.TB, namespace, binary string) *Kubelet {
	t.Helper()
	k := &Kubelet{cluster: c, namespace: namespace, binary: binary,
		dir: filepath.Join(c.dir, "pods-"+namespace), pods: map[string]*fakePod{}, crashed: map[string]bool{},
		stop: make(chan struct{}), stopped: make(chan struct{})}
	if err := os.MkdirAll(k.dir, 0o755); err != nil {
		t.Fatal(err)
	}
	go k.loop()
	t.Cleanup(func() {
		close(k.stop)
		<-k.stopped
		for _, pod := range k.pods {
			pod.process.Stop(5 * time.Second)
		}
	})
	return k
}

func (k *Kubelet) loop() {
	defer close(k.stopped)
	for {
		select {
		case <-k.stop:
			return
		case <-time.After(100 * time.Millisecond):
			k.sync()
		}
	}
}

// sync does for every pod what is due. An error is tried again: the API server may be away.
func (k *Kubelet) sync() {
	var list Object
	if k.cluster.Get("/api/v1/namespaces/"+k.namespace+"/pods", &list) != nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, item := range List(list, "items") {
		uid := Text(item, "metadata", "uid")
		if k.pods[uid] == nil && Text(item, "spec", "nodeName") != "" && Text(item, "metadata", "deletionTimestamp") == "" {
			k.born++
			k.pods[uid] = newFakePod(k, item.(Object), k.born)
		}
		if pod := k.pods[uid]; pod != nil {
			pod.sync(item.(Object))
		}
	}
}

// Ready are the addresses of the processes of ready pods with the label component=name.
func (k *Kubelet) Ready(component string) (addresses []string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, pod := range k.pods {
		if pod.component == component && pod.ready && !pod.terminating {
			addresses = append(addresses, pod.address)
		}
	}
	return addresses
}

// Crash kills the processes of the component (SIGKILL), and none starts again until Recover.
func (k *Kubelet) Crash(component string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.crashed[component] = true
	for _, pod := range k.pods {
		if pod.component == component && pod.process != nil {
			pod.process.Kill()
		}
	}
}

// Recover lets the processes of the component start again.
func (k *Kubelet) Recover(component string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.crashed, component)
}

// Log is what the processes of the pods with this name have written so far.
func (k *Kubelet) Log(pod string) string {
	text, _ := os.ReadFile(filepath.Join(k.cluster.logs, k.namespace+"-"+pod+".log"))
	return string(text)
}

// Started counts the processes started so far for pods of the component.
func (k *Kubelet) Started(component string) (count int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, pod := range k.pods {
		if pod.component == component {
			count += pod.starts
		}
	}
	return count
}

// Metrics is the text of /metrics of each ready pod of the component.
func (k *Kubelet) Metrics(t testing.TB, component string) (texts []string) {
	t.Helper()
	for _, address := range k.Ready(component) {
		text, code := fetch("http://" + address + ":8080/metrics")
		if code != http.StatusOK {
			t.Fatalf("/metrics of %s: %d", address, code)
		}
		texts = append(texts, text)
	}
	return texts
}

// Logs is what the processes have written, for a test that has failed.
func (k *Kubelet) Logs() (text string) {
	logs, _ := filepath.Glob(filepath.Join(k.cluster.logs, k.namespace+"-*.log"))
	for _, log := range logs {
		lines, _ := os.ReadFile(log)
		text += fmt.Sprintf("== %s\n%s", filepath.Base(log), lines)
	}
	return text
}
