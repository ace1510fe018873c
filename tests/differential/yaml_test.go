package differential

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

var (
	yamlKeys = []string{"a", "b", "nodeSelector", "google.com/tpu", "'q'", "\"d\"", "yes", "1", "? x", "null", "~",
		"<<", "é", "1.5", "0x10"}
	yamlScalars = []string{"x", "4", "-4", "+4", "0x10", "0o7", "010", "0b11", "1_000", "1.5", ".5", "5.", "1e3", "1e400",
		".inf", "-.INF", ".nan", "yes", "No", "on", "OFF", "y", "n", "true", "True", "~", "null", "Null", "",
		"'it''s'", "\"a\\n\\u00e9\\x41\"", "2x4", "2026-11-22", "2001-12-14t21:59:43.10-05:00", "1:30", "a: b",
		"!!str 4", "!!int \"4\"", "!!binary aGk=", "!!float 4", "!!bool \"yes\"", "!x y", "&n v", "*n", "- x", "#c", "x #c",
		"|\n  l1\n   l2\n", ">-\n  f1\n  f2\n", "[1, 2,]", "{k: v, k2}", "{\"a\":1}", "@x", "`x", "%x", "a\tb",
		"18446744073709551616", "9223372036854775808", "-9223372036854775809", "0777", "09", "190:20:30", "=", "\\"}
	yamlBytes = []string{" ", "\n", ":", "-", "#", "'", "\"", "[", "]", "{", "}", "&a ", "*a", "!", "|", ">", "%", "@", "\t",
		"\r\n", "\u0085", "\u2028", "\x00", "\xff", "?", ",", "  "}
)

func randomYAML(r *rand.Rand, indent string, depth int) string {
	var out strings.Builder
	for range 1 + r.IntN(4) {
		value := " " + pick(r, yamlScalars)
		if depth > 0 && r.IntN(3) == 0 {
			value = "\n" + randomYAML(r, indent+"  ", depth-1)
		} else if depth > 0 && r.IntN(4) == 0 {
			value = "\n" + indent + "- " + pick(r, yamlScalars) + "\n" + indent + "- " + pick(r, yamlScalars)
		}
		out.WriteString(indent + pick(r, yamlKeys) + ":" + value + "\n")
	}
	return out.String()
}

// One document each, since kubectl takes a text apart at lines of "---" before it reads it, and no byte order
// mark inside, which is text to Go and white space to libyaml.
//
// Documents that both read are the same to kubectl and to us. Where only one of the two reads it, the
// reason must be known.
func TestYAMLIsReadAsKubectlReadsIt(t *testing.T) {
	ours, r := newAnswers(t), dice(4)
	both := 0
	for range rounds(t, 20_000) {
		text := randomYAML(r, "", 2)
		if r.IntN(3) == 0 {
			text = spoil(r, text, yamlBytes)
		}
		theirs, err := yaml.YAMLToJSON([]byte(text))
		answer, ok := ours.of(t, "yaml", text)
		switch {
		case !ok && err != nil:
		case !ok:
			if !knownRefusal(answer) {
				t.Errorf("%q: we refuse it (%s), and kubectl reads %s", text, answer, theirs)
			}
		case err != nil:
			t.Errorf("%q: we read %s, and kubectl says %v", text, answer, err)
		default:
			var got []any
			var want any
			if err := json.Unmarshal([]byte(answer), &got); err != nil {
				t.Fatalf("%q: we wrote no JSON: %s", text, answer)
			}
			if err := json.Unmarshal(theirs, &want); err != nil {
				t.Fatal(err)
			}
			if len(got) != 1 {
				continue // kubectl reads the first of several documents here
			}
			both++
			if !reflect.DeepEqual(got[0], want) {
				t.Errorf("%q: ours %s, theirs %s", text, answer, theirs)
			}
		}
	}
	if both == 0 {
		t.Error("nothing was read by both")
	}
	t.Logf("%d read by both", both)
}

// What kubectl takes in silence, and we refuse: it would be judged as something else than was meant.
var knownRefusals = []string{
	"duplicate key",        // kubectl takes the last
	"a key cannot be null", // kubectl drops the member
	"while scanning a tag", "while parsing a tag",
	"found the tag",                          // kubectl drops unknown tags
	"which JSON cannot hold",                 // of a value that a later key hides
	"did not find expected <document start>", // kubectl reads what stands before it
	"a list or mapping cannot be a key",
}

func knownRefusal(answer string) bool {
	for _, known := range knownRefusals {
		if strings.Contains(answer, known) {
			return true
		}
	}
	return false
}
