package chart

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Each alert fires when it should and only then, and has a runbook.
func TestAlerts(t *testing.T) {
	promtool, err := exec.LookPath("promtool")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("no promtool here (Debian: apt-get install prometheus)")
	}
	if err != nil {
		t.Fatal("no promtool here, and in CI nothing is left out:", err)
	}
	rules, tests := path("charts", "tpu-admission", "files", "alerts.yaml"), path("tests", "chart", "alerts_test.yaml")
	for _, argv := range [][]string{{promtool, "check", "rules", rules}, {promtool, "test", "rules", tests}} {
		if out, errors, err := run("", argv...); err != nil {
			t.Errorf("%v: %s%s", argv, out, errors)
		}
	}
	runbooks, cases := read(t, path("docs", "runbooks.md")), read(t, tests)
	for _, name := range alerts(t) {
		if !strings.Contains(runbooks, "\n## "+name+"\n") {
			t.Errorf("%s has no runbook", name)
		}
		for _, end := range []string{" fires\n", " stays quiet\n"} {
			if !strings.Contains(cases, "name: "+name+end) {
				t.Errorf("no case: %s%s", name, end)
			}
		}
	}
}

// A sound certificate makes no alert, however short it lives: one of 24 hours that is renewed with 8 to go is
// warned of with 4 to go, and with 2.
func TestAlertsKnowHowLongCertificatesLive(t *testing.T) {
	week, hours := [2]string{"< 604800", "< 86400"}, [2]string{"< 14400", "< 7200"}
	for values, want := range map[string][2]string{
		"certificates.mode=self-managed":                                                                                  week,
		"certificates.mode=cert-manager":                                                                                  week,
		"certificates.mode=existing-secret,certificates.existingSecret.name=a":                                            week,
		"controller.extraArgs={--certificate-lifetime=1h,--certificate-lifetime=24h}":                                     hours,
		"controller.extraEnv[0].name=TPU_ADMISSION_CERTIFICATE_LIFETIME,controller.extraEnv[0].value=24h":                 hours,
		"controller.extraArgs={--certificate-lifetime=8760h,--ca-lifetime=26280h}":                                        week,
		"certificates.mode=cert-manager,certificates.certManager.duration=24h,certificates.certManager.renewBefore=7h60m": hours,
	} {
		objects := render(t, "--set", "metrics.prometheusRule.enabled=true,metrics.clusterRules.enabled=true,"+values)
		for _, kind := range []string{"PrometheusRule", "ClusterRules"} {
			var got [2]string
			groups := dig(one(t, objects, kind), "spec", "groups")
			for _, rule := range list(groups, 0, "rules") {
				for i, alert := range []string{"TpuAdmissionCertificateExpiresSoon", "TpuAdmissionCertificateExpired"} {
					if expr := text(rule, "expr"); text(rule, "alert") == alert {
						got[i] = expr[strings.LastIndex(expr, "<"):]
					}
				}
			}
			if got != want {
				t.Errorf("%s: %v, not %v", values, got, want)
			}
		}
	}
	changed := render(t, "--set", "metrics.prometheusRule.enabled=true,metrics.alerts.TpuAdmissionCertificateExpired.expr=a < 1",
		"--set", "controller.extraArgs={--certificate-lifetime=24h}")
	if got := asJSON(t, one(t, changed, "PrometheusRule")); !strings.Contains(got, `"a \u003c 1"`) {
		t.Errorf("the user's own expr is not taken: %s", got)
	}
	short := render(t, "--set", "metrics.prometheusRule.enabled=true,controller.extraArgs={--certificate-lifetime=24h}")
	certificatesOfADay(t, dig(one(t, short, "PrometheusRule"), "spec", "groups"))
}

