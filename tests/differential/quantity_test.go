package differential

import (
	"math"
	"math/big"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"gopkg.in/inf.v0"
	"k8s.io/apimachinery/pkg/api/resource"
)

var (
	quantitySuffixes = []string{"", "", "", "m", "u", "n", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi",
		"Ti", "Pi", "Ei", "e3", "E3", "e-3", "E-9", "e+2", "e0", "K", "mi", "kk", " ", "e", "E+", "i"}
	quantityNumbers = []string{"0", "1", "4", "00", "007", "999", "1000", "1024", "9223372036854775807",
		"9223372036854775808", "9223372036854775", "9007199254740993", "18446744073709551616",
		"79228162514264337593543950336", "8192", "1048576", "123456789", "5"}
	quantityBytes = []string{"0", "1", "9", ".", "+", "-", "e", "E", "m", "k", "i", "K", "M", "G", " ", "\t",
		"\n", "_", ",", "x", "\x00", "\xff", "٣"}
)

var largeExponent = regexp.MustCompile(`[eE][+-]?[0-9]{4,}`)

// A magnitude past this is held there (Quantity): 8 * 10^28, more than any cluster has of anything.
var largest = inf.NewDec(8, -28)

func randomQuantity(r *rand.Rand) string {
	text := pick(r, []string{"", "", "", "-", "+", "--"}) + pick(r, quantityNumbers)
	if r.IntN(3) == 0 {
		text += "." + pick(r, []string{"", "0", "5", "1", "001", "0000000001", "9999999999", "123456789"})
	}
	text += pick(r, quantitySuffixes)
	if r.IntN(4) == 0 {
		text = spoil(r, text, quantityBytes)
	}
	return text
}

// What Kubernetes takes for thousandths, without what is less than one, and held to what an int64 holds.
func millis(q resource.Quantity) string {
	scaled := new(inf.Dec).Round(new(inf.Dec).Mul(q.AsDec(), inf.NewDec(1000, 0)), 0, inf.RoundDown)
	whole := scaled.UnscaledBig()
	switch {
	case whole.Cmp(big.NewInt(math.MaxInt64)) > 0:
		return strconv.FormatInt(math.MaxInt64, 10)
	case whole.Cmp(big.NewInt(math.MinInt64)) < 0:
		return strconv.FormatInt(math.MinInt64, 10)
	}
	return whole.String()
}

// The number, if it is whole and fits an int64.
func integer(q resource.Quantity) string {
	rounded := new(inf.Dec).Round(q.AsDec(), 0, inf.RoundFloor)
	if rounded.Cmp(q.AsDec()) != 0 || !rounded.UnscaledBig().IsInt64() {
		return "no"
	}
	return rounded.UnscaledBig().String()
}

// Quantities are read as Kubernetes reads them: the same are refused, and the others are the same
// number.
func TestQuantitiesAreThoseOfKubernetes(t *testing.T) {
	ours, r := newAnswers(t), dice(1)
	accepted := 0
	for range rounds(t, 20_000) {
		text := randomQuantity(r)
		if len(text) > 128 || largeExponent.MatchString(text) {
			continue // by design: the longest text that is read; and what takes Go minutes
		}
		theirs, err := resource.ParseQuantity(text)
		answer, ok := ours.of(t, "quantity", text)
		answer, ok = answer, answer != "-"
		if ok != (err == nil) {
			t.Errorf("%q: ours %q, theirs %v %v", text, answer, theirs.AsDec(), err)
			continue
		}
		if !ok {
			continue
		}
		accepted++
		fields := strings.SplitN(answer, " ", 3)
		want, wantMillis := integer(theirs), millis(theirs)
		if fields[0] != want || fields[1] != wantMillis {
			t.Errorf("%q: ours %q, theirs %s, %s thousandths", text, answer, want, wantMillis)
		}
		if new(inf.Dec).Abs(theirs.AsDec()).Cmp(largest) > 0 {
			continue // held at the largest
		}
		// What we show of it is the same number to Kubernetes.
		if shown, err := resource.ParseQuantity(fields[2]); err != nil || shown.Cmp(theirs) != 0 {
			t.Errorf("%q is shown as %q, which is %v (%v)", text, fields[2], shown.AsDec(), err)
		}
	}
	if accepted == 0 {
		t.Error("nothing was accepted by both")
	}
}
