package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

func TestLint(t *testing.T) {
	for _, values := range [][]string{nil, everything} {
		arguments := append([]string{filepath.Join(tools, "helm"), "lint", "--strict", path("charts", "tpu-admission")}, values...)
		if out, errors, err := run("", arguments...); err != nil {
			t.Errorf("%v: %s%s", values, out, errors)
		}
	}
}

// What kube-score says that we leave as it is, and why. Limits of CPU are left out too: throttling
// would only make answers late.
var accepted = []string{
	"container-image-pull-policy", // IfNotPresent: an image is named by its digest or version
	"deployment-replicas",         // one controller is enough: certificates live long
}

func TestKubeScore(t *testing.T) {
	rendered, complaint, err := template("--skip-tests", "--set", "image.digest=sha256:"+strings.Repeat("0", 64))
	if err != nil {
		t.Fatal(complaint)
	}
	arguments := []string{filepath.Join(tools, "kube-score"), "score", "-", "--kubernetes-version", "v1.36",
		"--output-format", "ci", "--ignore-container-cpu-limit"}
	for _, test := range accepted {
		arguments = append(arguments, "--ignore-test", test)
	}
	if out, errors, err := run(rendered, arguments...); err != nil {
		t.Errorf("%s%s", findings(out), errors)
	}
}

// findings leaves out what is fine.
func findings(report string) string {
	var lines []string
	for _, line := range strings.Split(report, "\n") {
		if !strings.HasPrefix(line, "[OK]") && !strings.HasPrefix(line, "[SKIPPED]") {
			lines = append(lines, line)
		}
	}
	return strings.Join(lines, "\n")
}

func TestEveryObjectHasTheUsualLabels(t *testing.T) {
	for _, o := range render(t, append(everything, "--set", "commonLabels.team=ml")...) {
		for _, label := range []string{"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/version",
			"app.kubernetes.io/component", "app.kubernetes.io/part-of", "app.kubernetes.io/managed-by", "helm.sh/chart", "team"} {
			if text(o, "metadata", "labels", label) == "" {
				t.Errorf("%s %s has no label %s", kind(o), name(o), label)
			}
		}
	}
}

// podOf is the pod, or the template of pods, that the object is or has.
func podOf(o object) object {
	if kind(o) == "Pod" {
		return o
	}
	pod, _ := dig(o, "spec", "template").(object)
	return pod
}

// The cleanup and the test are pods too. A key that is set twice is rendered once: YAML has no other (render fails), and
// the narrower value holds.
func TestEveryPodHasTheLabelsAndAnnotations(t *testing.T) {
	pods := 0
	for _, o := range render(t, append(everything, "--set", "commonLabels.team=b,commonLabels.cost=c,podLabels.team=a,podAnnotations.x=y",
		"--set", `podAnnotations.kubectl\.kubernetes\.io/default-container=mine,podAnnotations.helm\.sh/hook=mine`,
		"--set", `metrics.serviceMonitor.labels.team=a,metrics.prometheusRule.labels.team=a,metrics.dashboard.labels.team=a`)...) {
		pod := podOf(o)
		if pod == nil {
			continue
		}
		pods++
		for where, want := range map[string]string{"labels.team": "a", "labels.cost": "c", "annotations.x": "y",
			"annotations.kubectl.kubernetes.io/default-container": "mine", "labels.app.kubernetes.io/part-of": "tpu-admission"} {
			part, key, _ := strings.Cut(where, ".")
			if got := text(pod, "metadata", part, key); got != want {
				t.Errorf("%s %s: %s is %q, not %q", kind(o), name(o), where, got, want)
			}
		}
		if hook := text(o, "metadata", "annotations", "helm.sh/hook"); hook == "mine" {
			t.Errorf("%s %s is no hook any more", kind(o), name(o))
		}
	}
	if pods != 5 {
		t.Errorf("%d of servers, controller, audit, cleanup and test", pods)
	}
}

// Two releases share no object of the cluster.
func TestReleasesDoNotCollide(t *testing.T) {
	seen := map[string]bool{}
	for _, o := range append(render(t), render(t, "--namespace", "other")...) {
		key := kind(o) + "/" + text(o, "metadata", "namespace") + "/" + name(o)
		if seen[key] {
			t.Errorf("%s twice", key)
		}
		seen[key] = true
	}
}

