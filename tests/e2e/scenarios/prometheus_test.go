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

// prometheusScrapes starts a real Prometheus on the pods of the installation, and asks it every
// question of the dashboard.
func prometheusScrapes(t *testing.T, i *installation) {
	program, err := exec.LookPath("prometheus")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("no prometheus here (Debian: apt-get install prometheus)")
	}
	if err != nil {
		t.Fatal("no prometheus here, and in CI nothing is left out:", err)
	}
	var targets []string
	for _, address := range append(i.kubelet.Ready("server"), i.kubelet.Ready("controller")...) {
		targets = append(targets, address+":8080")
	}
	says(t, i.team.Kubectl(t, "apply", "-f", "examples/wrong-job.yaml"), denied)
	if err := i.team.Create(gated(soundPod)); err != nil {
		t.Fatal(err)
	}
	prometheus := harness.StartPrometheus(t, program, filepath.Join(work, "logs"), targets...)
	ask := func(query string, want float64) {
		t.Helper()
		harness.Eventually(t, 20*time.Second, query, func() error {
			value, err := prometheus.Query(query)
			if err == nil && value != want {
				err = fmt.Errorf("%v, not %v", value, want)
			}
			return err
		})
	}
	ask(`sum(up)`, float64(len(targets)))
	ask(`sum(tpu_admission_requests_total{endpoint="validate",kind="Job",outcome="denied"})`, 1)
	ask(`sum(tpu_admission_pod_chips_total{accelerator="tpu-v6e-slice",decision="allowed"})`, 4)
	for _, query := range dashboardQueries(t) {
		query = strings.TrimSuffix(query, " > 0") // 0 is an answer, too
		if strings.Contains(query, `denials_total{mode=~"audit|warn"`) {
			continue // nothing is let in by the policy's default here
		}
		if strings.Contains(query, "tpu_admission_audit_") {
			continue // TestAudit asks these
		}
		harness.Eventually(t, 5*time.Second, query, func() error {
			_, err := prometheus.Query(query)
			return err
		})
		if strings.Contains(query, `denials_total{mode="deny"`) { // whose series were never seen at 0
			ask(query+` and on (rule) tpu_admission_denials_total{rule="TPU301"}`, 1)
		}
	}
}

// dashboardQueries are the queries of all panels, with times and patterns in place of Grafana's variables.
func dashboardQueries(t *testing.T) (queries []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, chart, "files", "dashboard.json"))
	if err != nil {
		t.Fatal(err)
	}
	times := strings.NewReplacer("$__rate_interval", "1m", "$__range", "5m", "$cluster", ".*", "$namespace", ".*")
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
