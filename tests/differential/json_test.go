package differential

import (
	"bytes"
	stdjson "encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	kjson "sigs.k8s.io/json"
)

var (
	jsonKeys = []string{"containers", "Containers", "nodeSelector", "a", "", "é", "a\\u0062", "\\ud83d\\ude00",
		"google.com/tpu", "A"}
	jsonScalars = []string{"null", "true", "false", "0", "-0", "4", "-1", "4.0", "0.1", "1e3", "1E-7", "1e308",
		"1e309", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
		"-9223372036854775809", "18446744073709551616", "123456789012345678901234567890",
		`"4"`, `""`, `"é"`, `"\u00e9\n\/"`, `"\ud83d\ude00"`, `"\ud83d"`, `"\udc00x"`, "\"\xff\"", "\"\xed\xa0\x80\"",
		"\"\xf4\x90\x80\x80\"", "\"\t\"", "\"\x00\"", `"\u0000"`, `"\x"`, "01", "+1", ".5", "1.", "NaN", "Infinity",
		"'a'", "tru"}
	jsonBytes = []string{"{", "}", "[", "]", ",", ":", "\"", "\\", "0", "-", "e", ".", " ", "\n", "\x00", "\xff",
		"\ufeff", "/*x*/", "u", "null"}
)

func randomJSON(r *rand.Rand, depth int) string {
	space := pick(r, []string{"", "", "", " ", "\n\t"})
	switch roll := r.IntN(8); {
	case roll < 3 || depth == 0:
		return space + pick(r, jsonScalars) + space
	case roll < 5:
		var items []string
		for range r.IntN(4) {
			items = append(items, randomJSON(r, depth-1))
		}
		return space + "[" + strings.Join(items, ",") + "]" + space
	default:
		var members []string
		for range r.IntN(5) {
			members = append(members, fmt.Sprintf("\"%s\":%s", pick(r, jsonKeys), randomJSON(r, depth-1)))
		}
		return space + "{" + strings.Join(members, ",") + "}" + space
	}
}

// As the API server reads the body of a request: the last of duplicate keys, keys as they are
// written, whole numbers kept.
func apiServers(text string) (any, error) {
	var value any
	err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(text), &value)
	return value, err
}

// An escape that is half of a surrogate pair, if its other half is not there.
var surrogate = regexp.MustCompile(`\\u[dD][89a-fA-F][0-9a-fA-F]{2}`)

// Why we refuse what Go takes; "" if there is no good reason.
func goodReason(text string) string {
	switch {
	case !utf8.ValidString(text):
		return "Go puts U+FFFD in the place of bytes that are no UTF-8"
	case surrogate.MatchString(text):
		return "and in the place of half a surrogate pair"
	}
	return ""
}

// The same value. A whole number may be written with a fraction or an exponent, and beyond what an
// int64 holds nobody counts in units: both sides then hold the nearest float64 they find.
func same(a, b any) bool {
	switch a := a.(type) {
	case int64:
		if b, ok := b.(int64); ok {
			return a == b
		}
		return same(float64(a), b)
	case float64:
		if whole, ok := b.(int64); ok {
			b = float64(whole)
		}
		b, ok := b.(float64)
		return ok && math.Abs(a-b) <= 1e-15*math.Abs(a)
	case []any:
		b, ok := b.([]any)
		return ok && slices.EqualFunc(a, b, same)
	case map[string]any:
		b, ok := b.(map[string]any)
		return ok && maps.EqualFunc(a, b, same)
	}
	return a == b
}

// A number that no float64 holds: Go refuses the whole text, we read a number that fits nothing.
var tooLarge = regexp.MustCompile(`[0-9][eE]\+?[0-9]{3,}`)

// What we read is what the API server would store. What it would repair in silence (bytes that are
// no UTF-8, half a surrogate pair) we refuse, and nothing else.
func TestJSONIsReadAsTheAPIServerReadsIt(t *testing.T) {
	ours, r := newAnswers(t), dice(2)
	both, refusedByUs := 0, map[string]int{}
	for range rounds(t, 30_000) {
		text := randomJSON(r, 4)
		if r.IntN(4) == 0 {
			text = spoil(r, text, jsonBytes)
		}
		if strings.Contains(text, "managedFields") {
			continue
		}
		theirs, err := apiServers(text)
		answer, _ := ours.of(t, "json", text)
		switch {
		case answer == "-" && err != nil:
		case answer == "-":
			reason := goodReason(text)
			if reason == "" {
				t.Errorf("%q: we refuse it, and the API server reads %v", text, theirs)
			}
			refusedByUs[reason]++
		case err != nil:
			if !tooLarge.MatchString(text) {
				t.Errorf("%q: we read %s, and the API server says %v", text, answer, err)
			}
		default:
			both++
			got, err := apiServers(answer)
			if err != nil || !same(got, theirs) {
				t.Errorf("%q: ours %s, theirs %#v (%v)", text, answer, theirs, err)
			}
		}
	}
	if both == 0 || len(refusedByUs) == 0 {
		t.Errorf("the generator is too tame: %d read by both, refused by us alone: %v", both, refusedByUs)
	}
	t.Logf("%d read by both; refused by us alone: %v", both, refusedByUs)
}

// What Go writes, we read: an object that went through the API server never has what we refuse.
func TestWhatTheAPIServerWritesIsRead(t *testing.T) {
	ours, r := newAnswers(t), dice(3)
	for range rounds(t, 6_000) {
		theirs, err := apiServers(randomJSON(r, 4))
		if err != nil {
			continue
		}
		var written bytes.Buffer
		if err := stdjson.NewEncoder(&written).Encode(theirs); err != nil {
			t.Fatal(err)
		}
		answer, _ := ours.of(t, "json", written.String())
		if got, err := apiServers(answer); answer == "-" || err != nil || !same(got, theirs) {
			t.Errorf("%q: ours %s (%v)", written.String(), answer, err)
		}
	}
}