// A drain is never blocked, a rolling update never takes a server before the next is ready, and the
// pod has time for the shutdown delay and what is in flight.
func TestServersComeAndGoGently(t *testing.T) {
	objects := render(t, "--set", "server.shutdownDelaySeconds=40")
	budget := dig(one(t, objects, "PodDisruptionBudget"), "spec")
	if dig(budget, "maxUnavailable") != float64(1) || text(budget, "unhealthyPodEvictionPolicy") != "AlwaysAllow" {
		t.Errorf("%v", budget)
	}
	for _, deployment := range only(objects, "Deployment") {
		if name(deployment) != "tpu-admission" {
			continue
		}
		if dig(deployment, "spec", "strategy", "rollingUpdate", "maxUnavailable") != float64(0) {
			t.Errorf("%v", dig(deployment, "spec", "strategy"))
		}
		pod := dig(deployment, "spec", "template", "spec")
		if got := dig(pod, "terminationGracePeriodSeconds"); got != float64(60) {
			t.Errorf("a grace of %v s", got)
		}
		if dig(pod, "affinity", "podAntiAffinity", "requiredDuringSchedulingIgnoredDuringExecution") != nil {
			t.Error("a hard anti-affinity")
		}
		for _, spread := range list(pod, "topologySpreadConstraints") {
			if text(spread, "whenUnsatisfiable") != "ScheduleAnyway" {
				t.Errorf("%v", spread)
			}
		}
	}
}

func TestCertificateModes(t *testing.T) {
	controlled := render(t)
	if len(only(controlled, "Lease")) != 1 || len(only(controlled, "Secret")) != 1 || len(only(controlled, "Deployment")) != 2 {
		t.Error("self-managed: no controller, Secret or Lease")
	}
	managed := render(t, certManager...)
	if len(only(managed, "Certificate")) != 2 || len(only(managed, "Issuer")) != 2 || len(only(managed, "Secret")) != 0 ||
		len(only(managed, "Lease")) != 0 || len(only(managed, "Deployment")) != 1 {
		t.Error("cert-manager: not a CA and a certificate, or a controller")
	}
	for _, configuration := range append(only(managed, "MutatingWebhookConfiguration"), only(managed, "ValidatingWebhookConfiguration")...) {
		if text(configuration, "metadata", "annotations", "cert-manager.io/inject-ca-from") != namespace+"/tpu-admission" {
			t.Errorf("%v", dig(configuration, "metadata"))
		}
	}
	issued := render(t, corporateIssuer...)
	if len(only(issued, "Certificate")) != 1 || text(one(t, issued, "Certificate"), "spec", "issuerRef", "name") != "corp" {
		t.Error("cert-manager: not the issuer that was asked for")
	}
	own := render(t, existingSecret...)
	for _, webhook := range webhooks(own) {
		if text(webhook, "clientConfig", "caBundle") == "" {
			t.Error("existing-secret: no caBundle")
		}
	}
	if mountedSecret(t, own) != "mine" {
		t.Error("existing-secret: another Secret is mounted")
	}
	if text(one(t, managed, "Certificate", "tpu-admission"), "spec", "secretName") != mountedSecret(t, managed) {
		t.Error("cert-manager: another Secret is mounted")
	}
	// Helm owns the Secret of the one mode and not of the other: it would refuse to change the mode.
	if mountedSecret(t, managed) == mountedSecret(t, controlled) {
		t.Error("who changes the mode meets the Secret of the other")
	}
}

// mountedSecret is the Secret with the certificate of the servers.
func mountedSecret(t *testing.T, objects []object) string {
	t.Helper()
	for _, volume := range list(one(t, objects, "Deployment", "tpu-admission"), "spec", "template", "spec", "volumes") {
		if secret := text(volume, "secret", "secretName"); secret != "" {
			return secret
		}
	}
	t.Fatal("the servers mount no Secret")
	return ""
}

// GKE admits the pods of such a class only where a quota speaks of them.
func TestACriticalPriorityBringsItsQuota(t *testing.T) {
	objects := render(t, "--set", "priorityClassName=system-cluster-critical,replicaCount=7,audit.enabled=true")
	quota := dig(one(t, objects, "ResourceQuota"), "spec")
	if text(quota, "hard", "pods") != "18" ||
		text(quota, "scopeSelector", "matchExpressions", 0, "values", 0) != "system-cluster-critical" {
		t.Errorf("%v", quota)
	}
	if class := dig(one(t, objects, "Job"), "spec", "template", "spec", "priorityClassName"); class != nil {
		t.Errorf("the cleanup, which comes after the quota is gone, is of class %v", class)
	}
	if quotas := only(render(t, "--set", "priorityClassName=ours"), "ResourceQuota"); len(quotas) > 0 {
		t.Errorf("%v", quotas)
	}
}

