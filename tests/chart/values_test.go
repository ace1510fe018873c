package chart

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// pod is the spec of the pods of the server or the controller, and container their only container.
func pod(t *testing.T, objects []object, deployment string) any {
	t.Helper()
	return dig(one(t, objects, "Deployment", deployment), "spec", "template", "spec")
}

func container(t *testing.T, objects []object, deployment string) any {
	t.Helper()
	return dig(pod(t, objects, deployment), "containers", 0)
}

const server, controller = "tpu-admission", "tpu-admission-controller"

// Ids and names of rules are taken, as in the file of the policy.
func TestRulesAreNamedAsInThePolicy(t *testing.T) {
	objects := render(t, "--set", "policy.rules.TPU301=warn,policy.rules.hosts=audit,policy.fixes.toleration-missing=false",
		"--set", "policy.ignore={TPU301,hosts}")
	policy := text(one(t, objects, "ConfigMap", "tpu-admission-config"), "data", "policy.yaml")
	for _, line := range []string{"TPU301: warn", "hosts: audit", "toleration-missing: false", "- hosts"} {
		if !strings.Contains(policy, line) {
			t.Errorf("no %s in %s", line, policy)
		}
	}
}

// Helm reads a bare off in a values file as false.
func TestOffNeedsNoQuotes(t *testing.T) {
	file := filepath.Join(t.TempDir(), "values.yaml")
	write(t, file, `policy:
  default: off
  rules: {TPU301: off, hosts: "off", TPU203: warn}
  fixes: {TPU104: off}
  ignore: off
  namespaces: [{match: a, default: off, rules: {TPU301: off}, ignore: false}, {match: b, default: deny}, {match: c}]
`)
	policy := text(one(t, render(t, "--values", file), "ConfigMap", "tpu-admission-config"), "data", "policy.yaml")
	var read object
	if err := yaml.UnmarshalStrict([]byte(policy), &read); err != nil {
		t.Fatal(err)
	}
	want := `{"default":"off","fixes":{"TPU104":false},"ignore":false,"namespaces":[` +
		`{"default":"off","ignore":false,"match":"a","rules":{"TPU301":"off"}},{"default":"deny","match":"b"},{"match":"c"}],` +
		`"rules":{"TPU203":"warn","TPU301":"off","hosts":"off"}}`
	if got := asJSON(t, read); got != want {
		t.Errorf("%s\n%s", got, want)
	}
	for _, wrong := range []string{"policy.default=true", "policy.rules.TPU301=true", "policy.rules.TPU301=0"} {
		if _, _, err := template("--set", wrong); err == nil {
			t.Errorf("%s is accepted", wrong)
		}
	}
}

func TestACatalogIsTaken(t *testing.T) {
	objects := render(t, "--set-file", "catalog="+path("config", "tpu-catalog.yaml"))
	if got := text(one(t, objects, "ConfigMap", "tpu-admission-config"), "data", "catalog.yaml"); !strings.Contains(got, "\ngenerations:") {
		t.Errorf("%.300s", got)
	}
}

// Names that YAML would read as something else than text.
func TestOddNamesStayText(t *testing.T) {
	objects := render(t, "--namespace", "123", "--set", "test.namespace=1e3", "--set-json",
		`webhooks={"excludedNamespaces":["123","true"]}`, "--set-string", "priorityClassName=123,serviceAccount.name=7")
	for _, webhook := range webhooks(objects) {
		excluded := list(webhook, "namespaceSelector", "matchExpressions", 0, "values")
		if !slices.Contains(excluded, any("true")) || !slices.Contains(excluded, any("123")) {
			t.Errorf("%v", excluded)
		}
	}
	for _, o := range objects {
		if namespace := dig(o, "metadata", "namespace"); namespace != nil && namespace != "123" && namespace != "1e3" {
			t.Errorf("%s %s is in %v", kind(o), name(o), namespace)
		}
		for _, subject := range list(o, "subjects") {
			if text(subject, "namespace") != "123" {
				t.Errorf("%s %s: %v", kind(o), name(o), subject)
			}
		}
	}
	if spec := pod(t, objects, server); text(spec, "priorityClassName") != "123" || text(spec, "serviceAccountName") != "7" {
		t.Errorf("%v", spec)
	}
}

