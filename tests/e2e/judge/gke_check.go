package judge

import (
	"fmt"

	"tpu-admission.io/e2e/harness"
)

// installGKECheck installs a policy that does what GKE's own admission check does with pods that ask for
// chips and do not name accelerator and topology, by the sentence that users of GKE report. The check
// itself is not public; a pod that leaves the choice to a compute class or to a resource claim passes.
func installGKECheck(api *harness.API) error {
	const registration = "/apis/admissionregistration.k8s.io/v1/"
	const name = "tpu-accelerator-topology-constraints"
	var validations []object
	for _, label := range []string{acceleratorLabel, topologyLabel} {
		validations = append(validations, object{
			"expression": fmt.Sprintf("!variables.chips || variables.chosen || variables.keys.exists(k, k == %q)", label),
			"message":    fmt.Sprintf("[denied by %s]: Missing nodeSelector/nodeAffinity label %s", name, label)})
	}
	policy := object{"metadata": object{"name": name}, "spec": object{
		"matchConstraints": object{"resourceRules": []object{{"apiGroups": []string{""}, "apiVersions": []string{"v1"},
			"resources": []string{"pods"}, "operations": []string{"CREATE"}}}},
		"variables":   gkeCheckVariables,
		"validations": validations,
	}}
	if err := api.Create(registration+"validatingadmissionpolicies", policy); err != nil {
		return err
	}
	return api.Create(registration+"validatingadmissionpolicybindings", object{"metadata": object{"name": name},
		"spec": object{"policyName": name, "validationActions": []string{"Deny"}}})
}

var gkeCheckVariables = []object{
	{"name": "chips", "expression": `(object.spec.containers + object.spec.?initContainers.orValue([])).exists(c,
		"google.com/tpu" in c.?resources.?limits.orValue({}))`},
	{"name": "chosen", "expression": `has(object.spec.resourceClaims) ||
		"cloud.google.com/compute-class" in object.spec.?nodeSelector.orValue({})`},
	{"name": "keys", "expression": `object.spec.?nodeSelector.orValue({}).map(k, k) + (
		object.spec.?affinity.?nodeAffinity.?requiredDuringSchedulingIgnoredDuringExecution.?nodeSelectorTerms.orValue([])
		.map(t, t.?matchExpressions.orValue([]).map(e, e.key)).flatten())`},
}
