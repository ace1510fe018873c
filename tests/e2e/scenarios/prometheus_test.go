package scenarios

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// A real Prometheus scrapes us and answers a question about what it found, and every question of the
// dashboard.
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
	for _, query := range dashboardQueries(t) {
		harness.Eventually(t, 5*time.Second, query, func() error {
			_, err := prometheus.Query(query)
			return err
		})
	}
}

// dashboardQueries are the queries of all panels, with times in place of Grafana's variables.
func dashboardQueries(t *testing.T) (queries []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, chart, "files", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	times := strings.NewReplacer("$__rate_interval", "1m", "$__range", "5m")
	for _, panel := range harness.List(harness.ParseObject(t, string(text)), "panels") {
		for _, target := range harness.List(panel, "targets") {
			queries = append(queries, times.Replace(harness.Text(target, "expr")))
		}
	}
	if len(queries) < 20 {
		t.Fatalf("%d queries", len(queries))
	}
	return queries
}

func one(value float64, err error) error {
	if err == nil && value != 1 {
		err = fmt.Errorf("%v, not 1", value)
	}
	return err
}
