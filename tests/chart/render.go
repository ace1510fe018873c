// Package chart tests the Helm chart without a cluster: what it renders, what it refuses. ./dev chart
// runs it. What needs an API server is in tests/e2e.
package chart

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
	"tpu-admission.io/objects"
)

// Paths of the repository and of the folder of programs that ./dev chart has built.
var (
	root  = os.Getenv("CHART_ROOT")
	tools = os.Getenv("CHART_TOOLS")
)

const namespace = "tpu-admission-system"

func path(parts ...string) string { return filepath.Join(append([]string{root}, parts...)...) }

// What the tests against a real control plane use too.
type object = objects.Object

var (
	dig  = objects.Dig
	text = objects.Text
	list = objects.List
)

// template runs `helm template` with the arguments and returns what it prints.
func template(arguments ...string) (stdout, stderr string, err error) {
	return templateAs("tpu-admission", arguments...)
}

// templateAs does so for a release of another name.
func templateAs(release string, arguments ...string) (stdout, stderr string, err error) {
	return run("", append([]string{filepath.Join(tools, "helm"), "template", release,
		path("charts", "tpu-admission"), "--namespace", namespace, "--kube-version", "1.36.0"}, arguments...)...)
}

func run(stdin string, argv ...string) (stdout, stderr string, err error) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = root
	cmd.Stdin = strings.NewReader(stdin)
	var out, errors bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errors
	err = cmd.Run()
	return out.String(), errors.String(), err
}

// render returns the objects of the chart with the arguments of helm, e.g. "--set", "a=b".
func render(t *testing.T, arguments ...string) []object {
	t.Helper()
	return renderAs(t, "tpu-admission", arguments...)
}

// renderAs does so for a release of another name.
func renderAs(t *testing.T, release string, arguments ...string) []object {
	t.Helper()
	text, complaint, err := templateAs(release, arguments...)
	if err != nil {
		t.Fatalf("%v: %s", arguments, complaint)
	}
	var objects []object
	for _, document := range strings.Split("\n"+text, "\n---\n") {
		var o object
		if err := yaml.UnmarshalStrict([]byte(document), &o); err != nil {
			t.Fatalf("%v\n%s", err, document)
		}
		if o != nil {
			objects = append(objects, o)
		}
	}
	return objects
}

// everything turns on all that is off by default.
var everything = []string{"--set", "autoscaling.enabled=true", "--set", "metrics.serviceMonitor.enabled=true",
	"--set", "metrics.podMonitoring.enabled=true", "--set", "metrics.prometheusRule.enabled=true",
	"--set", "metrics.clusterRules.enabled=true", "--set", "priorityClassName=system-cluster-critical",
	"--set", "metrics.dashboard.enabled=true", "--set", "vap.enabled=true", "--set", "audit.enabled=true",
	"--set-json", `metrics.serviceMonitor.relabelings=[{"targetLabel":"cluster","replacement":"a"}]`,
	"--set-json", `metrics.serviceMonitor.metricRelabelings=[{"action":"drop","sourceLabels":["__name__"],"regex":"a"}]`,
	"--set-json", `metrics.podMonitoring.metricRelabeling=[{"action":"drop","sourceLabels":["__name__"],"regex":"a"}]`,
	"--set", "metrics.alerts.TpuAdmissionAbsent.for=1h,metrics.alertLabels.team=ml,rollingUpdate.maxSurge=50%",
	"--set", "server.extraVolumes[0].name=a,server.extraVolumeMounts[0].name=a,server.extraVolumeMounts[0].mountPath=/a",
	"--set", "controller.extraVolumes[0].name=a,controller.extraVolumeMounts[0].name=a,controller.extraVolumeMounts[0].mountPath=/a",
	"--set-json", `controller.affinity={"nodeAffinity":{}}`, "--set", "commonAnnotations.a=b,podSecurityContext.runAsUser=1"}

// The other ways to a certificate: by cert-manager, by an issuer of cert-manager's that is there
// already, in a Secret of the user's.
var (
	certManager     = []string{"--set", "certificates.mode=cert-manager"}
	corporateIssuer = []string{"--set", "certificates.mode=cert-manager,certificates.certManager.issuerRef.name=corp"}
	existingSecret  = []string{"--set", "certificates.mode=existing-secret,certificates.existingSecret.name=mine",
		"--set-string", "certificates.existingSecret.caBundle=-----BEGIN CERTIFICATE-----\nMA==\n-----END CERTIFICATE-----\n"}
)

// isTest says whether the object exists only while `helm test` runs.
func isTest(o object) bool { return text(o, "metadata", "annotations", "helm.sh/hook") == "test" }

// isAudit says whether the object is of the audit, which has rights of its own.
func isAudit(o object) bool {
	return strings.HasPrefix(text(o, "metadata", "labels", "app.kubernetes.io/component"), "audit")
}

func kind(o object) string { return text(o, "kind") }
func name(o object) string { return text(o, "metadata", "name") }

// only returns the objects of the kind.
func only(objects []object, wanted string) (found []object) {
	for _, o := range objects {
		if kind(o) == wanted {
			found = append(found, o)
		}
	}
	return found
}

// one returns the only object of the kind, or of the kind and name.
func one(t *testing.T, objects []object, wanted string, names ...string) object {
	t.Helper()
	found := only(objects, wanted)
	if len(names) > 0 {
		found = slices.DeleteFunc(found, func(o object) bool { return name(o) != names[0] })
	}
	if len(found) != 1 {
		t.Fatalf("%d objects of kind %s, not 1", len(found), wanted)
	}
	return found[0]
}
