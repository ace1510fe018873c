package harness

import (
	"strconv"
	"strings"
)

// SumMetric adds up the series of a family in Prometheus' text format that carry all the labels,
// each written as `key="value"`. A family without such a series is 0.
func SumMetric(text, family string, labels ...string) float64 {
	sum := 0.0
	for line := range strings.Lines(text) {
		series, value, ok := strings.Cut(strings.TrimSpace(line), "} ")
		if !ok {
			series, value, _ = strings.Cut(strings.TrimSpace(line), " ")
		}
		name, labelText, _ := strings.Cut(series, "{")
		if name == family && containsAll(labelText, labels) {
			number, _ := strconv.ParseFloat(value, 64)
			sum += number
		}
	}
	return sum
}

func containsAll(text string, parts []string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}
