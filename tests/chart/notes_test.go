package chart

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// notes renders NOTES.txt, which `helm template` leaves out: as the content of a ConfigMap.
func notes(t *testing.T, arguments ...string) string {
	t.Helper()
	chart := t.TempDir()
	if err := os.CopyFS(chart, os.DirFS(path("charts", "tpu-admission"))); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(chart, "templates", "_notes.tpl"),
		`{{- define "notes" }}`+read(t, filepath.Join(chart, "templates", "NOTES.txt"))+`{{ end }}`)
	write(t, filepath.Join(chart, "templates", "notes.yaml"),
		"kind: Notes\ntext: {{ include \"notes\" . | toJson }}\n")
	out, complaint, err := run("", append([]string{filepath.Join(tools, "helm"), "template", "tpu-admission", chart,
		"--namespace", namespace, "--kube-version", "1.36.0", "--show-only", "templates/notes.yaml"}, arguments...)...)
	if err != nil {
		t.Fatal(complaint)
	}
	var o object
	if err := yaml.Unmarshal([]byte(out), &o); err != nil {
		t.Fatal(err)
	}
	return text(o, "text")
}

func TestNotes(t *testing.T) {
	for _, test := range []struct {
		values                    string
		demo, test, image, asleep bool
	}{
		{"nameOverride=", true, true, true, false},
		{"image.repository=eu.example.com/tpu-admission", true, true, false, false},
		{"global.imageRegistry=eu.example.com", true, true, false, false},
		{"webhooks.validating.enabled=false", false, true, true, false},
		{"webhooks.validating.enabled=false,webhooks.mutating.enabled=false", false, false, true, true},
		{"test.enabled=false", true, false, true, false},
	} {
		got := notes(t, "--set", test.values)
		for part, want := range map[string]bool{"kubectl run wrong": test.demo, "helm test": test.test,
			"the pods cannot start": test.image, "nothing is judged": test.asleep} {
			if strings.Contains(got, part) != want {
				t.Errorf("%s: %q is there: %v, in\n%s", test.values, part, !want, got)
			}
		}
	}
}

// The demo is admitted where Pod Security is restricted, so that it is we who refuse it.
func TestTheDemoIsRestricted(t *testing.T) {
	_, overrides, _ := strings.Cut(notes(t), "--overrides='")
	overrides, _, _ = strings.Cut(overrides, "'")
	var demo object
	if err := yaml.UnmarshalStrict([]byte(overrides), &demo); err != nil {
		t.Fatal(err, overrides)
	}
	context := dig(demo, "spec", "containers", 0, "securityContext")
	if dig(demo, "spec", "securityContext", "runAsNonRoot") != true ||
		text(demo, "spec", "securityContext", "seccompProfile", "type") != "RuntimeDefault" ||
		dig(context, "allowPrivilegeEscalation") != false || text(context, "capabilities", "drop", 0) != "ALL" {
		t.Error(overrides)
	}
}