// Each of these is a typing error or a wish that cannot be met.
func TestWrongValuesAreRefused(t *testing.T) {
	for values, reason := range map[string]string{
		"policy.rules.TPU999=warn":                                           "TPU999",
		"policy.rules.chips-per-hots=warn":                                   "chips-per-hots",
		"policy.fixes.TPU999=false":                                          "TPU999",
		"policy.ignore={TPU999}":                                             "ignore",
		"policy.namespaces[0].match=a,policy.namespaces[0].rules.TPU999=off": "TPU999",
		"catalog=foo":                                          "catalog: this is not the text of a TPU catalog",
		"catalog=generations: 3":                               "catalog: this is not the text of a TPU catalog",
		"replicaCount=0,webhooks.failurePolicy=Fail":           "every TPU workload would be refused",
		"replicaCount=0":                                       "nobody would answer the webhooks",
		"global.imageregistry=a":                               "global.imageregistry is not read",
		"global.imageRegistry=https://a":                       "imageRegistry",
		"podDisruptionBudget.maxUnavailable=0":                 "maxUnavailable",
		"podDisruptionBudget.minAvailable=1":                   "minAvailable",
		"rollingUpdate.maxSurge=some":                          "maxSurge",
		"revisionHistoryLimit=-1":                              "revisionHistoryLimit",
		"serviceAccount.name=A_b":                              "name",
		"serviceAccount.annotation.a=b":                        "annotation",
		"controller.serviceAccount.create=maybe":               "create",
		"server.extraArgs={threads=2}":                         "extraArgs",
		"controller.extraArgs={-v}":                            "extraArgs",
		"server.extraVolumes[0].emptyDir.medium=Memory":        "name",
		"server.extraVolumeMounts[0].name=a":                   "mountPath",
		"podSecurityContext.runAsUser=root":                    "runAsUser",
		"podSecurityContext.privileged=true":                   "privileged",
		"containerSecurityContext.readOnly=true":               "readOnly",
		"controller.nodeSelector={a}":                          "nodeSelector",
		"controller.tolerations.key=a":                         "tolerations",
		"commonAnnotations.a.b=c":                              "commonAnnotations",
		"deploymentAnnotations.a.b=c":                          "deploymentAnnotations",
		"metrics.serviceMonitor.relabelings[0].sourceLabel=a":  "sourceLabel",
		"metrics.serviceMonitor.metricRelabelings[0].regexp=a": "regexp",
		"metrics.podMonitoring.metricRelabeling[0].drop=a":     "drop",
		"metrics.alerts.TpuAdmissionAbsence.enabled=false":     "metrics.alerts.TpuAdmissionAbsence: there is no such alert; there are TpuAdmissionAbsent,",
		"metrics.alerts.TpuAdmissionAbsent.severity=info":      "severity",
		"metrics.alerts.TpuAdmissionAbsent.for=long":           "for",
		"metrics.alertLabels.a.b=c":                            "alertLabels",
		"extraObjects[0].kind=ConfigMap":                       "extraObjects",
		"webhooks.failurepolicy=Fail":                          "failurepolicy",
		"webhooks.failurePolicy=Maybe":                         "failurePolicy",
		"webhooks.timeoutSeconds=31":                           "timeoutSeconds",
		"certificates.mode=none":                               "mode",
		"certificates.mode=existing-secret":                    "existingSecret.name",
		"certificates.existingSecret.caBundle=text":            "caBundle",
		"replicas=3":                                         "replicas",
		"replicaCount=-1":                                    "replicaCount",
		"image.tag.x=1":                                      "tag",
		"image.digest=sha256:12":                             "digest",
		"cluster.mode=auto":                                  "mode",
		"policy.rules.TPU3=warn":                             "TPU3",
		"policy.rules.TPU301=no":                             "TPU301",
		"policy.rule.TPU301=warn":                            "rule",
		"server.logLevel=verbose":                            "logLevel",
		"server.shutdownDelaySeconds=10s":                    "shutdownDelaySeconds",
		"server.threads=65":                                  "threads",
		"service.port=70000":                                 "port",
		"vap.actions={Forbid}":                               "actions",
		"vap.enabled=true,vap.actions={Deny,Warn}":           "Deny and Warn do not go together",
		`podLabels.app\.kubernetes\.io/component=x`:          "podLabels",
		`commonLabels.app\.kubernetes\.io/part-of=x`:         "commonLabels",
		"certificates.certManager.issuerRef.kind=x":          "issuerRef",
		"autoscaling.enabled=true,autoscaling.minReplicas=6": "autoscaling.minReplicas",
		"extraKinds[0].kind=Trainer,extraKinds[0].group=example.com,extraKinds[0].resource=trainers,extraKinds[0].podSets[0].path=spec/template":                      "versions",
		"extraKinds[0].kind=Trainer,extraKinds[0].group=example.com,extraKinds[0].versions={v1},extraKinds[0].resource=*,extraKinds[0].podSets[0].path=spec/template": "resource",
		"resources.limits.cpus.a=1":                                         "limits",
		"metrics.serviceMonitor.enabled=true,metrics.service.enabled=false": "metrics.service",
	} {
		out, complaint, err := template("--set", values)
		if err == nil {
			t.Errorf("%s is accepted:\n%.200s", values, out)
		} else if !strings.Contains(complaint, reason) {
			t.Errorf("%s: the complaint does not name %s: %s", values, reason, complaint)
		}
	}
}

