package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

const adminToken = "admin"

// Options choose what differs between two control planes.
type Options struct {
	// ExtendedResourceToleration turns on the admission plugin of that name, as GKE does.
	ExtendedResourceToleration bool
	// Tracing makes the API server trace every request. Nobody collects the spans.
	Tracing bool
}

// ControlPlane is a running etcd, kube-apiserver, kube-controller-manager and kube-scheduler.
type ControlPlane struct {
	*API
	programs  string // folder of the five programs
	dir       string
	logs      string
	authority *Authority
	server    string // https://127.0.0.1:port
	running   []*Process
}

// StartControlPlane starts the programs found in the folder `programs`, keeping data in work/name
// and logs in work/logs/name, and returns when all of them do their work. Stop it in any case.
func StartControlPlane(programs, work, name string, options Options) (*ControlPlane, error) {
	c := &ControlPlane{
		programs: programs,
		dir:      filepath.Join(work, name),
		logs:     filepath.Join(work, "logs", name),
	}
	for _, dir := range []string{c.dir, c.logs} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return c, err
		}
	}
	ports, err := FreePorts(3)
	if err != nil {
		return c, err
	}
	if c.authority, err = NewAuthority(c.dir); err != nil {
		return c, err
	}
	c.server = fmt.Sprintf("https://127.0.0.1:%d", ports[2])
	if c.API, err = newAPI(c.server, adminToken, c.authority.CertPath()); err != nil {
		return c, err
	}
	etcd := fmt.Sprintf("http://127.0.0.1:%d", ports[0])
	if err := c.startEtcd(etcd, fmt.Sprintf("http://127.0.0.1:%d", ports[1])); err != nil {
		return c, err
	}
	if err := c.startAPIServer(etcd, ports[2], options); err != nil {
		return c, err
	}
	return c, c.startControllers()
}

func (c *ControlPlane) start(program string, args ...string) (*Process, error) {
	argv := append([]string{filepath.Join(c.programs, program)}, args...)
	process, err := StartProcess(program, c.logs, argv...)
	if err == nil {
		c.running = append(c.running, process)
	}
	return process, err
}

// RestartAPIServer ends kube-apiserver and starts it again with the same flags, on the same port.
func (c *ControlPlane) RestartAPIServer() error {
	for i, process := range c.running {
		if process.name != "kube-apiserver" {
			continue
		}
		process.Stop(5 * time.Second)
		next, err := StartProcess(process.name, c.logs, process.cmd.Args...)
		if err != nil {
			return err
		}
		c.running[i] = next
		return next.WaitFor(time.Minute, func() error { return c.Get("/readyz", nil) })
	}
	return errors.New("no kube-apiserver is running")
}

// Stop ends the programs, the youngest first: kube-apiserver hangs when etcd is gone before it.
func (c *ControlPlane) Stop() {
	for i := len(c.running) - 1; i >= 0; i-- {
		c.running[i].Stop(5 * time.Second)
	}
	c.running = nil
}
