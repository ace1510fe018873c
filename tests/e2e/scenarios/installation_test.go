package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// Where helm is, and the control plane on which it installs the chart.
var (
	tools      = os.Getenv("E2E_TOOLS")
	production = &shared{name: "production"}
)

const chart = "charts/tpu-admission"

// installation is the chart in a control plane, with two nodes whose kubelet is played.
type installation struct {
	*testing.T
	system   *harness.Namespace // where it is installed
	team     *harness.Namespace // where its users work
	kubelet  *harness.Kubelet
	balancer *harness.Balancer
	values   []string
}

// install installs the chart and returns when it answers.
func (i *installation) install() {
	i.Helper()
	i.helm("install", "tpu-admission", chart, "--wait", "--timeout", "90s")
	i.awaitDenial()
}

// prepare makes all that a cluster has before an installation with the values (arguments of helm). All
// of it, and what is installed, goes when the test ends.
func prepare(t *testing.T, values ...string) *installation {
	t.Helper()
	i := &installation{T: t, system: production.namespace(t, "tpu-admission-system"), team: production.namespace(t, "team")}
	// Pod Security holds every pod of ours against its strictest level.
	i.system.Succeed(t, "label", "namespace", i.system.Name, "pod-security.kubernetes.io/enforce=restricted")
	production.plane.AddNodes(t, "node-a", "node-b")
	i.kubelet = production.plane.StartKubelet(t, i.system.Name, binary)
	i.balancer = harness.StartBalancer(t, 10250, func() []string { return i.kubelet.Ready("server") })
	i.values = append([]string{"--set", fmt.Sprintf("service.port=%d", i.balancer.Port()),
		"--set", "server.shutdownDelaySeconds=3"}, values...)
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(i.kubelet.Logs())
		}
	})
	t.Cleanup(func() {
		if i.system.Helm(t, tools, "status", "tpu-admission").Code == 0 {
			i.helm("uninstall", "tpu-admission", "--wait")
		}
	})
	go i.redirectService()
	return i
}

// helm runs it with the values, over which those among the arguments win, and must succeed.
func (i *installation) helm(command string, args ...string) harness.Output {
	i.Helper()
	if command == "install" || command == "upgrade" {
		args = slices.Concat(i.values, args)
	}
	out := i.system.Helm(i.T, tools, append([]string{command}, args...)...)
	if out.Code != 0 {
		i.Fatalf("%s\n%s", out, i.kubelet.Logs())
	}
	return out
}

// redirectService gives the Service, as soon as it is there, the one form that works without a network
// of pods. The chart does not render a type, so an upgrade leaves it alone.
func (i *installation) redirectService() {
	for range 600 {
		if i.pointService("localhost") == nil {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
}

// pointService makes the API server call the port of the Service at the address.
func (i *installation) pointService(address string) error {
	path := "/api/v1/namespaces/" + i.system.Name + "/services/tpu-admission"
	return production.plane.Patch(path, object{"spec": object{"type": "ExternalName", "externalName": address,
		"clusterIP": nil, "clusterIPs": nil}})
}

// straight makes the API server call one server without the balancer: in a cluster rules of the kernel
// stand between the two, not a program. Undone by what is returned.
func (i *installation) straight() (back func()) {
	i.Helper()
	to := func(address string, values ...string) {
		i.helm("upgrade", append([]string{"tpu-admission", chart, "--wait"}, values...)...)
		if err := i.pointService(address); err != nil {
			i.Fatal(err)
		}
		i.awaitDenial()
	}
	to(i.kubelet.Ready("server")[0], "--set", "service.port=10250")
	return func() { to("localhost") }
}

// awaitDenial returns when a wrong Pod is denied and a sound one is patched: when both configurations
// have reached the admission of the API server.
func (i *installation) awaitDenial() {
	i.Helper()
	harness.Eventually(i.T, 30*time.Second, "a denial and a patch", func() error {
		return errors.Join(wrongIsDenied(i.team), soundIsPatched(i.team))
	})
}

// wrongIsDenied asks by dry run for a Pod whose accelerator no node has.
func wrongIsDenied(n *harness.Namespace) error {
	err := n.DryRun(wrongPod, nil)
	var status *harness.StatusError
	if errors.As(err, &status) && status.Code == 403 {
		return nil
	}
	return fmt.Errorf("the wrong Pod is not denied: %v", err)
}

// soundIsPatched asks by dry run for a Pod that lacks its toleration.
func soundIsPatched(n *harness.Namespace) error {
	var made object
	if err := n.DryRun(soundPod, &made); err != nil {
		return fmt.Errorf("the sound Pod: %w", err)
	}
	if tolerations(made) != 1 {
		return errors.New("the sound Pod is not patched")
	}
	return nil
}

func tpuPod(accelerator string) object {
	return object{"apiVersion": "v1", "kind": "Pod", "metadata": object{"generateName": "load-"}, "spec": object{
		"nodeSelector": object{"cloud.google.com/gke-tpu-accelerator": accelerator, "cloud.google.com/gke-tpu-topology": "2x2"},
		"containers":   []any{tpuContainer}}}
}

// gated is the Pod with a gate that nobody opens: no work for the scheduler.
func gated(pod object) object {
	gated := maps.Clone(pod)
	gated["spec"] = maps.Clone(pod["spec"].(object))
	gated["spec"].(object)["schedulingGates"] = []any{object{"name": "example.com/not-yet"}}
	return gated
}

var wrongPod, soundPod = tpuPod("tpu-v6e-podslice"), tpuPod("tpu-v6e-slice")
