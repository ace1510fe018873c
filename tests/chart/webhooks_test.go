package chart

import (
	"slices"
	"strings"
	"testing"
)

func webhooks(objects []object) (found []any) {
	for _, o := range objects {
		if strings.HasSuffix(kind(o), "WebhookConfiguration") {
			found = append(found, list(o, "webhooks")...)
		}
	}
	return found
}

var harmless = object{"failurePolicy": "Ignore", "matchPolicy": "Equivalent", "sideEffects": "None",
	"timeoutSeconds": float64(3)}

// By default nothing of ours can hurt a cluster.
func TestWebhooksAreHarmless(t *testing.T) {
	found := webhooks(render(t))
	if len(found) != 2 {
		t.Fatalf("%d webhooks, not 2", len(found))
	}
	for _, webhook := range found {
		for key, want := range harmless {
			if got := dig(webhook, key); got != want {
				t.Errorf("%s of %s is %v, not %v", key, text(webhook, "name"), got, want)
			}
		}
		excluded := list(webhook, "namespaceSelector", "matchExpressions", 0, "values")
		for _, namespace := range []any{"kube-system", "kube-node-lease", "gke-managed-system", namespace} {
			if !slices.Contains(excluded, namespace) {
				t.Errorf("%v is not left alone: %v", namespace, excluded)
			}
		}
		if !strings.Contains(text(webhook, "matchConditions", 0, "expression"), `startsWith("gke-")`) {
			t.Errorf("GKE's namespaces are not left alone: %v", dig(webhook, "matchConditions", 0))
		}
		rulesAreNarrow(t, webhook)
	}
}

// `helm install` without --namespace: the workloads there are judged.
func TestTheDefaultNamespaceIsNotLeftAlone(t *testing.T) {
	for _, webhook := range webhooks(render(t, "--namespace", "default")) {
		if slices.Contains(list(webhook, "namespaceSelector", "matchExpressions", 0, "values"), any("default")) {
			t.Errorf("%v", dig(webhook, "namespaceSelector"))
		}
	}
}

// rulesAreNarrow asserts what GKE calls unsafe is not there: nodes, leases, reviews, wildcards.
func rulesAreNarrow(t *testing.T, webhook any) {
	t.Helper()
	for _, rule := range list(webhook, "rules") {
		for _, operation := range list(rule, "operations") {
			if operation != "CREATE" && operation != "UPDATE" {
				t.Errorf("the operation %v: %v", operation, rule)
			}
		}
		for _, key := range []string{"apiGroups", "apiVersions", "resources"} {
			for _, value := range list(rule, key) {
				if strings.ContainsAny(value.(string), "*/") {
					t.Errorf("%q in %s", value, key)
				}
			}
		}
		for _, unsafe := range []any{"nodes", "leases", "tokenreviews", "subjectaccessreviews", "certificatesigningrequests"} {
			if slices.Contains(list(rule, "resources"), unsafe) {
				t.Errorf("the resource %v", unsafe)
			}
		}
	}
}

func TestMutatingIsOfPodsOnly(t *testing.T) {
	webhook := dig(one(t, render(t), "MutatingWebhookConfiguration"), "webhooks", 0)
	rules := list(webhook, "rules")
	if len(rules) != 1 || !slices.Equal(list(rules[0], "resources"), []any{"pods"}) ||
		!slices.Equal(list(rules[0], "operations"), []any{"CREATE", "UPDATE"}) {
		t.Errorf("%v", rules)
	}
	// Of updates only those that take the toleration away (docs/policy.md, Fixes).
	conditions := list(webhook, "matchConditions")
	last := conditions[len(conditions)-1]
	if text(last, "name") != "new-or-losing-the-toleration" ||
		!strings.HasPrefix(text(last, "expression"), `request.operation == "CREATE" ||`) {
		t.Errorf("updates are sent by %v", last)
	}
	if text(webhook, "reinvocationPolicy") != "IfNeeded" {
		t.Error("not reinvoked")
	}
}

