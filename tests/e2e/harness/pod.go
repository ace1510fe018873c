package harness

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// fakePod is one pod of a Kubelet and its process. It has one container.
type fakePod struct {
	kubelet     *Kubelet
	name        string
	component   string
	address     string
	dir         string
	mounts      map[string]string // path in the container -> folder here
	process     *Process
	starts      int
	startAfter  time.Time
	mountAfter  time.Time
	ready       bool
	terminating bool
	reported    string
}

func newFakePod(k *Kubelet, pod Object, number int) *fakePod {
	name := Text(pod, "metadata", "name")
	p := &fakePod{kubelet: k, name: name, component: Text(pod, "metadata", "labels", "app.kubernetes.io/component"),
		// Different for every run of these tests, and for every pod in it.
		address: fmt.Sprintf("127.%d.%d.%d", 1+os.Getpid()%250, 1+os.Getpid()/250%250, number%250+1),
		dir:     filepath.Join(k.dir, name), mounts: map[string]string{}}
	for _, mount := range List(pod, "spec", "containers", 0, "volumeMounts") {
		p.mounts[Text(mount, "mountPath")] = filepath.Join(p.dir, Text(mount, "name"))
	}
	return p
}

func (p *fakePod) sync(pod Object) {
	switch {
	case Text(pod, "metadata", "deletionTimestamp") != "":
		p.terminate(pod)
	case p.process == nil || p.ended() && Text(pod, "spec", "restartPolicy") == "Always":
		p.startIfDue(pod)
	default:
		p.mountIfDue(pod)
	}
	p.report(pod)
}

// startIfDue waits a second between two starts, as for a container that crashes.
func (p *fakePod) startIfDue(pod Object) {
	if time.Now().Before(p.startAfter) || p.kubelet.crashed[p.component] {
		return
	}
	p.startAfter = time.Now().Add(time.Second)
	if err := p.mountVolumes(pod); err != nil {
		return // as a kubelet: the pod waits in ContainerCreating
	}
	container := Dig(pod, "spec", "containers", 0)
	argv := []string{p.kubelet.binary}
	for _, argument := range List(container, "args") {
		argv = append(argv, p.inside(argument.(string)))
	}
	process, err := startProcess(p.kubelet.namespace+"-"+p.name, p.kubelet.cluster.logs, p.environment(pod), argv...)
	if err != nil {
		return
	}
	p.process = process
	p.starts++
}

// inside replaces a path in the container by the folder that stands for it here.
func (p *fakePod) inside(argument string) string {
	for mountPath, folder := range p.mounts {
		argument = strings.Replace(argument, "="+mountPath+"/", "="+folder+"/", 1)
	}
	return argument
}

func (p *fakePod) environment(pod Object) []string {
	c := p.kubelet.cluster
	env := []string{"HOSTNAME=" + p.name, "TPU_ADMISSION_BIND_ADDRESS=" + p.address,
		"TPU_ADMISSION_TIMEOUT=15s", // of `verify`: by default it waits longer for what will not come
		"KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=" + c.server[strings.LastIndex(c.server, ":")+1:]}
	if folder := p.mounts[serviceAccountPath]; folder != "" {
		env = append(env, "TPU_ADMISSION_SERVICE_ACCOUNT_DIR="+folder)
	}
	for _, variable := range List(pod, "spec", "containers", 0, "env") {
		env = append(env, Text(variable, "name")+"="+p.value(pod, variable))
	}
	return env
}

func (p *fakePod) value(pod Object, variable any) string {
	switch Text(variable, "valueFrom", "fieldRef", "fieldPath") {
	case "metadata.name":
		return p.name
	case "metadata.namespace":
		return p.kubelet.namespace
	case "status.podIP":
		return p.address
	}
	return Text(variable, "value")
}

// mountIfDue brings changed Secrets and ConfigMaps to the pod, sooner than a kubelet would.
func (p *fakePod) mountIfDue(pod Object) {
	if time.Now().After(p.mountAfter) {
		p.mountAfter = time.Now().Add(500 * time.Millisecond)
		p.mountVolumes(pod)
	}
}

func (p *fakePod) ended() bool {
	select {
	case <-p.process.exited:
		return true
	default:
		return false
	}
}

// terminate sends SIGTERM once, SIGKILL after the grace, and lets the pod go when the process is gone.
func (p *fakePod) terminate(pod Object) {
	if p.process == nil {
		p.forget()
		return
	}
	if !p.terminating {
		p.terminating = true
		p.process.signal(syscall.SIGTERM)
		grace, _ := Dig(pod, "spec", "terminationGracePeriodSeconds").(float64)
		go func(process *Process) {
			select {
			case <-process.exited:
			case <-time.After(time.Duration(grace) * time.Second):
				process.signal(syscall.SIGKILL)
			}
		}(p.process)
	}
	if p.ended() {
		p.forget()
	}
}

func (p *fakePod) forget() {
	p.kubelet.cluster.Delete(fmt.Sprintf("/api/v1/namespaces/%s/pods/%s", p.kubelet.namespace, p.name))
}

// report writes the pod's status when it has changed: what the readiness probe says, or how the
// process has ended.
func (p *fakePod) report(pod Object) {
	if p.process == nil {
		return
	}
	phase, ready := "Running", "False"
	state := Object{"running": Object{}}
	if p.ended() {
		code := p.process.cmd.ProcessState.ExitCode()
		state = Object{"terminated": Object{"exitCode": code}}
		if Text(pod, "spec", "restartPolicy") == "Never" {
			phase = map[bool]string{true: "Succeeded", false: "Failed"}[code == 0]
		}
	} else if path := Text(pod, "spec", "containers", 0, "readinessProbe", "httpGet", "path"); path != "" {
		if _, code := fetch("http://" + p.address + ":8080" + path); code == http.StatusOK {
			ready = "True"
		}
	}
	p.ready = ready == "True"
	if now := fmt.Sprint(phase, ready, state, p.starts); now != p.reported {
		if p.patchStatus(pod, phase, ready, state) == nil {
			p.reported = now
		}
	}
}

func (p *fakePod) patchStatus(pod Object, phase, ready string, state Object) error {
	conditions := []Object{}
	for _, kind := range []string{"Initialized", "PodScheduled"} {
		conditions = append(conditions, Object{"type": kind, "status": "True"})
	}
	for _, kind := range []string{"Ready", "ContainersReady"} {
		conditions = append(conditions, Object{"type": kind, "status": ready,
			"lastTransitionTime": time.Now().UTC().Format(time.RFC3339)})
	}
	container := Dig(pod, "spec", "containers", 0)
	return p.kubelet.cluster.Patch(fmt.Sprintf("/api/v1/namespaces/%s/pods/%s/status", p.kubelet.namespace, p.name),
		Object{"status": Object{"phase": phase, "conditions": conditions, "containerStatuses": []Object{{
			"name": Text(container, "name"), "image": Text(container, "image"), "imageID": "",
			"ready": ready == "True", "started": true, "restartCount": p.starts - 1, "state": state}}}})
}

func fetch(url string) (body string, code int) {
	client := http.Client{Timeout: time.Second}
	response, err := client.Get(url)
	if err != nil {
		return "", 0
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return string(text), response.StatusCode
}
