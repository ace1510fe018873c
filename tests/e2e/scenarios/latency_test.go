package scenarios

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// What we add to the creation of a TPU Pod through the real API server: both webhooks, one after the
// other. Pods are made in two namespaces in turn, one of which the webhook leaves alone.
func latency(t *testing.T, i *installation) {
	const pairs = 1000
	defer i.straight()()
	// Both new: for 30 s after a namespace of the name was deleted, the API server reads the namespace
	// anew for each object in it, which costs as much as we do.
	judged, without := production.namespace(t, "judged"), production.namespace(t, "left-alone")
	pod := gated(soundPod)
	var with, base []float64
	waited, worked := i.waited(), i.worked()
	for range pairs {
		base = append(base, create(t, without.Create, pod))
		with = append(with, create(t, judged.Create, pod))
	}
	median := difference(with, base, 0.5)
	tail := difference(with, base, 0.99)
	t.Logf("%d Pods each: median %.2f ms with us, %.2f ms without: %.2f ms more (95 %% interval %.2f to %.2f)",
		pairs, quantile(with, 0.5), quantile(base, 0.5), median[0], median[1], median[2])
	t.Logf("99th percentile %.2f ms with us, %.2f ms without: %.2f ms more (95 %% interval %.2f to %.2f)",
		quantile(with, 0.99), quantile(base, 0.99), tail[0], tail[1], tail[2])
	t.Logf("of each Pod's time with us the API server waits %.2f ms for our two answers (mean), and we work %.3f ms on them",
		1000*(i.waited()-waited)/pairs, 1000*(i.worked()-worked)/pairs)
	if median[1] > 5 {
		t.Error("we add more than 5 ms")
	}
}

// waited is the time in seconds that the API server has spent on calls to us.
func (i *installation) waited() float64 {
	i.Helper()
	text, err := production.plane.Text("/metrics")
	if err != nil {
		i.Fatal(err)
	}
	return harness.SumMetric(text, "apiserver_admission_webhook_admission_duration_seconds_sum", `.tpu-admission.io"`)
}

// worked is the time in seconds that the servers have spent on reviews.
func (i *installation) worked() (seconds float64) {
	for _, text := range i.kubelet.Metrics(i.T, "server") {
		seconds += harness.SumMetric(text, "tpu_admission_request_duration_seconds_sum")
	}
	return seconds
}

// create returns how many milliseconds it took.
func create(t *testing.T, make func(object) error, pod object) float64 {
	t.Helper()
	begin := time.Now()
	if err := make(pod); err != nil {
		t.Fatal(err)
	}
	return float64(time.Since(begin).Microseconds()) / 1000
}

// difference of the quantiles, and the interval that holds 95 of 100 differences of random samples of
// the same values.
func difference(with, base []float64, q float64) [3]float64 {
	const samples = 500
	var found []float64
	for range samples {
		found = append(found, quantile(resampled(with), q)-quantile(resampled(base), q))
	}
	return [3]float64{quantile(with, q) - quantile(base, q), quantile(found, 0.025), quantile(found, 0.975)}
}

func resampled(values []float64) []float64 {
	sample := make([]float64, len(values))
	for i := range sample {
		sample[i] = values[rand.IntN(len(values))]
	}
	return sample
}

func quantile(values []float64, q float64) float64 {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[int(q*float64(len(sorted)-1))]
}
