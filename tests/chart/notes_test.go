package chart

import (
	"os"
	"path/filepath"
	"slices"
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

// Who chooses Fail reads what waits for us when we are gone, and what does not.
func TestNotesTellWhatFailCosts(t *testing.T) {
	got := notes(t, "--set", "webhooks.failurePolicy=Fail")
	for _, part := range []string{"no TPU workload and no pod of one can be made", "What runs can end."} {
		if !strings.Contains(got, part) {
			t.Errorf("%q is not in\n%s", part, got)
		}
	}
	if strings.Contains(notes(t), "WARNING: with failurePolicy") {
		t.Error("the default is warned of")
	}
}

// Whatever the API server asks or evaluates for us is named where people look in an emergency.
func TestTheEmergencyExitNamesEverything(t *testing.T) {
	page := read(t, path("docs", "operations.md"))
	_, page, _ = strings.Cut(page, "## Emergency")
	page, _, _ = strings.Cut(page, "\n## ")
	for title, values := range map[string][]string{"default": nil, "everything": everything} {
		said, inTheWay := notes(t, values...), 0
		for _, o := range render(t, values...) {
			if !strings.HasPrefix(text(o, "apiVersion"), "admissionregistration.k8s.io/") {
				continue
			}
			inTheWay++
			for place, words := range map[string]string{"the notes": said, "docs/operations.md": page} {
				found := false
				for _, command := range strings.Split(words, "kubectl delete ")[1:] {
					kinds, names, _ := strings.Cut(command, " ")
					found = found || slices.Contains(strings.Split(kinds, ","), strings.ToLower(kind(o))) && strings.HasPrefix(names, name(o))
				}
				if !found {
					t.Errorf("%s: %s do not delete %s %s", title, place, kind(o), name(o))
				}
			}
		}
		if policies := strings.Contains(said, "validatingadmissionpolicy"); policies != (inTheWay > 2) {
			t.Errorf("%s: the notes name policies: %v", title, policies)
		}
	}
}

// What docs/install.md says to leave out of the output of helm template, for kubectl apply, is all that only Helm
// makes and deletes.
func TestPlainManifestsHaveNoHooks(t *testing.T) {
	page := strings.Join(strings.Fields(read(t, path("docs", "install.md"))), " ")
	_, flag, found := strings.Cut(page, "Leave them out by `")
	flag, _, _ = strings.Cut(flag, "`")
	if !found {
		t.Fatal("docs/install.md does not say how")
	}
	for _, o := range render(t, append(slices.Clone(everything), flag)...) {
		if hook := text(o, "metadata", "annotations", "helm.sh/hook"); hook != "" {
			t.Errorf("%s %s is a hook: %s", kind(o), name(o), hook)
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
