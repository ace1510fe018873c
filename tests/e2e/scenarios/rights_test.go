package scenarios

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"tpu-admission.io/e2e/harness"
)

// What each service account may do, as the API server itself says: a right that is added shows here, and
// in the table of docs/security.md.
func TestRights(t *testing.T) {
	i := prepare(t)
	i.helm("install", "tpu-admission", chart)
	if got := rights(i, "tpu-admission"); len(got) != 0 {
		t.Errorf("the servers may: %v", got)
	}
	want := []string{
		"configmaps [cluster-autoscaler-status] get",
		"configmaps [tpu-admission-cluster] get patch",
		"leases.coordination.k8s.io [tpu-admission-controller] get patch",
		"mutatingwebhookconfigurations.admissionregistration.k8s.io [tpu-admission] get patch",
		"nodes [] list watch",
		"secrets [tpu-admission-tls] get patch",
		"validatingwebhookconfigurations.admissionregistration.k8s.io [tpu-admission] get patch",
	}
	if got := rights(i, "tpu-admission-controller"); !slices.Equal(got, want) {
		t.Errorf("the controller may: %s", strings.Join(got, "\n"))
	}
}

// rights lists what the service account may do beyond what every account may.
func rights(i *installation, account string) (rights []string) {
	i.Helper()
	everybody := allowed(i, "system:serviceaccount:"+i.system.Name+":nobody")
	for _, right := range allowed(i, "system:serviceaccount:"+i.system.Name+":"+account) {
		if !slices.Contains(everybody, right) {
			rights = append(rights, right)
		}
	}
	slices.Sort(rights)
	return rights
}

func allowed(i *installation, user string) (rights []string) {
	i.Helper()
	var review object
	err := production.plane.As(user, "/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", object{
		"apiVersion": "authorization.k8s.io/v1", "kind": "SelfSubjectRulesReview",
		"spec": object{"namespace": i.system.Name}}, &review)
	if err != nil {
		i.Fatal(err)
	}
	for _, rule := range harness.List(review, "status", "resourceRules") {
		for _, resource := range harness.List(rule, "resources") {
			name := fmt.Sprint(resource)
			if group := harness.Text(rule, "apiGroups", 0); group != "" {
				name += "." + group
			}
			verbs := strings.Trim(fmt.Sprint(harness.List(rule, "verbs")), "[]")
			rights = append(rights, fmt.Sprintf("%s %v %s", name, harness.List(rule, "resourceNames"), verbs))
		}
	}
	for _, rule := range harness.List(review, "status", "nonResourceRules") {
		rights = append(rights, fmt.Sprint(harness.List(rule, "nonResourceURLs"), harness.List(rule, "verbs")))
	}
	return rights
}

// The API server takes every object of the chart, and knows every field of it.
func TestManifestsAreStrictlyValid(t *testing.T) {
	i := prepare(t)
	for _, values := range [][]string{
		{},
		{"--set", "autoscaling.enabled=true,vap.enabled=true,metrics.dashboard.enabled=true,priorityClassName=x,webhooks.failurePolicy=Fail"},
		{"--set", "certificates.mode=existing-secret,certificates.existingSecret.name=own"},
		{"--set-json", `extraKinds=[{"group":"example.com","kind":"Trainer","versions":["v1"],"resource":"trainers","podSets":[{"path":"spec/template"}]}]`},
	} {
		rendered := i.helm("template", append([]string{"tpu-admission", chart, "--namespace", i.system.Name, "--kube-version", "1.36.2", "--skip-tests"}, values...)...)
		out := i.system.Apply(t, rendered.Stdout, "--dry-run=server", "--validate=strict")
		if out.Code != 0 || strings.Contains(out.Stderr, "Warning") {
			t.Errorf("%v\n%s", values, out)
		}
	}
	out := i.system.Kubectl(t, "kustomize", "deploy")
	if out = i.system.Apply(t, out.Stdout, "--dry-run=server", "--validate=strict"); out.Code != 0 {
		t.Errorf("deploy/\n%s", out)
	}
}