// Our own namespace is left alone, but "default" is not: pods that could not come back are refused.
func TestOurOwnPodsAreNeverAskedAbout(t *testing.T) {
	for values, asked := range map[string]bool{
		"tolerations[0].key=google.com/tpu,tolerations[0].operator=Exists":                       true,
		`nodeSelector.cloud\.google\.com/gke-tpu-topology=2x2`:                                   true,
		"controller.tolerations[0].key=google.com/tpu,controller.tolerations[0].operator=Exists": true,
		"tolerations[0].key=dedicated,tolerations[0].operator=Exists":                            false,
	} {
		for _, test := range []struct {
			namespace, policy string
			refused           bool
		}{{"default", "Fail", asked}, {"default", "Ignore", false}, {"elsewhere", "Fail", false}} {
			_, complaint, err := template("--namespace", test.namespace, "--set", values+",webhooks.failurePolicy="+test.policy)
			if (err != nil) != test.refused || test.refused && !strings.Contains(complaint, "asked about our own pods") {
				t.Errorf("%s in %s with %s: %v %s", values, test.namespace, test.policy, err, complaint)
			}
		}
	}
}

// What a parent chart says to all its charts is taken; what it says to others is none of ours.
func TestGlobals(t *testing.T) {
	values := []string{"--set", "global.imageRegistry=eu.example.com/p,global.imagePullSecrets[0].name=all",
		"--set", "imagePullSecrets[0].name=own"}
	for _, deployment := range []string{server, controller} {
		objects := render(t, values...)
		if image := text(container(t, objects, deployment), "image"); !strings.HasPrefix(image, "eu.example.com/p/tpu-admission:") {
			t.Errorf("%s: %s", deployment, image)
		}
		if got := asJSON(t, dig(pod(t, objects, deployment), "imagePullSecrets")); got != `[{"name":"own"},{"name":"all"}]` {
			t.Errorf("%s: %s", deployment, got)
		}
	}
	parent := t.TempDir()
	write(t, filepath.Join(parent, "Chart.yaml"), "apiVersion: v2\nname: parent\nversion: 1.0.0\n")
	if err := os.CopyFS(filepath.Join(parent, "charts", "tpu-admission"), os.DirFS(path("charts", "tpu-admission"))); err != nil {
		t.Fatal(err)
	}
	out, complaint, err := run("", filepath.Join(tools, "helm"), "template", "r", parent, "--kube-version", "1.36.0",
		"--set", "global.imageRegistry=eu.example.com,global.of-others=1")
	if err != nil || !strings.Contains(out, "image: eu.example.com/tpu-admission:") {
		t.Errorf("%s%.300s", complaint, out)
	}
}

func TestServiceAccounts(t *testing.T) {
	objects := render(t, "--set", "serviceAccount.name=s,controller.serviceAccount.name=c",
		"--set", "serviceAccount.annotations.a=1s,controller.serviceAccount.annotations.a=1c")
	for deployment, account := range map[string]string{server: "s", controller: "c"} {
		if got := text(pod(t, objects, deployment), "serviceAccountName"); got != account {
			t.Errorf("%s runs as %s", deployment, got)
		}
		if got := text(one(t, objects, "ServiceAccount", account), "metadata", "annotations", "a"); got != "1"+account {
			t.Errorf("%s: %s", account, got)
		}
	}
	for _, binding := range append(only(objects, "RoleBinding"), only(objects, "ClusterRoleBinding")...) {
		if !isTest(binding) && text(binding, "subjects", 0, "name") != "c" {
			t.Errorf("%v", binding)
		}
	}
	for _, names := range []string{"serviceAccount.name=s,controller.serviceAccount.name=c", "serviceAccount.name=o,controller.serviceAccount.name=o"} {
		for _, account := range only(render(t, "--set", names+",serviceAccount.create=false,controller.serviceAccount.create=false"), "ServiceAccount") {
			if !isTest(account) {
				t.Errorf("%s is made", name(account))
			}
		}
	}
}

// Two accounts of one name would be one, with the rights of both; one that nobody makes keeps pods from being made.
func TestServiceAccountsAreNotMixedUp(t *testing.T) {
	both := "serviceAccount.name=o,controller.serviceAccount.name=o"
	for values, reason := range map[string]string{
		both:                                  "serviceAccount and controller.serviceAccount are both called o",
		both + ",serviceAccount.create=false": "are both called o",
		both + ",controller.serviceAccount.create=false":                                  "are both called o",
		"serviceAccount.name=tpu-admission-controller":                                    "are both called tpu-admission-controller",
		"audit.enabled=true,audit.serviceAccount.name=o,controller.serviceAccount.name=o": "controller.serviceAccount and audit.serviceAccount are both called o",
		"audit.enabled=true,audit.serviceAccount.name=tpu-admission":                      "serviceAccount and audit.serviceAccount are both",
		"serviceAccount.create=false":                                                     "serviceAccount.create is false and serviceAccount.name is empty",
		"controller.serviceAccount.create=false":                                          "controller.serviceAccount.name is empty",
		"audit.enabled=true,audit.serviceAccount.create=false":                            "audit.serviceAccount.name is empty",
	} {
		if _, complaint, err := template("--set", values); err == nil || !strings.Contains(complaint, reason) {
			t.Errorf("%s: %v %s", values, err, complaint)
		}
	}
	render(t, "--set", "audit.serviceAccount.create=false,audit.serviceAccount.name=tpu-admission") // no audit
	render(t, append(slices.Clone(certManager), "--set", both)...)                                  // no controller
	render(t, "--set", both+",serviceAccount.create=false,controller.serviceAccount.create=false")  // one of the user's
}

