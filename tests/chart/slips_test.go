package chart

import (
	"strings"
	"testing"
)

// Slips that would pass into the cluster: the API server or our own pods would refuse them, or they would
// open more than was meant.
func TestSlipsThatWouldFailLaterAreRefused(t *testing.T) {
	builtIn := "extraKinds[0].kind=Job,extraKinds[0].group=batch,extraKinds[0].versions={v1},extraKinds[0].resource=jobs," +
		"extraKinds[0].podSets[0].path=spec/template"
	cm := "certificates.mode=cert-manager,certificates.certManager."
	expression := "webhooks.namespaceSelector.matchExpressions[0].key=a,webhooks.namespaceSelector.matchExpressions[0].operator="
	for values, reason := range map[string]string{
		"policy.fixes.TPU301=true": "at '/policy/fixes': additional properties 'TPU301' not allowed",
		"policy.namespaces[0].match=a,policy.namespaces[0].fixes.hosts=false": "at '/policy/namespaces/0/fixes': additional properties 'hosts' not allowed",
		"policy.namespaces[0].match=[a":                                       "match",
		"policy.namespaces[0].match=a[bc]d[":                                  "match",
		"policy.namespaces[0].match=[!]":                                      "match",
		builtIn:                                                               "extraKinds: jobs of the group batch are built in",
		cm + "duration=720h":                                                  "renewBefore is 720h, and the certificate lives for 720h",
		cm + "duration=24h":                                                   "renewBefore is 720h",
		cm + "duration=1h30m,certificates.certManager.renewBefore=5399s2000ms": "lives for 1h30m",
		"policy.fixes.TPU301=true": "at '/policy/fixes': additional properties 'TPU301' not allowed",
		"policy.rules.TPU999=warn": "at '/policy/rules': additional properties 'TPU999' not allowed",
		"policy.rules.hosts=no":    "at '/policy/rules/hosts': value must be one of 'deny'",
		"policy.namespaces[0].match=a,policy.namespaces[0].rules.TPU3=warn": "at '/policy/namespaces/0/rules': additional properties 'TPU3' not allowed",
		"rollingUpdate.maxSurge=0":                                  "maxUnavailable and maxSurge are both 0",
		"rollingUpdate.maxSurge=0%,rollingUpdate.maxUnavailable=0%": "maxUnavailable and maxSurge are both 0",
		expression + "In":                                           "matchExpressions",
		expression + "Exists,webhooks.namespaceSelector.matchExpressions[0].values={b}": "matchExpressions",
		"webhooks.namespaceSelector.matchLabels.a=b c":                                  "matchLabels",
		"commonLabels.a b=c":                             "commonLabels",
		"commonLabels.a=b c":                             "commonLabels",
		"podLabels.a=-b":                                 "podLabels",
		`commonLabels.Example\.com/a=b`:                  "commonLabels",
		"audit.interval=1000000h":                        "interval",
		"networkPolicy.apiServerPorts=null":              "apiServerPorts",
		"server=null":                                    "server",
		"metrics.service=null":                           "service",
		"webhooks.validating.enabled=null":               "enabled",
		"commonLabels." + strings.Repeat("a", 64) + "=b": "commonLabels",
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
	render(t, "--set-json", `policy={"fixes":{"TPU601":false,"ray-localhost":true},"namespaces":[{"match":"a[bc]-*"},{"match":"[]a]"},`+
		`{"match":"[!]a]?"},{"match":"a]"}]}`, "--set-json",
		`webhooks.namespaceSelector={"matchLabels":{"a.b-c.d/E_f.g":""},"matchExpressions":[{"key":"a","operator":"Exists"},`+
			`{"key":"a","operator":"In","values":["","B"]},{"key":"a","operator":"DoesNotExist","values":[]}]}`,
		"--set", "certificates.mode=cert-manager,certificates.certManager.duration=1h30m,certificates.certManager.renewBefore=89m59s999ms",
		"--set", `rollingUpdate.maxSurge=0,rollingUpdate.maxUnavailable=1,audit.interval=24h,commonLabels.example\.com/Team=A_b.c-1`)
}

// A key with only comments below it is null, which helm takes for: there is no such key.
func TestNullIsTheEmptyDefault(t *testing.T) {
	want := asJSON(t, render(t))
	for _, key := range []string{"policy", "extraKinds", "webhooks.namespaceSelector", "webhooks.annotations", "webhooks.excludedNamespaces",
		"global", "global.imagePullSecrets", "imagePullSecrets", "commonAnnotations", "commonLabels", "certificates", "certificates.mode"} {
		if out, complaint, err := template("--set", key+"=null"); err != nil {
			t.Errorf("%s=null: %s", key, complaint)
		} else if !strings.Contains(out, "policy.yaml: |\n    {}\n") {
			t.Errorf("%s=null: the policy is not {}", key)
		} else if got := asJSON(t, render(t, "--set", key+"=null")); got != want {
			t.Errorf("%s=null renders something else", key)
		}
	}
}
