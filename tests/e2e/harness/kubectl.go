package harness

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const commandLimit = 2 * time.Minute

// Output is what a user of kubectl reads.
type Output struct {
	Command string
	Stdout  string
	Stderr  string
	Code    int
	Took    time.Duration
}

// All is the output in the order of a terminal: kubectl warns before it prints the result.
func (o Output) All() string { return o.Stderr + o.Stdout }

// String is the command and its output as they look on a terminal.
func (o Output) String() string { return "$ " + o.Command + "\n" + o.All() }

// Kubectl runs the real kubectl with the arguments in the namespace.
func (n *Namespace) Kubectl(t testing.TB, args ...string) Output {
	t.Helper()
	return n.kubectl(t, "", args...)
}

// Apply runs `kubectl apply -f -` on a manifest that is not in a file.
func (n *Namespace) Apply(t testing.TB, manifest string, args ...string) Output {
	t.Helper()
	return n.kubectl(t, manifest, append([]string{"apply", "-f", "-"}, args...)...)
}

// Succeed is Kubectl for a command whose failure ends the test.
func (n *Namespace) Succeed(t testing.TB, args ...string) Output {
	t.Helper()
	out := n.Kubectl(t, args...)
	if out.Code != 0 {
		t.Fatalf("exit code %d of\n%s", out.Code, out)
	}
	return out
}

// Object reads an object of the namespace, e.g. ("pod", "train"). It must exist.
func (n *Namespace) Object(t testing.TB, kind, name string) Object {
	t.Helper()
	return ParseObject(t, n.Succeed(t, "get", kind, name, "-o", "json").Stdout)
}

// ParseObject reads the one JSON object that `kubectl -o json` has printed.
func ParseObject(t testing.TB, text string) Object {
	t.Helper()
	objects := ParseObjects(t, text)
	if len(objects) != 1 {
		t.Fatalf("%d objects, not 1:\n%s", len(objects), text)
	}
	return objects[0]
}

// ParseObjects reads objects one after another.
func ParseObjects(t testing.TB, text string) (objects []Object) {
	t.Helper()
	for decoder := json.NewDecoder(strings.NewReader(text)); decoder.More(); {
		var object Object
		if err := decoder.Decode(&object); err != nil {
			t.Fatalf("not a JSON object: %v\n%s", err, text)
		}
		objects = append(objects, object)
	}
	return objects
}

func (n *Namespace) kubectl(t testing.TB, stdin string, args ...string) Output {
	t.Helper()
	return n.command(t, filepath.Join(n.cluster.programs, "kubectl"), stdin, args...)
}

// command runs a client of Kubernetes as the namespace's user.
func (n *Namespace) command(t testing.TB, program, stdin string, args ...string) Output {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = n.root
	// HOME: its cache stays out of the user's home.
	cmd.Env = append(os.Environ(), "KUBECONFIG="+n.config, "HOME="+n.cluster.dir)
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	begin := time.Now()
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		t.Fatalf("cannot run %s: %v", program, err)
	}
	return Output{
		Command: filepath.Base(program) + " " + strings.Join(args, " "),
		Stdout:  stdout.String(),
		Stderr:  stderr.String(),
		Code:    cmd.ProcessState.ExitCode(),
		Took:    time.Since(begin),
	}
}
