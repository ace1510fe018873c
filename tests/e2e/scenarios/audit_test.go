package scenarios

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// What the audit finds in a real cluster: as metrics where no reports are served, as reports of the former
// group where only that is, else as OpenReports; written, changed, gone, and nothing left of it in the end.
func TestAudit(t *testing.T) {
	i := prepare(t, "--set", "audit.enabled=true", "--set", "audit.extraArgs={--interval=5s,--gang-patience=1s}")
	a := &audited{installation: i}
	production.plane.AddHosts(t, "idle", harness.V6ex4, "2x2", 1)
	before := everythingThere(i)
	says(t, i.team.Succeed(t, "apply", "-f", "examples/wrong-job.yaml"), "created")
	says(t, i.team.Apply(t, deploymentOn("tpu-v6e-podslice")), "created")
	i.install()

	a.metric("tpu_admission_audit_workloads", 2, `mode="deny"`)
	a.metric("tpu_admission_audit_chips", 4)
	a.metric("tpu_admission_audit_wasted_chips", 4, `waste="idle"`)
	a.metric("tpu_admission_audit_reports_total", 0)
	t.Run("Prometheus answers the dashboard", func(t *testing.T) { a.dashboard(t) })
	auditMayReadAndReport(i)

	a.define(formerReports(t, i.team))
	a.expect("policyreport", "train", "fail", "TPU301")
	a.define(openReports(t, i.team))
	a.expect("report.openreports.io", "train", "fail", "TPU301")
	a.expect("report.openreports.io", "serve", "fail", "TPU101")
	a.none("policyreports,clusterpolicyreports")
	capacity := a.get("clusterreport.openreports.io", "tpu-admission-capacity")
	if got := harness.Text(capacity, "results", 0, "message"); !strings.Contains(got, "4 of 4 chips lie idle") {
		t.Errorf("%q", got)
	}
	a.names()
	a.wastes()

	// A new policy is audited by at once, a mended workload loses its report, and one that is gone too.
	i.helm("upgrade", "tpu-admission", chart, "--wait", "--set", "policy.rules.TPU301=warn")
	a.expect("report.openreports.io", "train", "warn", "TPU301")
	says(t, i.team.Apply(t, deploymentOn("tpu-v6e-slice")), "configured")
	a.expect("report.openreports.io", "serve", "", "")
	i.team.Succeed(t, "delete", "job", "train")
	a.expect("report.openreports.io", "train", "", "")

	i.team.Succeed(t, "delete", "deployment", "serve")
	i.uninstall(30*time.Second, before)
	a.none("reports.openreports.io,clusterreports.openreports.io")
}

type audited struct {
	*installation
}

func (a *audited) metric(name string, want float64, labels ...string) {
	a.Helper()
	harness.Eventually(a.T, 40*time.Second, fmt.Sprint(name, labels, want), func() error {
		for _, text := range a.kubelet.Metrics(a.T, "audit") {
			if harness.SumMetric(text, "tpu_admission_audit_last_success_timestamp_seconds") == 0 {
				return fmt.Errorf("no pass yet")
			}
			if got := harness.SumMetric(text, name, labels...); got != want {
				return fmt.Errorf("%v", got)
			}
			return nil
		}
		return fmt.Errorf("no audit runs")
	})
}

// dashboard asks a real Prometheus what the dashboard's panels of the audit ask.
func (a *audited) dashboard(t *testing.T) {
	program, err := exec.LookPath("prometheus")
	if err != nil && os.Getenv("CI") == "" {
		t.Skip("no prometheus here (Debian: apt-get install prometheus)")
	}
	if err != nil {
		t.Fatal("no prometheus here, and in CI nothing is left out:", err)
	}
	prometheus := harness.StartPrometheus(t, program, filepath.Join(work, "logs"), a.kubelet.Ready("audit")[0]+":8080")
	asked := 0
	for _, query := range dashboardQueries(t) {
		if !strings.Contains(query, "tpu_admission_audit_") {
			continue
		}
		asked++
		harness.Eventually(t, 20*time.Second, query, func() error {
			_, err := prometheus.Query(query)
			return err
		})
	}
	if asked < 4 {
		t.Errorf("%d queries", asked)
	}
}

// define makes the server serve the kinds of the manifest until the test ends.
func (a *audited) define(manifest string) {
	a.Helper()
	says(a.T, a.system.Apply(a.T, manifest), "created")
	a.Cleanup(func() { a.system.Succeed(a.T, "delete", "--ignore-not-found", "-f", a.file(manifest)) })
	a.system.Succeed(a.T, "wait", "--for=condition=Established", "-f", a.file(manifest))
}

func (a *audited) file(manifest string) string {
	a.Helper()
	path := filepath.Join(a.TempDir(), "manifest.json")
	if err := os.WriteFile(path, []byte(manifest), 0o600); err != nil {
		a.Fatal(err)
	}
	return path
}

func (a *audited) get(kind, name string) (found object) {
	a.Helper()
	return harness.ParseObject(a.T, a.team.Succeed(a.T, "get", kind, name, "-o", "json").Stdout)
}