// The schema and values.yaml have the same keys.
func TestSchemaAndValuesAgree(t *testing.T) {
	var values, schema object
	for file, into := range map[string]*object{"values.yaml": &values, "values.schema.json": &schema} {
		text, err := os.ReadFile(path("charts", "tpu-admission", file))
		if err != nil {
			t.Fatal(err)
		}
		if err := yaml.UnmarshalStrict(text, into); err != nil {
			t.Fatal(err)
		}
	}
	agree(t, "", values, schema)
}

func agree(t *testing.T, where string, values object, schema any) {
	t.Helper()
	properties, _ := dig(schema, "properties").(object)
	if properties == nil {
		return // a map of the user's own keys
	}
	if dig(schema, "additionalProperties") != false && where != ".global" { // of others too
		t.Errorf("%s: the schema lets unknown keys in", where)
	}
	for key, value := range values {
		if properties[key] == nil {
			t.Errorf("%s.%s is not in the schema", where, key)
		}
		if inner, ok := value.(object); ok && len(inner) > 0 {
			agree(t, where+"."+key, inner, properties[key])
		}
	}
	for key := range properties {
		if strings.HasSuffix(where, "ecurityContext") {
			continue // Kubernetes' keys, of which we set a few
		}
		if _, there := values[key]; !there && len(values) > 0 && key != "global" && key != "enabled" && key != "claims" {
			t.Errorf("%s.%s is not in values.yaml", where, key)
		}
	}
}

// deploy/ and the README are made from the chart.
func TestGeneratedFilesAreCurrent(t *testing.T) {
	made := t.TempDir()
	if _, errors, err := run("", path("tests", "chart", "render_deploy"), filepath.Join(tools, "helm"), made); err != nil {
		t.Fatal(errors)
	}
	files, _ := filepath.Glob(filepath.Join(made, "*.yaml"))
	if len(files) < 3 {
		t.Fatalf("%d files", len(files))
	}
	for _, file := range files {
		isCurrent(t, path("deploy", filepath.Base(file)), read(t, file))
	}
	readme, errors, err := run("", filepath.Join(tools, "helm-docs"), "--dry-run", "--log-level", "warning",
		"--chart-search-root", path("charts"))
	if err != nil {
		t.Fatal(errors)
	}
	isCurrent(t, path("charts", "tpu-admission", "README.md"), strings.TrimSpace(readme)+"\n")
}

// helm-docs takes what follows the last " -- " of a comment.
func TestEveryValueIsDescribed(t *testing.T) {
	for _, row := range strings.Split(read(t, path("charts", "tpu-admission", "README.md")), "\n") {
		if strings.HasPrefix(row, "|") && strings.HasSuffix(row, "|  |") {
			t.Errorf("no description: %s", row)
		}
	}
}

func isCurrent(t *testing.T, file, want string) {
	t.Helper()
	if strings.TrimSpace(read(t, file)) != strings.TrimSpace(want) {
		t.Errorf("%s is out of date: run ./dev deploy", file)
	}
}

func read(t *testing.T, file string) string {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