func TestExtraPartsOfPods(t *testing.T) {
	for deployment, prefix := range map[string]string{server: "server.", controller: "controller."} {
		objects := render(t, "--set", prefix+"extraArgs={--a=b}", "--set", prefix+"extraVolumes[0].name=v",
			"--set-json", prefix+`extraVolumeMounts=[{"name":"v","mountPath":"/v"}]`)
		if args := list(container(t, objects, deployment), "args"); args[len(args)-1] != "--a=b" {
			t.Errorf("%s: %v", deployment, args)
		}
		mounts, volumes := list(container(t, objects, deployment), "volumeMounts"), list(pod(t, objects, deployment), "volumes")
		if text(mounts[len(mounts)-1], "mountPath") != "/v" || text(volumes[len(volumes)-1], "name") != "v" {
			t.Errorf("%s: %v %v", deployment, mounts, volumes)
		}
	}
}

func TestFiguresOfRollouts(t *testing.T) {
	objects := render(t, "--set", "rollingUpdate.maxUnavailable=25%,rollingUpdate.maxSurge=2,revisionHistoryLimit=1",
		"--set", "podDisruptionBudget.maxUnavailable=50%")
	deployment := one(t, objects, "Deployment", server)
	if got := asJSON(t, dig(deployment, "spec", "strategy", "rollingUpdate")); got != `{"maxSurge":2,"maxUnavailable":"25%"}` {
		t.Error(got)
	}
	for _, deployment := range only(objects, "Deployment") {
		if dig(deployment, "spec", "revisionHistoryLimit") != float64(1) {
			t.Errorf("%s keeps %v", name(deployment), dig(deployment, "spec", "revisionHistoryLimit"))
		}
	}
	if got := dig(one(t, objects, "PodDisruptionBudget"), "spec", "maxUnavailable"); got != "50%" {
		t.Errorf("%v", got)
	}
}

// Laid over the defaults, of which null takes one away.
func TestSecurityContexts(t *testing.T) {
	objects := render(t, "--set", "podSecurityContext.runAsUser=1000,podSecurityContext.fsGroup=null",
		"--set", "containerSecurityContext.runAsGroup=1000")
	for _, deployment := range []string{server, controller} {
		if got := asJSON(t, dig(pod(t, objects, deployment), "securityContext")); got !=
			`{"runAsGroup":65532,"runAsNonRoot":true,"runAsUser":1000,"seccompProfile":{"type":"RuntimeDefault"}}` {
			t.Errorf("%s: %s", deployment, got)
		}
		context := dig(container(t, objects, deployment), "securityContext")
		if dig(context, "runAsGroup") != float64(1000) || dig(context, "readOnlyRootFilesystem") != true {
			t.Errorf("%s: %v", deployment, context)
		}
	}
}

// The controller is where the servers are, unless it is told otherwise.
func TestPlacementOfTheController(t *testing.T) {
	servers := []string{"--set", "nodeSelector.pool=a,priorityClassName=high,tolerations[0].key=t,tolerations[0].operator=Exists"}
	for _, test := range []struct {
		values, want string
	}{
		{`controller={}`, `{"nodeSelector":{"pool":"a"},"priorityClassName":"high","tolerations":[{"key":"t","operator":"Exists"}]}`},
		{`controller={"nodeSelector":{},"tolerations":[],"priorityClassName":""}`, `{}`},
		{`controller={"nodeSelector":{"pool":"b"},"priorityClassName":"low","affinity":{"nodeAffinity":{}}}`,
			`{"affinity":{"nodeAffinity":{}},"nodeSelector":{"pool":"b"},"priorityClassName":"low","tolerations":[{"key":"t","operator":"Exists"}]}`},
	} {
		spec := pod(t, render(t, append(servers, "--set-json", test.values)...), controller).(object)
		maps.DeleteFunc(spec, func(key string, _ any) bool {
			return !slices.Contains([]string{"nodeSelector", "tolerations", "priorityClassName", "affinity"}, key)
		})
		if got := asJSON(t, spec); got != test.want {
			t.Errorf("%s: %s", test.values, got)
		}
	}
	quota := one(t, render(t, "--set", "controller.priorityClassName=system-node-critical"), "ResourceQuota")
	if got := asJSON(t, dig(quota, "spec", "scopeSelector", "matchExpressions", 0, "values")); got != `["system-node-critical"]` {
		t.Error(got)
	}
}

