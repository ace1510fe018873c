package harness

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Controller is `tpu-admission controller` as a process of its own, with the token of a service account.
type Controller struct {
	process *Process
	metrics string // http://127.0.0.1:port
}

// StartController starts the binary with the flags until the test ends. Its token is one of the
// account, as a kubelet would ask for it.
func (n *Namespace) StartController(t testing.TB, name, binary, account string, flags ...string) *Controller {
	t.Helper()
	ports, err := FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	token := filepath.Join(t.TempDir(), "token")
	text := strings.TrimSpace(n.Succeed(t, "create", "token", account).Stdout)
	if err := os.WriteFile(token, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	argv := append([]string{binary, "controller", "--bind-address=127.0.0.1",
		fmt.Sprintf("--metrics-port=%d", ports[0]), "--namespace=" + n.Name, "--api-server=" + n.cluster.server,
		"--token-file=" + token, "--ca-file=" + n.cluster.authority.CertPath()}, flags...)
	c := &Controller{metrics: fmt.Sprintf("http://127.0.0.1:%d", ports[0])}
	if c.process, err = StartProcess(n.Name+"-"+name, n.cluster.logs, argv...); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.process.Stop(10 * time.Second)
		if t.Failed() {
			log, _ := os.ReadFile(c.process.logPath)
			t.Logf("== %s\n%s", name, log)
		}
	})
	if err := c.process.WaitFor(20*time.Second, func() error {
		if body, code := fetch(c.metrics + "/readyz"); code != http.StatusOK {
			return fmt.Errorf("/readyz: %d: %s", code, body)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return c
}

// Metric is the sum of the series of a family that carry the labels; 0 if the process does not answer.
func (c *Controller) Metric(family string, labels ...string) float64 {
	text, _ := fetch(c.metrics + "/metrics")
	return SumMetric(text, family, labels...)
}

// Kill ends the process as a crash would.
func (c *Controller) Kill() { c.process.Kill() }

// Stop asks it to end, as a kubelet does, and returns how long that took.
func (c *Controller) Stop() time.Duration {
	begin := time.Now()
	c.process.Stop(30 * time.Second)
	return time.Since(begin)
}