// expect waits until the report about the workload says so of the rule; an empty result: until there is
// no report.
func (a *audited) expect(kind, workload, result, rule string) {
	a.Helper()
	harness.Eventually(a.T, 60*time.Second, fmt.Sprintf("%s of %s: %s", kind, workload, result), func() error {
		list := harness.ParseObject(a.T, a.team.Succeed(a.T, "get", kind, "-o", "json").Stdout)
		for _, report := range harness.List(list, "items") {
			if harness.Text(report, "scope", "name") != workload {
				continue
			}
			for _, each := range harness.List(report, "results") {
				if strings.HasPrefix(harness.Text(each, "rule"), rule+" ") && harness.Text(each, "result") == result {
					return nil
				}
			}
			return fmt.Errorf("%v", harness.List(report, "results"))
		}
		if result == "" {
			return nil
		}
		return fmt.Errorf("%d other reports", len(harness.List(list, "items")))
	})
}

func (a *audited) none(kinds string) {
	a.Helper()
	harness.Eventually(a.T, 30*time.Second, "no "+kinds, func() error {
		if out := a.system.Succeed(a.T, "get", kinds, "-A", "-o", "name").Stdout; out != "" {
			return fmt.Errorf("left: %s", out)
		}
		return nil
	})
}

// names: a report is named by the uid of its workload, owned by it, and of the source that tools group by.
func (a *audited) names() {
	a.Helper()
	uid := harness.Text(a.team.Object(a.T, "job", "train"), "metadata", "uid")
	report := a.get("report.openreports.io", uid)
	if got := harness.Text(report, "metadata", "ownerReferences", 0, "uid"); got != uid {
		a.Errorf("the owner is %q", got)
	}
	if got := harness.Text(report, "source") + " " + harness.Text(report, "results", 0, "source"); got != "tpu-admission tpu-admission" {
		a.Errorf("the source is %q", got)
	}
}

func auditMayReadAndReport(i *installation) {
	i.Helper()
	for _, right := range rights(i, "tpu-admission-audit") {
		name, verbs, _ := strings.Cut(right, " [] ")
		isReport := strings.HasSuffix(name, ".openreports.io") || strings.HasSuffix(name, ".wgpolicyk8s.io")
		if verbs != "list" && !(isReport && verbs == "list create patch delete") {
			i.Errorf("the audit may: %s", right)
		}
		if slices.Contains([]string{"secrets", "configmaps", "*"}, name) {
			i.Errorf("the audit may: %s", right)
		}
	}
	if got := rights(i, "tpu-admission"); len(got) != 0 {
		i.Errorf("the servers may: %v", got)
	}
}

// openReports is the List of the custom resources of OpenReports, as they are published.
func openReports(t *testing.T, n *harness.Namespace) string {
	t.Helper()
	items := harness.ParseObjects(t, n.Succeed(t, "create", "--dry-run=client", "-o", "json", "-f", os.Getenv("E2E_OPENREPORTS")).Stdout)
	text, err := json.Marshal(object{"apiVersion": "v1", "kind": "List", "items": items})
	if err != nil || len(items) != 2 {
		t.Fatalf("%d kinds: %v", len(items), err)
	}
	return string(text)
}

// formerReports is the same with the names of the group before it, without what that lacked: the first
// schema of v1alpha2 has no source of a whole report and knows three severities.
func formerReports(t *testing.T, n *harness.Namespace) string {
	t.Helper()
	list := harness.ParseObject(t, strings.NewReplacer("openreports.io", "wgpolicyk8s.io", "v1alpha1", "v1alpha2",
		"ClusterReport", "ClusterPolicyReport", `"Report`, `"PolicyReport`, "clusterreport", "clusterpolicyreport",
		`"reports`, `"policyreports`, `"report"`, `"policyreport"`, `"reps"`, `"polr"`, `"creps"`, `"cpolr"`).
		Replace(openReports(t, n)))
	for _, definition := range harness.List(list, "items") {
		schema := harness.Dig(definition, "spec", "versions", 0, "schema", "openAPIV3Schema", "properties").(object)
		delete(schema, "source")
		delete(schema, "configuration")
		severity := harness.Dig(schema, "results", "items", "properties", "severity").(object)
		severity["enum"] = []any{"high", "low", "medium"}
	}
	text, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// deploymentOn is a Deployment of no pods, sound but perhaps for its accelerator.
func deploymentOn(accelerator string) string {
	text, _ := json.Marshal(object{"apiVersion": "apps/v1", "kind": "Deployment", "metadata": object{"name": "serve"},
		"spec": object{"replicas": 0, "selector": object{"matchLabels": object{"app": "serve"}}, "template": object{
			"metadata": object{"labels": object{"app": "serve"}},
			"spec": object{
				"tolerations": []any{object{"key": "google.com/tpu", "operator": "Exists", "effect": "NoSchedule"}},
				"nodeSelector": object{"cloud.google.com/gke-tpu-accelerator": accelerator,
					"cloud.google.com/gke-tpu-topology": "2x2"},
				"containers": []any{object{"name": "jax", "image": "example.com/jax:1", "resources": object{
					"requests": object{"cpu": "8", "memory": "16Gi"}, "limits": object{"google.com/tpu": 4}}}}}}}})
	return string(text)
}
