package harness

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Cost is what a process has used, without its children.
type Cost struct {
	Wall, CPU time.Duration
	PeakMiB   float64
}

func (c Cost) String() string {
	return fmt.Sprintf("%.1f s, %.1f s of processor time, %.1f MiB", c.Wall.Seconds(), c.CPU.Seconds(), c.PeakMiB)
}

// Measure runs the binary as the namespace's user, as Ours does, for ten minutes at most.
func (n *Namespace) Measure(t testing.TB, binary string, args ...string) (Output, Cost) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir = n.root
	cmd.Env = append(os.Environ(), "KUBECONFIG="+n.config, "HOME="+n.cluster.dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		cmd.Wait()
		close(ended)
	}()
	var cost Cost
	for running := true; running; {
		select {
		case <-ended:
			running = false
		case <-time.After(10 * time.Millisecond):
			cost.look(cmd.Process.Pid)
		}
	}
	cost.Wall = time.Since(begin)
	return Output{Command: filepath.Base(binary) + " " + strings.Join(args, " "), Stdout: stdout.String(),
		Stderr: stderr.String(), Code: cmd.ProcessState.ExitCode(), Took: cost.Wall}, cost
}

// look reads what the kernel says of the process now; of one that has ended, nothing new.
func (c *Cost) look(pid int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(status)) {
		if kib, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			number, _ := strconv.ParseFloat(strings.Fields(kib)[0], 64)
			c.PeakMiB = max(c.PeakMiB, number/1024)
		}
	}
	stat, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, after, _ := strings.Cut(string(stat), ") ")
	if fields := strings.Fields(after); len(fields) > 12 {
		user, _ := strconv.ParseInt(fields[11], 10, 64)
		system, _ := strconv.ParseInt(fields[12], 10, 64)
		c.CPU = time.Duration(user+system) * 10 * time.Millisecond // a tick is a hundredth of a second
	}
}

// Reach are the flags by which a program of ours talks to the API server as the administrator.
func (c *ControlPlane) Reach(t testing.TB) []string {
	t.Helper()
	token := filepath.Join(c.dir, "admin.token")
	if err := os.WriteFile(token, []byte(adminToken), 0o600); err != nil {
		t.Fatal(err)
	}
	return []string{"--api-server=" + c.server, "--token-file=" + token, "--ca-file=" + c.authority.CertPath()}
}
