package scenarios

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// jax is the folder of JAX's Python package; "" where pip cannot have it.
var jax = os.Getenv("E2E_JAX")

// askJAX feeds JAX's own cluster detection with the variables of each worker: it must find the right
// process, number of processes and coordinator.
func askJAX(t *testing.T, workers []worker) {
	t.Helper()
	if jax == "" {
		t.Log("pip cannot have jax here, so what JAX makes of the variables is not shown")
		return
	}
	type question struct {
		Env map[string]string `json:"env"`
		// As the variables say, read by themselves.
		ID          int    `json:"id"`
		Count       int    `json:"count"`
		Coordinator string `json:"coordinator"`
	}
	var questions []question
	for _, w := range workers {
		q := question{Env: w.env, ID: w.number("TPU_WORKER_ID"), Count: len(w.names()), Coordinator: host(w.names()[0])}
		if slices := w.number("MEGASCALE_NUM_SLICES"); slices > 1 {
			q.ID += w.number("MEGASCALE_SLICE_ID") * q.Count
			q.Count *= slices
			q.Coordinator = host(w.env["MEGASCALE_COORDINATOR_ADDRESS"])
		}
		questions = append(questions, q)
	}
	text, err := json.Marshal(questions)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("python3", filepath.Join(root, "tests/e2e/jax_cluster.py"), jax)
	cmd.Stdin = bytes.NewReader(text)
	if answer, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("JAX sees it otherwise: %v\n%s", err, answer)
	}
}
