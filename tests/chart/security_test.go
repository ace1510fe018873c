package chart

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// The controller may get and change objects by name, and list and watch nodes where it shall watch
// them; nobody may do anything else.
func TestRightsAreByNameAndMakeNothing(t *testing.T) {
	objects := render(t, everything...)
	for _, role := range append(only(objects, "Role"), only(objects, "ClusterRole")...) {
		if isTest(role) || isAudit(role) {
			continue
		}
		for _, rule := range list(role, "rules") {
			if name(role) == "tpu-admission-nodes" && slices.Equal(list(rule, "resources"), []any{"nodes"}) {
				if !slices.Equal(list(rule, "verbs"), []any{"list", "watch"}) || !slices.Equal(list(rule, "apiGroups"), []any{""}) {
					t.Errorf("the right on nodes: %v", rule)
				}
				continue
			}
			if len(list(rule, "resourceNames")) == 0 {
				t.Errorf("%s %s: a rule without names: %v", kind(role), name(role), rule)
			}
			for _, verb := range list(rule, "verbs") {
				if !slices.Contains([]any{"get", "patch"}, verb) {
					t.Errorf("%s %s: the verb %v", kind(role), name(role), verb)
				}
			}
			for _, key := range []string{"apiGroups", "resources", "resourceNames"} {
				if slices.Contains(list(rule, key), any("*")) {
					t.Errorf("%s %s: a wildcard in %s", kind(role), name(role), key)
				}
			}
		}
	}
}

// Every right of the controller's stands in a row of docs/certificates.md: its verbs, and its object
// by name or, without one, by resource.
func TestCertificatesPageTellsEveryRight(t *testing.T) {
	page := read(t, path("docs", "certificates.md"))
	_, page, _ = strings.Cut(page, "### What it may do")
	page, _, _ = strings.Cut(page, "### ")
	objects := render(t, everything...)
	for _, role := range append(only(objects, "Role"), only(objects, "ClusterRole")...) {
		if isTest(role) || isAudit(role) {
			continue
		}
		for _, rule := range list(role, "rules") {
			subjects := list(rule, "resourceNames")
			if len(subjects) == 0 {
				subjects = list(rule, "resources")
			}
			for _, verb := range list(rule, "verbs") {
				for _, subject := range subjects {
					if !tellsRight(page, fmt.Sprint(verb), fmt.Sprint(subject)) {
						t.Errorf("docs/certificates.md: no row says %v of %v", verb, subject)
					}
				}
			}
		}
	}
}

// tellsRight says whether a row of the tables, "| verbs | object | why |", has the verb and the object.
func tellsRight(page, verb, subject string) bool {
	last := ""
	for _, row := range strings.Split(page, "\n") {
		cells := strings.Split(row, "|")
		if len(cells) < 4 {
			continue
		}
		if strings.TrimSpace(cells[2]) != "the same" {
			last = cells[2]
		}
		if slices.Contains(strings.Split(strings.TrimSpace(cells[1]), ", "), verb) && strings.Contains(last, subject) {
			return true
		}
	}
	return false
}