func TestCommonAnnotations(t *testing.T) {
	for _, o := range render(t, append(slices.Clone(everything), "--set", "commonAnnotations.owner=ml,deploymentAnnotations.d=e",
		"--set", "service.annotations.owner=net")...) {
		want := "ml"
		if kind(o) == "Service" && name(o) == server {
			want = "net" // what is said of one object wins
		}
		if got := text(o, "metadata", "annotations", "owner"); got != want {
			t.Errorf("%s %s: %q", kind(o), name(o), got)
		}
		if got := text(o, "metadata", "annotations", "d"); (got == "e") != (kind(o) == "Deployment") {
			t.Errorf("%s %s: %q", kind(o), name(o), got)
		}
	}
}

func TestSeriesCanBeDropped(t *testing.T) {
	drop := `[{"action":"drop","regex":"tpu_admission_request_duration_seconds_bucket","sourceLabels":["__name__"]}]`
	objects := render(t, append(slices.Clone(everything), "--set-json", "metrics.serviceMonitor.metricRelabelings="+drop,
		"--set-json", `metrics.serviceMonitor.relabelings=[{"targetLabel":"cluster","replacement":"a"}]`,
		"--set-json", "metrics.podMonitoring.metricRelabeling="+drop)...)
	endpoint := dig(one(t, objects, "ServiceMonitor"), "spec", "endpoints", 0)
	if asJSON(t, dig(endpoint, "metricRelabelings")) != drop || text(endpoint, "relabelings", 0, "targetLabel") != "cluster" {
		t.Errorf("%v", endpoint)
	}
	if got := asJSON(t, dig(one(t, objects, "PodMonitoring"), "spec", "endpoints", 0, "metricRelabeling")); got != drop {
		t.Error(got)
	}
}

func TestAlertsCanBeChanged(t *testing.T) {
	objects := render(t, append(slices.Clone(everything), "--set", "metrics.alertLabels.team=ml,metrics.alertLabels.page=no",
		"--set", "metrics.alerts.TpuAdmissionAbsent.enabled=false",
		"--set", "metrics.alerts.TpuAdmissionNoCertificate.for=1h,metrics.alerts.TpuAdmissionNoCertificate.labels.severity=info",
		"--set", "metrics.alerts.TpuAdmissionNoCertificate.labels.page=yes,metrics.alerts.TpuAdmissionNoCertificate.expr=vector(1)")...)
	for _, kind := range []string{"PrometheusRule", "ClusterRules"} {
		rules := map[string]any{}
		for _, group := range list(one(t, objects, kind), "spec", "groups") {
			for _, rule := range list(group, "rules") {
				rules[text(rule, "alert")] = rule
				if text(rule, "labels", "team") != "ml" || text(rule, "labels", "severity") == "" {
					t.Errorf("%v", rule)
				}
				if got, want := text(rule, "annotations", "runbook"), "docs/runbooks.md#"+strings.ToLower(text(rule, "alert")); got != want {
					t.Errorf("%s, not %s", got, want)
				}
			}
		}
		if rules["TpuAdmissionAbsent"] != nil || len(rules) != len(alerts(t))-1 {
			t.Errorf("%s: %d alerts", kind, len(rules))
		}
		changed := rules["TpuAdmissionNoCertificate"]
		if text(changed, "for") != "1h" || text(changed, "expr") != "vector(1)" ||
			asJSON(t, dig(changed, "labels")) != `{"page":"yes","severity":"info","team":"ml"}` {
			t.Errorf("%v", changed)
		}
	}
}

func TestExtraObjects(t *testing.T) {
	objects := render(t, "--set-json", `extraObjects=[{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"{{ .Release.Name }}-a"}},`+
		`{"apiVersion":"v1","kind":"LimitRange","metadata":{"name":"b"}}]`)
	one(t, objects, "LimitRange", "tpu-admission-a")
	one(t, objects, "LimitRange", "b")
}