// Who begins with a few namespaces begins with these alone. Who only leaves some out goes on to look at what is in
// no namespace, to which the API server applies no namespaceSelector.
func TestOnlyLabelledNamespacesAreLookedAt(t *testing.T) {
	kinds := `extraKinds=[{"group":"example.com","versions":["v1"],"kind":"Trainer","resource":"trainers","podSets":[{"path":"spec/template"}]}]`
	for selector, clusterWide := range map[string]bool{
		`{}`:                           true,
		`{"matchLabels":{}}`:           true,
		`{"matchLabels":{"tpu":"on"}}`: false,
		`{"matchExpressions":[{"key":"tpu","operator":"Exists"}]}`:                                                       false,
		`{"matchExpressions":[{"key":"a","operator":"DoesNotExist"},{"key":"tpu","operator":"In","values":["on"]}]}`:     false,
		`{"matchExpressions":[{"key":"tpu","operator":"NotIn","values":["off"]},{"key":"a","operator":"DoesNotExist"}]}`: true,
	} {
		objects := render(t, "--set-json", "webhooks.namespaceSelector="+selector, "--set-json", kinds)
		rules := list(one(t, objects, "ValidatingWebhookConfiguration"), "webhooks", 0, "rules")
		reached := map[any]bool{}
		for _, rule := range rules {
			for _, resource := range list(rule, "resources") {
				reached[resource] = reached[resource] || text(rule, "scope") != "Namespaced"
			}
		}
		for _, resource := range []any{"clusterworkflowtemplates", "clustertrainingruntimes", "trainers"} {
			if reached[resource] != clusterWide {
				t.Errorf("%s: %v in no namespace are looked at: %v", selector, resource, reached[resource])
			}
		}
		for _, resource := range []any{"pods", "jobsets", "trainers"} {
			if _, there := reached[resource]; !there {
				t.Errorf("%s: %v are not looked at", selector, resource)
			}
		}
	}
}

func TestValuesReachTheWebhooks(t *testing.T) {
	objects := render(t, "--set", "webhooks.failurePolicy=Fail,webhooks.timeoutSeconds=5,service.port=8443",
		"--set", "webhooks.excludedNamespaces={sandbox}", "--set", "webhooks.namespaceSelector.matchLabels.tpu=yes",
		"--set-json", `extraKinds=[{"group":"example.com","versions":["v1"],"kind":"Trainer","resource":"trainers","podSets":[{"path":"spec/template"}]}]`)
	for _, webhook := range webhooks(objects) {
		if text(webhook, "failurePolicy") != "Fail" || dig(webhook, "timeoutSeconds") != float64(5) ||
			dig(webhook, "clientConfig", "service", "port") != float64(8443) ||
			text(webhook, "namespaceSelector", "matchLabels", "tpu") != "yes" ||
			!slices.Contains(list(webhook, "namespaceSelector", "matchExpressions", 0, "values"), any("sandbox")) {
			t.Errorf("%v", webhook)
		}
	}
	rules := list(one(t, objects, "ValidatingWebhookConfiguration"), "webhooks", 0, "rules")
	last := rules[len(rules)-1]
	if text(last, "resources", 0) != "trainers" || len(list(last, "operations")) != 2 {
		t.Errorf("the last rule is %v", last)
	}
	if policy := text(one(t, objects, "ConfigMap", "tpu-admission-config"), "data", "policy.yaml"); !strings.Contains(policy, "kind: Trainer") {
		t.Errorf("the servers are not told of trainers: %s", policy)
	}
	conditions := list(one(t, objects, "ValidatingWebhookConfiguration"), "webhooks", 0, "matchConditions")
	// Of other kinds we know that all we look at stands in the spec.
	for _, condition := range conditions[len(conditions)-2:] {
		if !strings.HasPrefix(text(condition, "expression"), `(request.kind.group == "example.com"`) {
			t.Errorf("trainers are held back by %v", condition)
		}
	}
	if none := webhooks(render(t, "--set", "webhooks.validating.enabled=false,webhooks.mutating.enabled=false")); len(none) != 0 {
		t.Errorf("%d webhooks, not 0", len(none))
	}
}