// The audit may list nodes and the kinds that are judged, and keep reports; nothing by default.
func TestAuditListsAndReportsOnly(t *testing.T) {
	for _, o := range render(t) {
		if isAudit(o) {
			t.Errorf("%s %s is rendered by default", kind(o), name(o))
		}
	}
	objects := render(t, append(everything, "--set-json",
		`extraKinds=[{"group":"example.com","kind":"Trainer","versions":["v1"],"resource":"trainers","podSets":[{"path":"spec/template"}]}]`)...)
	cleanup := one(t, objects, "ClusterRole", "tpu-admission-audit-cleanup")
	for _, rule := range list(cleanup, "rules") {
		if !strings.Contains(text(rule, "resources", 0), "reports") || !slices.Equal(list(rule, "verbs"), []any{"list", "delete"}) {
			t.Errorf("the cleanup may: %v", rule)
		}
	}
	role := one(t, objects, "ClusterRole", "tpu-admission-audit")
	listed := map[any]bool{}
	for _, rule := range list(role, "rules") {
		reports := slices.Contains([]any{"openreports.io", "wgpolicyk8s.io"}, list(rule, "apiGroups")[0])
		want := []any{"list"}
		if reports {
			want = []any{"list", "create", "patch", "delete"}
		}
		if got := list(rule, "verbs"); !slices.Equal(got, want) {
			t.Errorf("%v: %v", list(rule, "resources"), got)
		}
		for _, resource := range list(rule, "resources") {
			listed[resource] = !reports
		}
	}
	for _, resource := range []any{"nodes", "pods", "jobs", "jobsets", "rayclusters", "trainers"} {
		if !listed[resource] {
			t.Errorf("%v cannot be listed", resource)
		}
	}
	for _, resource := range []any{"*", "secrets", "configmaps", "events"} {
		if listed[resource] {
			t.Errorf("%v can be listed", resource)
		}
	}
	binding := one(t, objects, "ClusterRoleBinding", name(role))
	if got := list(binding, "subjects"); len(got) != 1 || text(got[0], "name") != "tpu-admission-audit" {
		t.Errorf("the rights are those of %v", got)
	}
}

// Nobody but the controller and the audit is given a right, so the servers have none, whatever is on.
func TestRightsAreTheControllersAlone(t *testing.T) {
	for _, values := range [][]string{nil, everything} {
		objects := render(t, values...)
		for _, binding := range append(only(objects, "RoleBinding"), only(objects, "ClusterRoleBinding")...) {
			if isTest(binding) || isAudit(binding) {
				continue
			}
			for _, subject := range list(binding, "subjects") {
				if text(subject, "kind") != "ServiceAccount" || text(subject, "name") != "tpu-admission-controller" {
					t.Errorf("%s %s: gives rights to %v", kind(binding), name(binding), subject)
				}
			}
		}
	}
}

