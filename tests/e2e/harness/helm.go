package harness

import (
	"path/filepath"
	"testing"
)

// Helm runs the real helm, found in the folder tools, in the namespace.
func (n *Namespace) Helm(t testing.TB, tools string, args ...string) Output {
	t.Helper()
	return n.command(t, filepath.Join(tools, "helm"), "", args...)
}

// Ours runs the binary of tpu-admission as the namespace's user, with the user's kubectl.
func (n *Namespace) Ours(t testing.TB, binary string, args ...string) Output {
	t.Helper()
	args = append(args, "--kubectl="+filepath.Join(n.cluster.programs, "kubectl"))
	return n.command(t, binary, "", args...)
}
