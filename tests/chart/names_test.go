package chart

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// clusterWide are the kinds whose names begin with our namespace. They may have 253 characters.
var clusterWide = []string{"ClusterRole", "ClusterRoleBinding", "ClusterRules", "MutatingWebhookConfiguration",
	"ValidatingWebhookConfiguration", "ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "Role", "RoleBinding"}

// longest is the longest name that helm takes for a release.
var longest = strings.Repeat("a", 53)

// Names of Services and Jobs, and values of labels, end at 63 characters: whatever is on, and also where the
// hooks are rendered, of which an uninstall learns only when it is too late.
func TestLongNamesStayLegal(t *testing.T) {
	for title, objects := range map[string][]object{
		"a release":         renderAs(t, longest, everything...),
		"with cert-manager": renderAs(t, longest, append(slices.Clone(everything), certManager...)...),
		"fullnameOverride":  render(t, append(slices.Clone(everything), "--set", "fullnameOverride="+strings.Repeat("a", 63))...),
		"nameOverride":      renderAs(t, longest, append(slices.Clone(everything), "--set", "nameOverride="+strings.Repeat("b", 63))...),
	} {
		hooks := 0
		for _, o := range objects {
			limit := 63
			if slices.Contains(clusterWide, kind(o)) {
				limit = 253
			}
			if len(name(o)) > limit {
				t.Errorf("%s: %s %s: %d characters", title, kind(o), name(o), len(name(o)))
			}
			labelsAreLegal(t, title, o)
			if text(o, "metadata", "annotations", "helm.sh/hook") == "post-delete" {
				hooks++
			}
		}
		if hooks == 0 {
			t.Errorf("%s: nothing cleans up", title)
		}
	}
}

// Names that YAML would read as something else than text, wherever they stand alone.
func TestOddReleasesStayText(t *testing.T) {
	_, newest := versions(t)
	schemas := schemasOf(t, newest)
	for _, odd := range []string{"12", "1e3", "true", "null"} {
		for _, title := range []string{"everything", "cert-manager"} {
			values := append(slices.Clone(renderings[title]), "--namespace", odd, "--set-string", "nameOverride="+odd)
			rendered, complaint, err := templateAs(odd, values...)
			if err != nil {
				t.Fatal(complaint)
			}
			judge(t, "the release "+odd+", "+title, schemas, rendered, map[string]bool{})
		}
	}
}

// The selector of a Deployment cannot change: an upgrade that tries is refused. Of all values only nameOverride does,
// and its description says so.
func TestUpgradesChangeNoSelector(t *testing.T) {
	selectors := func(values ...string) map[string]string {
		found := map[string]string{}
		for _, deployment := range only(render(t, append(slices.Clone(values), "--set", "audit.enabled=true")...), "Deployment") {
			found[text(deployment, "metadata", "labels", "app.kubernetes.io/component")] = asJSON(t, dig(deployment, "spec", "selector"))
		}
		return found
	}
	want := selectors()
	for title, values := range map[string][]string{
		"everything": append(slices.Clone(everything), "--set", "commonLabels.a=b,podLabels.c=d,image.tag=v2,global.imageRegistry=e"),
		"its name":   {"--set", "fullnameOverride=other"},
	} {
		if got := selectors(values...); !maps.Equal(got, want) {
			t.Errorf("%s: %v, not %v", title, got, want)
		}
	}
	if maps.Equal(selectors("--set", "nameOverride=other"), want) {
		t.Error("nameOverride changes no selector: its description is out of date")
	}
	for _, row := range strings.Split(read(t, path("charts", "tpu-admission", "README.md")), "\n") {
		if strings.HasPrefix(row, "| nameOverride |") && !strings.Contains(row, "before the first installation") {
			t.Errorf("it does not say so: %s", row)
		}
	}
}

// labelsAreLegal looks at the values of all labels and selectors, however deep.
func labelsAreLegal(t *testing.T, title string, value any) {
	t.Helper()
	switch value := value.(type) {
	case []any:
		for _, element := range value {
			labelsAreLegal(t, title, element)
		}
	case object:
		for key, member := range value {
			if key != "labels" && key != "matchLabels" {
				labelsAreLegal(t, title, member)
				continue
			}
			for label, text := range member.(object) {
				if text, ok := text.(string); !ok || len(text) > 63 {
					t.Errorf("%s: the label %s is %v", title, label, member.(object)[label])
				}
			}
		}
	}
}
