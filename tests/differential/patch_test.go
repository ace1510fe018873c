package differential

import (
	"encoding/json"
	"reflect"
	"strconv"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
)

// The library that the API server applies patches by makes of ours what RFC 6902 says.
func TestPatchesApplyAsTheAPIServerAppliesThem(t *testing.T) {
	ours := newAnswers(t)
	patched := 0
	for seed := range rounds(t, 1_000) {
		answer, ok := ours.of(t, "patch", strconv.Itoa(seed))
		if !ok {
			continue
		}
		patched++
		var said struct {
			Pod, Patch json.RawMessage
			Patched    any
		}
		if err := json.Unmarshal([]byte(answer), &said); err != nil {
			t.Fatal(err)
		}
		patch, err := jsonpatch.DecodePatch(said.Patch)
		if err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, said.Patch)
		}
		applied, err := patch.Apply(said.Pod)
		if err != nil {
			t.Errorf("seed %d: the API server cannot apply it: %v\n%s", seed, err, said.Patch)
			continue
		}
		var got any
		if err := json.Unmarshal(applied, &got); err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, said.Patched) {
			t.Errorf("seed %d: %s\nbecomes %s", seed, said.Patch, applied)
		}
	}
	if patched < 100 {
		t.Errorf("only %d pods were patched", patched)
	}
}
