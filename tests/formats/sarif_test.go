// What `check --output sarif` writes, held against the schema of SARIF 2.1.0 (which go-sarif carries), and
// its fixes applied as a reader of SARIF would.
package formats

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	_ "github.com/owenrumney/go-sarif/v3/pkg/report/v210/sarif"
	"github.com/xeipuuv/gojsonschema"
)

func check(t *testing.T, arguments ...string) []byte {
	t.Helper()
	command := exec.Command(os.Getenv("TPU_ADMISSION_BINARY"), append([]string{"check", "--no-project-file"}, arguments...)...)
	output, err := command.Output()
	var exit *exec.ExitError
	if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) && !strings.Contains(strings.Join(arguments, " "), "broken") {
		t.Fatalf("check %v: %v: %s", arguments, err, output)
	}
	return output
}

func root(parts ...string) string {
	return filepath.Join(append([]string{os.Getenv("TPU_ADMISSION_ROOT")}, parts...)...)
}

// schema is the one of SARIF 2.1.0, out of go-sarif's sources. (Its own Validate looks at what it would write
// itself, not at the text that it read.)
func schema(t *testing.T) gojsonschema.JSONLoader {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/owenrumney/go-sarif/v3").Output()
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(folder)), "pkg/report/v210/sarif/schema.go"))
	if err != nil {
		t.Fatal(err)
	}
	_, text, begun := strings.Cut(string(source), "const schema = `")
	text, _, ended := strings.Cut(text, "`")
	if !begun || !ended {
		t.Fatal("go-sarif has no schema where it was")
	}
	return gojsonschema.NewStringLoader(text)
}

type run struct {
	Results []struct {
		Level     string
		RuleIndex int
		Message   struct{ Text string }
		Locations []any
		Fixes     []fix
	}
}

type fix struct {
	Description     struct{ Text string }
	ArtifactChanges []struct {
		Replacements []struct {
			DeletedRegion   struct{ StartLine, StartColumn, EndLine, EndColumn int }
			InsertedContent struct{ Text string }
		}
	}
}

func read(t *testing.T, text []byte) run {
	t.Helper()
	result, err := gojsonschema.Validate(schema(t), gojsonschema.NewBytesLoader(text))
	if err != nil {
		t.Fatal(err)
	}
	for _, fault := range result.Errors() {
		t.Errorf("not as the schema of SARIF 2.1.0 says: %s", fault)
	}
	var log struct{ Runs []run }
	if err := json.Unmarshal(text, &log); err != nil || len(log.Runs) != 1 {
		t.Fatalf("%v, %d runs", err, len(log.Runs))
	}
	return log.Runs[0]
}

func TestTheSchemaRefuses(t *testing.T) {
	result, err := gojsonschema.Validate(schema(t), gojsonschema.NewStringLoader(`{"version": "2.1.0", "runs": [{"tools": 1}]}`))
	if err != nil || result.Valid() {
		t.Errorf("%v, or it takes anything", err)
	}
}

func TestEveryFindingIsAsTheSchemaSays(t *testing.T) {
	results := 0
	for _, result := range read(t, check(t, "--output", "sarif", root("src", "rules"), root("examples"))).Results {
		results++
		if len(result.Locations) == 0 || result.RuleIndex < 0 {
			t.Errorf("no place or no rule: %+v", result)
		}
	}
	if results < 100 {
		t.Errorf("only %d results", results)
	}
}

func TestNothingAndWhatIsBrokenAreAsTheSchemaSays(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "broken file #1.yaml")
	if err := os.WriteFile(broken, []byte("a: [\n---\na: 1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	read(t, check(t, "--output", "sarif", broken))
	read(t, check(t, "--output", "sarif", root("examples", "not-ours.yaml")))
}

// offset of a line and column, counted in code points from 1.
func offset(text []rune, line, column int) int {
	at := 0
	for ; line > 1; line-- {
		for text[at] != '\n' {
			at++
		}
		at++
	}
	return at + column - 1
}

func apply(text string, fix fix) string {
	runes := []rune(text)
	replacements := fix.ArtifactChanges[0].Replacements
	sort.SliceStable(replacements, func(i, j int) bool {
		a, b := replacements[i].DeletedRegion, replacements[j].DeletedRegion
		return offset(runes, a.StartLine, a.StartColumn) > offset(runes, b.StartLine, b.StartColumn)
	})
	for _, replacement := range replacements {
		region := replacement.DeletedRegion
		begin, end := offset(runes, region.StartLine, region.StartColumn), offset(runes, region.EndLine, region.EndColumn)
		inserted := []rune(replacement.InsertedContent.Text)
		runes = append(append(append([]rune{}, runes[:begin]...), inserted...), runes[end:]...)
	}
	return string(runes)
}

func TestAFixThatIsAppliedMends(t *testing.T) {
	source, err := os.ReadFile(root("examples", "wrong-job.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	text := "# größer\n" + string(source)
	file := filepath.Join(t.TempDir(), "job.yaml")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(text)
	fixes := read(t, check(t, "--output", "sarif", file)).Results[0].Fixes
	if len(fixes) < 2 {
		t.Fatalf("%d fixes", len(fixes))
	}
	for _, fix := range fixes {
		write(apply(text, fix))
		for _, result := range read(t, check(t, "--output", "sarif", file)).Results {
			if result.Level == "error" {
				t.Errorf("%s: still %s", fix.Description.Text, result.Message.Text)
			}
		}
	}
}
