package scenarios

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// A real Prometheus scrapes us and answers a question about what it found.
func TestPrometheusScrapesUs(t *testing.T) {
	program, err := exec.LookPath("prometheus")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("no prometheus here (Debian: apt-get install prometheus)")
	}
	if err != nil {
		t.Fatal("no prometheus here, and in CI nothing is left out:", err)
	}
	n := plain.namespace(t, "prometheus")
	w := install(t, n)
	n.Kubectl(t, "apply", "-f", "examples/wrong-job.yaml")
	prometheus := harness.StartPrometheus(t, program, filepath.Join(work, "logs"), w.MetricsAddress())
	harness.Eventually(t, 20*time.Second, "a scrape", func() error {
		return one(prometheus.Query(`up{job="tpu-admission"}`))
	})
	harness.Eventually(t, 5*time.Second, "the denied Job", func() error {
		return one(prometheus.Query(`sum(tpu_admission_requests_total{kind="Job",outcome="denied"})`))
	})
}

func one(value float64, err error) error {
	if err == nil && value != 1 {
		err = fmt.Errorf("%v, not 1", value)
	}
	return err
}