// One value takes the rights, the ConfigMap, the flags and the mount away; without a controller there
// are none either.
func TestNodesAreWatchedByOneValue(t *testing.T) {
	names := func(values ...string) (names []string) {
		for _, object := range render(t, values...) {
			if strings.HasSuffix(name(object), "-nodes") || strings.HasSuffix(name(object), "-cluster") {
				names = append(names, kind(object))
			}
			if kind(object) != "Deployment" {
				continue
			}
			for _, argument := range list(object, "spec", "template", "spec", "containers", 0, "args") {
				if strings.HasPrefix(argument.(string), "--node-record=") {
					names = append(names, argument.(string))
				}
			}
			for _, volume := range list(object, "spec", "template", "spec", "volumes") {
				if text(volume, "name") == "cluster" {
					names = append(names, fmt.Sprint(volume))
				}
			}
		}
		slices.Sort(names)
		return names
	}
	want := []string{"--node-record=/cluster/nodes.yaml", "--node-record=tpu-admission-cluster", "ClusterRole", "ClusterRoleBinding",
		"ConfigMap", "Role", "RoleBinding", "map[configMap:map[name:tpu-admission-cluster optional:true] name:cluster]"}
	if got := names(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	for _, values := range []string{"cluster.watchNodes=false", "certificates.mode=cert-manager",
		"certificates.mode=existing-secret,certificates.existingSecret.name=own"} {
		if got := names("--set", values); len(got) != 0 {
			t.Errorf("%s: %q", values, got)
		}
	}
}

func TestNoRightsOnWhatIsNotRendered(t *testing.T) {
	values := "cluster.watchNodes=false,webhooks.mutating.enabled=false"
	resources := func() []any {
		return list(one(t, render(t, "--set", values), "ClusterRole"), "rules", 0, "resources")
	}
	if got := resources(); !slices.Equal(got, []any{"validatingwebhookconfigurations"}) {
		t.Errorf("%v", got)
	}
	values += ",webhooks.validating.enabled=false"
	if got := resources(); len(got) != 0 {
		t.Errorf("%v", got)
	}
}

func TestOnlyTheControllerHasAToken(t *testing.T) {
	objects := render(t)
	for _, account := range only(objects, "ServiceAccount") {
		if isTest(account) {
			continue
		}
		if got, want := dig(account, "automountServiceAccountToken"), name(account) == "tpu-admission-controller"; got != want {
			t.Errorf("%s: automountServiceAccountToken is %v, not %v", name(account), got, want)
		}
	}
	for _, deployment := range only(objects, "Deployment") {
		got := dig(deployment, "spec", "template", "spec", "automountServiceAccountToken")
		if name(deployment) == "tpu-admission" && got != false {
			t.Errorf("the server's pods mount a token: %v", got)
		}
	}
}

// As the level "restricted" of Pod Security demands, and a read-only root on top.
func TestPodsAreRestricted(t *testing.T) {
	for _, deployment := range append(only(render(t), "Deployment"), only(render(t), "Pod")...) {
		pod := dig(deployment, "spec", "template", "spec")
		if kind(deployment) == "Pod" {
			pod = dig(deployment, "spec")
		}
		if dig(pod, "securityContext", "runAsNonRoot") != true ||
			text(pod, "securityContext", "seccompProfile", "type") != "RuntimeDefault" {
			t.Errorf("%s: %v", name(deployment), dig(pod, "securityContext"))
		}
		for _, container := range list(pod, "containers") {
			context := dig(container, "securityContext")
			if dig(context, "readOnlyRootFilesystem") != true || dig(context, "allowPrivilegeEscalation") != false ||
				!slices.Equal(list(context, "capabilities", "drop"), []any{"ALL"}) {
				t.Errorf("%s: %v", name(deployment), context)
			}
		}
	}
}

// The key of the CA stays in the Secret: who answers the cluster's pods must not hold it.
func TestServersNeverSeeTheKeyOfTheCA(t *testing.T) {
	for _, deployment := range only(render(t), "Deployment") {
		for _, volume := range list(deployment, "spec", "template", "spec", "volumes") {
			if dig(volume, "secret") == nil {
				continue
			}
			var keys []any
			for _, item := range list(volume, "secret", "items") {
				keys = append(keys, text(item, "key"))
			}
			if !slices.Equal(keys, []any{"tls.crt", "tls.key"}) {
				t.Errorf("%s mounts %v of the Secret", name(deployment), keys)
			}
		}
	}
}

// Helm leaves alone what it does not render: so an upgrade cannot clear what the controller filled.
func TestNothingIsRenderedThatTheControllerFills(t *testing.T) {
	objects := render(t)
	secret := one(t, objects, "Secret")
	if secret["data"] != nil || secret["stringData"] != nil {
		t.Errorf("the Secret is rendered with data: %v", secret)
	}
	if lease := one(t, objects, "Lease"); lease["spec"] != nil {
		t.Errorf("the Lease is rendered with a spec: %v", lease)
	}
	for _, record := range only(objects, "ConfigMap") {
		if name(record) == "tpu-admission-cluster" && record["data"] != nil {
			t.Errorf("the record of nodes is rendered with data: %v", record)
		}
	}
	for _, webhook := range webhooks(objects) {
		if dig(webhook, "clientConfig", "caBundle") != nil {
			t.Errorf("a caBundle is rendered: %v", webhook)
		}
	}
}

func TestServersMayNotConnectToAnything(t *testing.T) {
	for _, policy := range only(render(t), "NetworkPolicy") {
		egress := list(policy, "spec", "egress")
		if name(policy) == "tpu-admission" && len(egress) != 0 {
			t.Errorf("the servers may connect to %v", egress)
		}
		if !slices.Contains(list(policy, "spec", "policyTypes"), any("Egress")) {
			t.Errorf("%s says nothing about egress", name(policy))
		}
	}
}
