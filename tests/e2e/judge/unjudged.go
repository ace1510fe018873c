package judge

import (
	"fmt"
	"os/exec"
	"strings"
)

// unjudged are the rules that deny, but whose faults no controller here can judge, with the source that
// stands in. The list is closed: every other rule that denies has cases.
var unjudged = map[string]string{
	"TPU117": "It denies only where the right label is missing, which the cases of TPU102 and TPU103 judge; https://kubernetes.io/docs/concepts/scheduling-eviction/assign-pod-node/.",
	"TPU204": "The device plugin reads the slice annotation on the node, and GKE's slice controller is not public; ai-on-gke/tpu-device-plugin@4626a9f pkg/tpu/util/util.go, AI-Hypercomputer/xpk@367c838 src/xpk/core/scheduling.py.",
	"TPU207": "The device plugin reads the slice annotation on the node; ai-on-gke/tpu-device-plugin@4626a9f pkg/tpu/util/util.go.",
	"TPU411": "The names of the cases are the judge's own; kubernetes-sigs/jobset@08dfbdfd pkg/webhooks/jobset_webhook.go, ray-project/kuberay v1.4.2 ray-operator/controllers/ray/utils/constant.go.",
	"TPU413": "Sub-groups are of LeaderWorkerSet alone; kubernetes-sigs/lws pkg/webhooks/leaderworkerset_webhook.go.",
	"TPU503": "It needs to know where the cluster is; https://cloud.google.com/kubernetes-engine/docs/concepts/types-of-clusters.",
	"TPU505": "It denies on Autopilot, where node auto-provisioning decides; GoogleCloudPlatform/cluster-autoscaler@7d25050 pkg/autoprovisioning/injection.go.",
}

// Denying returns the rules that deny by default, as `tpu-admission explain` lists them, with their names.
func Denying(binary string) (rules map[string]string, err error) {
	list, err := exec.Command(binary, "explain").Output()
	if err != nil {
		return nil, fmt.Errorf("%s explain: %w", binary, err)
	}
	rules = map[string]string{}
	for line := range strings.Lines(string(list)) {
		if fields := strings.Fields(line); len(fields) > 2 && fields[1] == "deny" {
			rules[fields[0]] = fields[2]
		}
	}
	if len(rules) == 0 {
		return nil, fmt.Errorf("%s explain lists no rule that denies", binary)
	}
	return rules, nil
}

// Coverage returns what is wrong with the list of rules that nobody judges: a rule that denies and is in
// neither place, or one of the list that has denied after all or that denies no more.
func (a *Agreement) Coverage(denying map[string]string) (faults []string) {
	denied := func(rule string) bool {
		t := a.ByRule[rule]
		return t != nil && t.DeniedNotScheduled+t.DeniedLater > 0
	}
	for rule, name := range denying {
		if !denied(rule) && unjudged[rule] == "" {
			faults = append(faults, fmt.Sprintf("%s %s denies, but no case of it is judged, and no source stands in", rule, name))
		}
	}
	for rule := range unjudged {
		if denied(rule) || denying[rule] == "" {
			faults = append(faults, rule+" is in the list of rules that no controller judges, and should not be")
		}
	}
	return faults
}
