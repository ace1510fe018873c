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
