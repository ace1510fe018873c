package chart

import (
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// Slips that would pass into the cluster: the API server or our own pods would refuse them, or they would
// open more than was meant.
func TestSlipsThatWouldFailLaterAreRefused(t *testing.T) {
	builtIn := "extraKinds[0].kind=Job,extraKinds[0].group=batch,extraKinds[0].versions={v1},extraKinds[0].resource=jobs," +
		"extraKinds[0].podSets[0].path=spec/template"
	trainers := `extraKinds=[{"group":"a.b","versions":["v1"],"kind":"Trainer","resource":"trainers","podSets":[{"path":"spec/template"}]},` +
		`{"group":"a.b","versions":["v2"],"kind":"Trainer","resource":"coaches","podSets":[{"path":"spec/template"}]}]`
	if _, complaint, err := template("--set-json", trainers); err == nil || !strings.Contains(complaint, "extraKinds: the kind a.b/Trainer stands twice") {
		t.Errorf("one kind twice: %s", complaint)
	}
	cm := "certificates.mode=cert-manager,certificates.certManager."
	expression := "webhooks.namespaceSelector.matchExpressions[0].key=a,webhooks.namespaceSelector.matchExpressions[0].operator="
	for values, reason := range map[string]string{
		"policy.fixes.TPU301=true": "at '/policy/fixes': additional properties 'TPU301' not allowed",
		"policy.namespaces[0].match=a,policy.namespaces[0].fixes.hosts=false": "at '/policy/namespaces/0/fixes': additional properties 'hosts' not allowed",
		"policy.namespaces[0].match=[a":                                       "match",
		"policy.namespaces[0].match=a[bc]d[":                                  "match",
		"policy.namespaces[0].match=[!]":                                      "match",
		strings.Replace(builtIn, "=jobs", "=works", 1):                        "extraKinds: jobs of the group batch are built in",
		builtIn:              "extraKinds: jobs of the group batch are built in",
		cm + "duration=720h": "renewBefore is 720h, and the certificate lives for 720h",
		cm + "duration=24h":  "renewBefore is 720h",
		cm + "duration=1h30m,certificates.certManager.renewBefore=5399s2000ms": "lives for 1h30m",
		"policy.rules.TPU999=warn": "at '/policy/rules': additional properties 'TPU999' not allowed",
		"policy.rules.hosts=no":    "at '/policy/rules/hosts': value must be one of 'deny'",
		"policy.namespaces[0].match=a,policy.namespaces[0].rules.TPU3=warn": "at '/policy/namespaces/0/rules': additional properties 'TPU3' not allowed",
		"cluster.gkeVersion=1.34x":                                                      "at '/cluster/gkeVersion'",
		"image.repository=foo/bar:latest":                                               "image.repository is foo/bar:latest: the tag belongs in image.tag",
		"image.repository=foo/bar@sha256:ab":                                            "the digest belongs in image.digest",
		"image.repository=https://foo/bar":                                              "write it without https://",
		"image.repository=foo/bar/":                                                     "without a slash at its end",
		"image.repository=Foo":                                                          "in small letters",
		"image.tag=sha256:abc":                                                          "a digest belongs in image.digest",
		"image.tag=a/b":                                                                 `image.tag is "a/b"`,
		"controller.replicaCount=0":                                                     "nobody would make the certificate",
		"server.extraArgs={--secure-port=9443}":                                         "server.extraArgs has --secure-port=9443, but the chart sets --secure-port itself, or relies on its default",
		"server.extraArgs={--bind-address=::,--log-level=debug}":                        "use the value server.logLevel",
		"server.extraEnv[0].name=TPU_ADMISSION_METRICS_PORT":                            "server.extraEnv has TPU_ADMISSION_METRICS_PORT",
		"controller.extraEnv[0].name=TPU_ADMISSION_LEASE_NAME":                          "controller.extraEnv has TPU_ADMISSION_LEASE_NAME",
		"audit.enabled=true,audit.extraArgs={--once}":                                   "audit.extraArgs has --once",
		"autoscaling.enabled=true,resources.requests.cpu=null":                          "resources.requests.cpu is not set",
		"autoscaling.enabled=true,resources=null":                                       "resources",
		"rollingUpdate.maxSurge=0":                                                      "maxUnavailable and maxSurge are both 0",
		"rollingUpdate.maxSurge=0%,rollingUpdate.maxUnavailable=0%":                     "maxUnavailable and maxSurge are both 0",
		expression + "In":                                                               "matchExpressions",
		expression + "Exists,webhooks.namespaceSelector.matchExpressions[0].values={b}": "matchExpressions",
		"webhooks.namespaceSelector.matchLabels.a=b c":                                  "matchLabels",
		"commonLabels.a b=c":                                                            "commonLabels",
		"commonLabels.a=b c":                                                            "commonLabels",
		"podLabels.a=-b":                                                                "podLabels",
		`commonLabels.Example\.com/a=b`:                                                 "commonLabels",
		"audit.interval=1000000h":                                                       "interval",
		"controller.extraArgs={--certificate-lifetime=30d}":                             `--certificate-lifetime is "30d": the controller wants one number`,
		"controller.extraArgs={--certificate-lifetime=1h30m}":                           `--certificate-lifetime is "1h30m"`,
		"controller.extraEnv[0].name=TPU_ADMISSION_CA_LIFETIME,controller.extraEnv[0].value=1w": `--ca-lifetime is "1w"`,
		"controller.extraArgs={--certificate-lifetime=8760h}":                                   "--ca-lifetime is 8760h, and must be at least three times --certificate-lifetime, which is 8760h",
		"controller.extraArgs={--certificate-lifetime=9s}":                                      "must be at least 10s",
		"networkPolicy.apiServerPorts=null":                                                     "apiServerPorts",
		"server=null":                                                                           "server",
		"metrics.service=null":                                                                  "service",
		"webhooks.validating.enabled=null":                                                      "enabled",
		"webhooks.failurePolicy=null":                                                           "at '/webhooks': missing property 'failurePolicy'",
		"image.repository=null":                                                                 "at '/image': missing property 'repository'",
		"audit.serviceAccount=null":                                                             "at '/audit': missing property 'serviceAccount'",
		"commonLabels." + strings.Repeat("a", 64) + "=b":                                        "commonLabels",
	} {
		if out, complaint, err := template("--set", values); err == nil {
			t.Errorf("%s is accepted:\n%.200s", values, out)
		} else if !strings.Contains(complaint, reason) || strings.Contains(complaint, "nil pointer") {
			t.Errorf("%s: the complaint does not name %s: %s", values, reason, complaint)
		}
	}
	if _, complaint, err := template("--set-json", "networkPolicy.apiServerPorts=[]"); err == nil || !strings.Contains(complaint, "apiServerPorts") {
		t.Errorf("no port would be every port: %s", complaint)
	}
}

func TestWhatOnlyLooksLikeASlipIsTaken(t *testing.T) {
	render(t, "--set", "image.repository=Registry.example/a/b", "--is-upgrade", "--set", "controller.replicaCount=0")
	render(t, "--set", "webhooks.mutating.enabled=false,webhooks.validating.enabled=false,controller.replicaCount=0")
	render(t, "--set-json", `policy={"fixes":{"TPU601":false,"ray-localhost":true},"namespaces":[{"match":"a[bc]-*"},{"match":"[]a]"},`+
		`{"match":"[!]a]?"},{"match":"a]"}]}`, "--set-json",
		`webhooks.namespaceSelector={"matchLabels":{"a.b-c.d/E_f.g":""},"matchExpressions":[{"key":"a","operator":"Exists"},`+
			`{"key":"a","operator":"In","values":["","B"]},{"key":"a","operator":"DoesNotExist","values":[]}]}`,
		"--set", "certificates.mode=cert-manager,certificates.certManager.duration=1h30m,certificates.certManager.renewBefore=89m59s999ms",
		"--set", "image.repository=localhost:5000/a/b_c-d.e,image.tag=v1@sha256:"+strings.Repeat("a", 64),
		"--set", "autoscaling.enabled=true,resources.requests.cpu=null,resources.limits.cpu=1,server.extraArgs={--catalog=/mine,--profile=strict}",
		"--set", "audit.enabled=true,audit.extraArgs={--interval=5s,--gang-patience=1s}",
		"--set", "controller.extraArgs={--certificate-lifetime=24h},server.extraEnv[0].name=GLIBC_TUNABLES,server.extraEnv[0].value=a",
		"--set", `rollingUpdate.maxSurge=0,rollingUpdate.maxUnavailable=1,audit.interval=24h,commonLabels.example\.com/Team=A_b.c-1`)
}

// A flag that is given twice holds as it stands last: what the chart says once, extraArgs do not say again.
func TestNoFlagIsGivenTwice(t *testing.T) {
	full := append(slices.Clone(everything), "--set", "cluster.mode=autopilot,cluster.location=us-central1,cluster.gkeVersion=1.34.1",
		"--set", "server.docsUrl=https://a.b", "--set-file", "catalog="+path("config", "tpu-catalog.yaml"))
	flags := 0
	for _, deployment := range only(render(t, full...), "Deployment") {
		program := text(deployment, "metadata", "labels", "app.kubernetes.io/component")
		for _, argument := range list(deployment, "spec", "template", "spec", "containers", 0, "args")[1:] {
			flags++
			flag, _, _ := strings.Cut(argument.(string), "=")
			if flag == "--interval" { // shorter than the value takes
				continue
			}
			want := program + ".extraArgs has " + flag
			if _, complaint, err := template(append(full, "--set", program+".extraArgs={"+flag+"=x}")...); err == nil || !strings.Contains(complaint, want) {
				t.Errorf("%s, not %s", complaint, want)
			}
		}
	}
	if flags < 25 {
		t.Errorf("only %d flags", flags)
	}
}

// A key with only comments below it is null, which helm takes for: there is no such key.
func TestNullIsTheEmptyDefault(t *testing.T) {
	want := asJSON(t, render(t))
	for _, key := range []string{"policy", "extraKinds", "webhooks.namespaceSelector", "webhooks.annotations", "webhooks.excludedNamespaces",
		"global", "global.imagePullSecrets", "imagePullSecrets", "commonAnnotations", "commonLabels", "certificates", "certificates.mode",
		"server.docsUrl"} {
		if out, complaint, err := template("--set", key+"=null"); err != nil {
			t.Errorf("%s=null: %s", key, complaint)
		} else if !strings.Contains(out, "policy.yaml: |\n    {}\n") {
			t.Errorf("%s=null: the policy is not {}", key)
		} else if got := asJSON(t, render(t, "--set", key+"=null")); got != want {
			t.Errorf("%s=null renders something else", key)
		}
	}
}

// The same of sections that only what is off by default reads.
func TestNullIsTheEmptyDefaultOfWhatIsTurnedOn(t *testing.T) {
	on := "metrics.prometheusRule.enabled=true,metrics.dashboard.enabled=true"
	if asJSON(t, render(t, "--set", on+",metrics.alerts=null,metrics.alertLabels=null,server.docsUrl=null")) != asJSON(t, render(t, "--set", on)) {
		t.Error("something else is rendered")
	}
}

// Where a default says something, null would be silence: a webhook without failurePolicy is one with Fail, a flag
// without its value ends the program. So the schema wants these keys, or a reason why it does not.
func TestWhatHasADefaultIsWanted(t *testing.T) {
	may := map[string]string{
		"image.pullPolicy":                                  "the kubelet has a default",
		"certificates.mode":                                 "null is self-managed",
		"certificates.certManager.duration":                 "cert-manager has a default, the same",
		"certificates.certManager.renewBefore":              "and so has the chart",
		"replicaCount":                                      "checks.yaml has words for it",
		"controller.replicaCount":                           "and for this",
		"serviceAccount.create":                             "and for this",
		"controller.serviceAccount.create":                  "and for this",
		"audit.serviceAccount.create":                       "and for this",
		"metrics.service.enabled":                           "what needs it says so",
		"rollingUpdate.maxUnavailable":                      "the API server has a default",
		"rollingUpdate.maxSurge":                            "the same",
		"revisionHistoryLimit":                              "the same",
		"metrics.serviceMonitor.interval":                   "Prometheus has a default",
		"podSecurityContext.runAsNonRoot":                   "OpenShift sets what is left out",
		"podSecurityContext.runAsUser":                      "the same",
		"podSecurityContext.runAsGroup":                     "the same",
		"podSecurityContext.fsGroup":                        "the same",
		"containerSecurityContext.allowPrivilegeEscalation": "whoever takes it out means it",
		"containerSecurityContext.readOnlyRootFilesystem":   "the same",
		"containerSecurityContext.runAsNonRoot":             "the same",
		"test.enabled":                                      "no test then",
	}
	var values, schema object
	for file, into := range map[string]*object{"values.yaml": &values, "values.schema.json": &schema} {
		if err := yaml.Unmarshal([]byte(read(t, path("charts", "tpu-admission", file))), into); err != nil {
			t.Fatal(err)
		}
	}
	wanted := 0
	var walk func(prefix string, values, schema object)
	walk = func(prefix string, values, schema object) {
		for key, value := range values {
			below, known := dig(schema, "properties", key).(object)
			section, isSection := value.(object)
			if isSection && known {
				walk(prefix+key+".", section, below)
			}
			if isSection || !known || value == nil || value == "" || value == false {
				continue
			}
			if array, ok := value.([]any); ok && len(array) == 0 {
				continue
			}
			if required, _ := schema["required"].([]any); slices.Contains(required, any(key)) {
				wanted++
			} else if may[prefix+key] == "" {
				t.Errorf("%s%s=null is not refused: what does it render?", prefix, key)
			}
		}
	}
	walk("", values, schema)
	if wanted < 20 {
		t.Errorf("only %d keys are wanted", wanted)
	}
}
