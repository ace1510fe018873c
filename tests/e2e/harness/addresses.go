package harness

import (
	"fmt"
	"testing"
	"time"
)

// GiveAddresses plays what DNS needs of kubelets: until the test ends, each pod of the namespace
// runs, is ready and has an address. No pod need be bound to a node. seen gets the pods that exist
// at each look.
func (n *Namespace) GiveAddresses(t testing.TB, seen func(pods []any)) {
	t.Helper()
	stop, stopped := make(chan struct{}), make(chan struct{})
	t.Cleanup(func() {
		close(stop)
		<-stopped
	})
	given := map[string]bool{} // by uid
	go func() {
		defer close(stopped)
		for {
			var pods Object
			if n.cluster.Get(n.path("/api/v1", "pods"), &pods) == nil {
				seen(List(pods, "items"))
				for _, pod := range List(pods, "items") {
					n.giveAddress(pod, given)
				}
			}
			select {
			case <-stop:
				return
			case <-time.After(200 * time.Millisecond):
			}
		}
	}()
}

func (n *Namespace) giveAddress(pod any, given map[string]bool) {
	uid := Text(pod, "metadata", "uid")
	if given[uid] || Text(pod, "metadata", "deletionTimestamp") != "" {
		return
	}
	number := len(given) + 1
	address := fmt.Sprintf("10.%d.%d.%d", 1+number/62500, number/250%250, 1+number%250)
	status := Object{"phase": "Running", "podIP": address, "podIPs": []Object{{"ip": address}},
		"conditions": []Object{{"type": "Ready", "status": "True",
			"lastTransitionTime": time.Now().UTC().Format(time.RFC3339)}}}
	path := n.path("/api/v1", "pods/"+Text(pod, "metadata", "name")+"/status")
	if n.cluster.Patch(path, Object{"status": status}) == nil {
		given[uid] = true
	}
}
