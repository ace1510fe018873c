package chart

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// withoutSchema are the kinds that are not checked here. No cluster ever sees a Kustomization: kustomize
// reads it, and in the end-to-end tests it does.
var withoutSchema = []string{"Kustomization"}

// renderings are all ways in which the chart is meant to be used, by the values that ask for them.
var renderings = map[string][]string{
	"default":                    nil,
	"everything":                 everything,
	"cert-manager":               append(slices.Clone(everything), certManager...),
	"cert-manager, other issuer": append(slices.Clone(everything), corporateIssuer...),
	"existing Secret":            append(slices.Clone(everything), existingSecret...),
}

// verdict is what kubeconform says of one object.
type verdict struct{ Kind, Name, Status, Msg string }

// kubeconform checks the objects of the manifest, against the schemas of the folder and no others.
func kubeconform(t *testing.T, schemas, manifest string) []verdict {
	t.Helper()
	out, complaint, _ := run(manifest, filepath.Join(tools, "kubeconform"), "-strict", "-verbose", "-output", "json",
		"-schema-location", filepath.Join(schemas, schemaLayout), "-skip", strings.Join(withoutSchema, ","))
	var report struct{ Resources []verdict }
	if err := json.Unmarshal([]byte(out), &report); err != nil {
		t.Fatalf("kubeconform: %v: %s%s", err, out, complaint)
	}
	// A document of comments only.
	return slices.DeleteFunc(report.Resources, func(v verdict) bool { return v.Kind == "" && v.Status == "" })
}

// schemasOf makes the schemas of the version of Kubernetes and of the kinds of others.
func schemasOf(t *testing.T, version string) string {
	t.Helper()
	folder := t.TempDir()
	crds, _ := filepath.Glob(filepath.Join(tools, "schemas", "*.yaml"))
	google, _ := filepath.Glob(path("tests", "chart", "google-*.yaml"))
	crds = append(crds, google...)
	if err := writeSchemas(folder, filepath.Join(tools, "schemas", "kubernetes-"+version+".json"), crds); err != nil {
		t.Fatal(err)
	}
	return folder
}

// versions are the oldest Kubernetes that the chart admits and the one that the end-to-end tests run.
func versions(t *testing.T) (oldest, newest string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(tools, "schemas", "kubernetes-*.json"))
	if len(files) != 2 {
		t.Fatalf("%v", files)
	}
	version := func(file string) string {
		return strings.TrimSuffix(strings.TrimPrefix(filepath.Base(file), "kubernetes-"), ".json")
	}
	return version(files[0]), version(files[1])
}

func TestManifestsMatchTheSchemas(t *testing.T) {
	unchecked := map[string]bool{}
	oldest, newest := versions(t)
	for _, version := range []string{oldest, newest} {
		schemas := schemasOf(t, version)
		for title, values := range renderings {
			title, values = version+", "+title, append(slices.Clone(values), "--kube-version", version)
			rendered, complaint, err := template(values...)
			if err != nil {
				t.Fatalf("%s: %s", title, complaint)
			}
			judge(t, title, schemas, rendered, unchecked)
		}
		files, _ := filepath.Glob(path("deploy", "*.yaml"))
		for _, file := range files {
			judge(t, version+", "+file, schemas, read(t, file), unchecked)
		}
	}
	if got := slices.Sorted(maps.Keys(unchecked)); !slices.Equal(got, withoutSchema) {
		t.Errorf("not checked were %v, not %v", got, withoutSchema)
	}
}

// judge demands that each object of the manifest matches, and adds the kinds that have no schema.
func judge(t *testing.T, title, schemas, manifest string, unchecked map[string]bool) {
	t.Helper()
	verdicts := kubeconform(t, schemas, manifest)
	if objects := strings.Count("\n"+manifest, "\nkind: "); len(verdicts) != objects || objects == 0 {
		t.Errorf("%s: %d objects were looked at, not %d", title, len(verdicts), objects)
	}
	for _, v := range verdicts {
		if v.Status == "statusSkipped" {
			unchecked[v.Kind] = true
		} else if v.Status != "statusValid" {
			t.Errorf("%s: %s %s: %s", title, v.Kind, v.Name, v.Msg)
		}
	}
}

// Each is a slip of the pen that a template could have.
func TestFaultyManifestsDoNotMatchTheSchemas(t *testing.T) {
	rendered, complaint, err := template(append(slices.Clone(everything), certManager...)...)
	if err != nil {
		t.Fatal(complaint)
	}
	_, newest := versions(t)
	schemas := schemasOf(t, newest)
	for _, slip := range []struct{ kind, right, wrong, complaint string }{
		{"Deployment", "terminationGracePeriodSeconds:", "terminationGracePeriod:", "'terminationGracePeriod' not allowed"},
		{"Deployment", "maxUnavailable: 0", "maxUnavailable: {}", "got object, want"},
		{"Deployment", "    matchLabels:", "    matchLabel:", "'matchLabel' not allowed"},
		{"Deployment", "    spec:", "    Spec:", "'Spec' not allowed"},
		{"PodDisruptionBudget", "maxUnavailable: 1", "maxUnavailable: {}", "got object, want integer or string"},
		{"ValidatingWebhookConfiguration", "sideEffects: None", "sideeffects: None", "missing property 'sideEffects'"},
		{"HorizontalPodAutoscaler", "maxReplicas:", "replicas:", "missing property 'maxReplicas'"},
		{"ServiceMonitor", "  endpoints:", "  endpoint:", "'endpoint' not allowed"},
		{"ServiceMonitor", "  labels:", "  label:", "'label' not allowed"},
		{"PodMonitoring", "interval:", "period:", "'period' not allowed"},
		{"ClusterRules", "expr:", "exp:", "'exp' not allowed"},
		{"PrometheusRule", "expr:", "exp:", "'exp' not allowed"},
		{"Certificate", "secretName:", "secret:", "'secret' not allowed"},
		{"Certificate", "algorithm: ECDSA", "algorithm: DSA", "value must be one of"},
		{"Issuer", "selfSigned:", "selfsigned:", "'selfsigned' not allowed"},
	} {
		found := false
		for _, document := range strings.Split(rendered, "\n---\n") {
			if strings.Contains(document, "\nkind: "+slip.kind+"\n") && strings.Contains(document, slip.right) {
				found = true
				wrong := kubeconform(t, schemas, strings.ReplaceAll(document, slip.right, slip.wrong))
				if len(wrong) != 1 || wrong[0].Status != "statusInvalid" || !strings.Contains(wrong[0].Msg, slip.complaint) {
					t.Errorf("%s with %s: %v", slip.kind, slip.wrong, wrong)
				}
			}
		}
		if !found {
			t.Errorf("no %s has %s", slip.kind, slip.right)
		}
	}
}
