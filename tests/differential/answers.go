// Package differential holds what we read and write against the Go code of Kubernetes that reads and
// writes the same: the generators are deterministic, so that a difference can be seen again.
package differential

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// Answers is our side: the program DIFFERENTIAL_ANSWERS, asked one question after the other.
type Answers struct {
	stdin io.WriteCloser
	lines *bufio.Reader
}

func newAnswers(t *testing.T) *Answers {
	t.Helper()
	cmd := exec.Command(os.Getenv("DIFFERENTIAL_ANSWERS"))
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("DIFFERENTIAL_ANSWERS: %v", err)
	}
	t.Cleanup(func() {
		stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("our side ended: %v", err)
		}
	})
	return &Answers{stdin: stdin, lines: bufio.NewReaderSize(stdout, 1<<20)}
}

// of asks what we make of the input; false: it is refused, and the text may say why.
func (a *Answers) of(t *testing.T, kind, input string) (string, bool) {
	t.Helper()
	if _, err := fmt.Fprintf(a.stdin, "%s %d\n%s", kind, len(input), input); err != nil {
		t.Fatalf("%s %q: %v", kind, input, err)
	}
	line, err := a.lines.ReadString('\n')
	if err != nil {
		t.Fatalf("%s %q: %v", kind, input, err)
	}
	line = strings.TrimSuffix(line, "\n")
	return line, !strings.HasPrefix(line, "-") || kind == "json" && line != "-"
}

// How many inputs are made of each kind; DIFFERENTIAL_ROUNDS changes it.
func rounds(t *testing.T, usual int) int {
	t.Helper()
	if text := os.Getenv("DIFFERENTIAL_ROUNDS"); text != "" {
		if _, err := fmt.Sscan(text, &usual); err != nil {
			t.Fatal(err)
		}
	}
	return usual
}

func dice(seed uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, 11)) }

func pick[T any](r *rand.Rand, items []T) T { return items[r.IntN(len(items))] }

// spoil changes a few bytes: what is nearly right is where readers differ.
func spoil(r *rand.Rand, text string, bytes []string) string {
	for range 1 + r.IntN(3) {
		if len(text) == 0 {
			return pick(r, bytes)
		}
		at := r.IntN(len(text))
		switch r.IntN(4) {
		case 0:
			text = text[:at] + text[at+1:]
		case 1:
			text = text[:at] + pick(r, bytes) + text[at:]
		case 2:
			text = text[:at] + pick(r, bytes) + text[at+1:]
		default:
			end := at + r.IntN(len(text)-at)
			text = text[:end] + text[at:end] + text[end:]
		}
	}
	return text
}
