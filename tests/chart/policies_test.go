package chart

import (
	"encoding/json"
	"slices"
	"testing"
)

// The policies deny no chips that the webhook only doubts: a topology about which sources disagree may have the
// hosts of the dispute and those of all others of its generation.
func TestPoliciesLeaveDisputedHostsAlone(t *testing.T) {
	policy := one(t, render(t, "--set", "vap.enabled=true"), "ValidatingAdmissionPolicy")
	var hosts map[string]map[string][]string
	for _, variable := range list(policy, "spec", "variables") {
		if text(variable, "name") == "hosts" {
			if err := json.Unmarshal([]byte(text(variable, "expression")), &hosts); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		accelerator, topology string
		want                  []string
	}{
		{"tpu-v3-device", "2x2", []string{"4"}},
		{"tpu-v3-device", "2x4", []string{"4", "8"}}, // disputed: KubeRay knows it with 8
		{"tpu-v3-slice", "4x4", []string{"4", "8"}},
		{"tpu-v3-slice", "16x32", []string{"4"}},
		{"tpu-v6e-slice", "2x4", []string{"4", "8"}},
		{"tpu-v6e-slice", "1x1", []string{"1"}},
	} {
		got := slices.Sorted(slices.Values(hosts[test.accelerator][test.topology]))
		if !slices.Equal(got, test.want) {
			t.Errorf("%s %s: %v, not %v", test.accelerator, test.topology, got, test.want)
		}
	}
}
