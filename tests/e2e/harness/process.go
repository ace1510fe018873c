// Package harness runs a real Kubernetes control plane and tpu-admission on 127.0.0.1 and lets a
// test act on them as a user does. It needs nothing but the standard library.
package harness

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Process is one child in a process group of its own, writing to one log file. It dies with the
// test process, however that ends.
type Process struct {
	name    string
	logPath string
	cmd     *exec.Cmd
	exited  chan struct{}
}

// StartProcess starts argv and returns at once; its output goes to logDir/name.log.
func StartProcess(name, logDir string, argv ...string) (*Process, error) {
	return startProcess(name, logDir, nil, argv...)
}

// startProcess is StartProcess with an environment instead of ours (nil: ours).
func startProcess(name, logDir string, env []string, argv ...string) (*Process, error) {
	logPath := filepath.Join(logDir, name+".log")
	log, err := os.OpenFile(logPath, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr, cmd.Env = log, log, env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("cannot start %s: %w", name, err)
	}
	p := &Process{name: name, logPath: logPath, cmd: cmd, exited: make(chan struct{})}
	go func() {
		cmd.Wait()
		close(p.exited)
	}()
	return p, nil
}

// Stop asks the process to end, kills it after the grace, and returns when it is gone. On a nil
// or an ended process it does nothing.
func (p *Process) Stop(grace time.Duration) {
	if p == nil {
		return
	}
	p.signal(syscall.SIGTERM)
	select {
	case <-p.exited:
	case <-time.After(grace):
		p.Kill()
	}
}

// Kill ends the process as a crash would (SIGKILL) and returns when it is gone.
func (p *Process) Kill() {
	p.signal(syscall.SIGKILL)
	<-p.exited
}

func (p *Process) signal(s syscall.Signal) {
	select {
	case <-p.exited:
	default:
		syscall.Kill(-p.cmd.Process.Pid, s)
	}
}

// WaitFor polls ready until it returns nil. It fails at once when the process ends, and after the
// limit, naming the log file in both cases.
func (p *Process) WaitFor(limit time.Duration, ready func() error) error {
	deadline := time.Now().Add(limit)
	for {
		err := ready()
		if err == nil {
			return nil
		}
		select {
		case <-p.exited:
			return fmt.Errorf("%s ended before it was ready (log: %s): %w", p.name, p.logPath, err)
		case <-time.After(50 * time.Millisecond):
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("%s not ready after %s (log: %s): %w", p.name, limit, p.logPath, err)
		}
	}
}