// certificatesOfADay asks promtool what the rules make of certificates that are, and are not, renewed.
func certificatesOfADay(t *testing.T, groups any) {
	t.Helper()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		t.Skip("no promtool here (Debian: apt-get install prometheus)")
	}
	folder := t.TempDir()
	write(t, filepath.Join(folder, "rules.yaml"), asJSON(t, object{"groups": groups}))
	write(t, filepath.Join(folder, "test.yaml"), `rule_files: [rules.yaml]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series: # the end of the one in use: of a day, and of the next that came after 16 hours
      - {series: 'tpu_admission_certificate_expiry_timestamp_seconds{instance="renewed"}', values: '86400x960 144000x600'}
      - {series: 'tpu_admission_certificate_expiry_timestamp_seconds{instance="not"}', values: '86400x1560'}
    promql_expr_test:
      - {expr: 'ALERTS{alertname=~".*Certificate.*",alertstate="firing"}', eval_time: 19h, exp_samples: []}
      - expr: 'ALERTS{alertname=~".*Certificate.*",alertstate="firing"}'
        eval_time: 21h30m
        exp_samples: [{labels: 'ALERTS{alertname="TpuAdmissionCertificateExpiresSoon",alertstate="firing",instance="not",severity="warning"}', value: 1}]
      - expr: 'count(ALERTS{alertname="TpuAdmissionCertificateExpired",alertstate="firing",instance="not"})'
        eval_time: 22h30m
        exp_samples: [{labels: '{}', value: 1}]
`)
	if out, errors, err := run("", promtool, "test", "rules", filepath.Join(folder, "test.yaml")); err != nil {
		t.Errorf("%s%s", out, errors)
	}
}

func alerts(t *testing.T) (names []string) {
	t.Helper()
	var file object
	if err := yaml.UnmarshalStrict([]byte(read(t, path("charts", "tpu-admission", "files", "alerts.yaml"))), &file); err != nil {
		t.Fatal(err)
	}
	for _, rule := range list(file, "groups", 0, "rules") {
		names = append(names, text(rule, "alert"))
	}
	return names
}

func TestAlertsNameTheirRunbooks(t *testing.T) {
	objects := render(t, append(everything, "--set", "metrics.runbookUrl=https://example.com/runbooks.md")...)
	for _, kind := range []string{"PrometheusRule", "ClusterRules"} { // of the operator and of Google
		rules := list(one(t, objects, kind), "spec", "groups", 0, "rules")
		if len(rules) != len(alerts(t)) {
			t.Errorf("%s has %d alerts", kind, len(rules))
		}
		for _, alert := range rules {
			want := "https://example.com/runbooks.md#" + strings.ToLower(text(alert, "alert"))
			if got := text(alert, "annotations", "runbook_url"); got != want {
				t.Errorf("%s, not %s", got, want)
			}
		}
	}
}

// Each panel has a place of its own and asks for metrics that are in the documentation.
func TestDashboard(t *testing.T) {
	var dashboard object
	config := text(one(t, render(t, everything...), "ConfigMap", "tpu-admission-dashboard"), "data", "tpu-admission.json")
	if err := json.Unmarshal([]byte(config), &dashboard); err != nil {
		t.Fatal(err)
	}
	documented := read(t, path("docs", "operations.md")) + read(t, path("docs", "certificates.md"))
	metric := regexp.MustCompile(`tpu_admission_[a-z_]+`)
	taken, ids := map[[2]int]string{}, map[any]bool{}
	for _, panel := range list(dashboard, "panels") {
		title := text(panel, "title")
		if id := dig(panel, "id"); ids[id] {
			t.Errorf("%s: the id %v is taken", title, id)
		} else {
			ids[id] = true
		}
		place(t, taken, title, dig(panel, "gridPos"))
		for _, target := range list(panel, "targets") {
			for _, name := range metric.FindAllString(text(target, "expr"), -1) {
				if name = strings.TrimSuffix(name, "_bucket"); !strings.Contains(documented, "`"+name+"`") {
					t.Errorf("%s: %s is in no table of metrics in docs", title, name)
				}
			}
		}
	}
}

func place(t *testing.T, taken map[[2]int]string, title string, grid any) {
	t.Helper()
	at := func(key string) int { n, _ := dig(grid, key).(float64); return int(n) }
	for x := at("x"); x < at("x")+at("w"); x++ {
		for y := at("y"); y < at("y")+at("h"); y++ {
			if other := taken[[2]int{x, y}]; other != "" || x >= 24 {
				t.Fatalf("%s lies on %q, or beyond the edge", title, other)
			}
			taken[[2]int{x, y}] = title
		}
	}
}
