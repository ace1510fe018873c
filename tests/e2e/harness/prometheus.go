package harness

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Prometheus is a real Prometheus server that scrapes its targets every second.
type Prometheus struct{ address string }

// StartPrometheus runs the program until the test ends, with its log in logs.
func StartPrometheus(t testing.TB, program, logs string, targets ...string) *Prometheus {
	t.Helper()
	dir := t.TempDir()
	config := filepath.Join(dir, "prometheus.yml")
	text := fmt.Sprintf(prometheusConfig, strings.Join(targets, ", "))
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	ports, err := FreePorts(1)
	if err != nil {
		t.Fatal(err)
	}
	p := &Prometheus{address: fmt.Sprintf("127.0.0.1:%d", ports[0])}
	process, err := StartProcess("prometheus", logs, program, "--config.file="+config,
		"--storage.tsdb.path="+filepath.Join(dir, "data"), "--web.listen-address="+p.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { process.Stop(5 * time.Second) })
	if err := process.WaitFor(20*time.Second, func() error {
		_, err := p.Query("vector(1)")
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return p
}

// Query evaluates a PromQL expression to the value of its first sample.
func (p *Prometheus) Query(expression string) (float64, error) {
	response, err := http.Get("http://" + p.address + "/api/v1/query?query=" + url.QueryEscape(expression))
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	var answer Object
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil {
		return 0, err
	}
	value := Text(answer, "data", "result", 0, "value", 1)
	if value == "" {
		return 0, fmt.Errorf("no sample: %v", answer)
	}
	return strconv.ParseFloat(value, 64)
}

const prometheusConfig = `global: {scrape_interval: 1s}
scrape_configs:
- job_name: tpu-admission
  static_configs:
  - targets: [%s]
`
