package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
)

// answer sends a review of the benchmark, with `old` exchanged for `replacement`.
func answer(t *testing.T, path, file, old, replacement string) *admissionv1.AdmissionResponse {
	t.Helper()
	body, err := os.ReadFile("../../bench/reviews/" + file)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.ReplaceAll(string(body), old, replacement)
	recorder := httptest.NewRecorder()
	newHandler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, path, strings.NewReader(text)))
	var review admissionv1.AdmissionReview
	if err := json.Unmarshal(recorder.Body.Bytes(), &review); err != nil || review.Response == nil {
		t.Fatalf("%d %s", recorder.Code, recorder.Body)
	}
	if review.Response.UID != "9a3f5c1e-8e0b-4a35-b0a1-2f6d3e7c9b10" || review.Kind != "AdmissionReview" {
		t.Errorf("uid %q, kind %q", review.Response.UID, review.Kind)
	}
	return review.Response
}

func TestChecks(t *testing.T) {
	for name, c := range map[string]struct{ old, replacement, fault string }{
		"sound":           {"", "", ""},
		"no topology":     {topologyLabel + `":"4x4"`, `x":"y"`, "needs the node selectors"},
		"no such":         {`"4x4"`, `"9x9x9"`, "has no topology 9x9x9"},
		"chips":           {`"google.com/tpu":"4"`, `"google.com/tpu":"3"`, "cannot give 3 chips"},
		"of another kind": {`"kind":{"group":"","version":"v1","kind":"Pod"}`, `"kind":{"group":"batch","version":"v1","kind":"Job"}`, ""},
		"without TPUs":    {`"google.com/tpu":"4"`, `"example.com/other":"4"`, ""},
	} {
		response := answer(t, "/validate", "validate.json", c.old, c.replacement)
		if response.Allowed != (c.fault == "") {
			t.Errorf("%s: allowed is %v", name, response.Allowed)
		} else if c.fault != "" && !strings.Contains(response.Result.Message, c.fault) {
			t.Errorf("%s: %q", name, response.Result.Message)
		}
	}
}

func TestMutateAddsAVariable(t *testing.T) {
	const want = `[{"op":"add","path":"/spec/containers/0/env/-","value":{"name":"TPU_WEBHOOK","value":"seen"}}]`
	if response := answer(t, "/mutate", "mutate.json", "", ""); string(response.Patch) != want {
		t.Errorf("patch %s", response.Patch)
	}
}

func TestOtherBodiesAreRefused(t *testing.T) {
	for _, body := range []string{"", "{}", "[", `{"kind":"Pod"}`} {
		recorder := httptest.NewRecorder()
		newHandler().ServeHTTP(recorder, httptest.NewRequest(http.MethodPost, "/validate", strings.NewReader(body)))
		if recorder.Code != http.StatusBadRequest {
			t.Errorf("%q: %d", body, recorder.Code)
		}
	}
}
