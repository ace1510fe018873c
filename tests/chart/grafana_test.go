package chart

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// slips are mistakes in the dashboard, each with a word of the complaint that it must bring.
var slips = []struct{ right, wrong, complaint string }{
	{`"editable": true`, `"editable": "yes"`, "'string' is not assignable"},
	{`"title": "Servers"`, `"titel": "Servers"`, `"titel"`},
	{`"legendFormat"`, `"legendformat"`, `"legendformat"`},
	{`"fieldConfig"`, `"fieldconfig"`, `"fieldconfig"`},
	{`"drawStyle"`, `"drawstyle"`, `"drawstyle"`},   // of the plugin timeseries
	{`"colorMode"`, `"colourMode"`, `"colourMode"`}, // of the plugin stat
	{`"mode": "absolute"`, `"mode": "abs"`, `"abs"`},
	{`"type": "timeseries"`, `"type": "graph"`, `"graph"`},
}

// The JSON is what Grafana's own types allow, all the way down; and what they do not allow is found.
func TestDashboardMatchesGrafanasTypes(t *testing.T) {
	if _, err := exec.LookPath("npm"); err != nil && os.Getenv("CI") == "" {
		t.Skip("no npm here (Debian: apt-get install npm): Grafana publishes its types there")
	} else if err != nil {
		t.Fatal("no npm here, and in CI nothing is left out:", err)
	}
	folder := t.TempDir()
	dashboard := text(one(t, render(t, everything...), "ConfigMap", "tpu-admission-dashboard"), "data", "tpu-admission.json")
	write(t, filepath.Join(folder, "sound.json"), dashboard)
	argv := []string{path("tests", "chart", "grafana", "check"), filepath.Join(folder, "sound.json")}
	for i, slip := range slips {
		if !strings.Contains(dashboard, slip.right) {
			t.Fatalf("the dashboard has no %s", slip.right)
		}
		file := filepath.Join(folder, fmt.Sprintf("slip%d.json", i))
		write(t, file, strings.Replace(dashboard, slip.right, slip.wrong, 1))
		argv = append(argv, file)
	}
	out, complaint, err := run("", argv...)
	if err == nil {
		t.Fatal("no slip was found")
	}
	faults := map[string]string{}
	for _, line := range strings.Split(out, "\n") {
		if name, _, isFault := strings.Cut(line, ".ts("); isFault {
			faults[name] += line + "\n"
		}
	}
	if len(faults) == 0 || faults["sound"] != "" {
		t.Errorf("%s%s", faults["sound"], complaint)
	}
	for i, slip := range slips {
		if found := faults[fmt.Sprintf("slip%d", i)]; !strings.Contains(found, slip.complaint) {
			t.Errorf("%s was not found: %s", slip.wrong, found)
		}
	}
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
