package scenarios

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tpu-admission.io/e2e/harness"
)

// load asks for wrong and sound Pods by dry run, again and again, and counts the answers that are not
// what they ought to be. With failurePolicy Ignore that is how a failed request shows: the wrong Pod
// goes in, or the sound one is not patched.
type load struct {
	answers  atomic.Int64
	failures chan error
	stop     chan struct{}
	workers  sync.WaitGroup
}

// startLoad asks at the rate a second, spread over some connections, until end.
func startLoad(n *harness.Namespace, rate int) *load {
	const connections = 10
	l := &load{failures: make(chan error, 100), stop: make(chan struct{})}
	for worker := range connections {
		l.workers.Go(func() {
			ticker := time.NewTicker(time.Second * connections / time.Duration(rate))
			defer ticker.Stop()
			for turn := worker; ; turn++ {
				select {
				case <-l.stop:
					return
				case <-ticker.C:
					l.ask(n, turn)
				}
			}
		})
	}
	return l
}

func (l *load) ask(n *harness.Namespace, turn int) {
	question := wrongIsDenied
	if turn%2 == 0 {
		question = soundIsPatched
	}
	if err := question(n); err != nil {
		select {
		case l.failures <- fmt.Errorf("%s: %w", time.Now().Format("15:04:05.000"), err):
		default: // the first hundred say enough
		}
	}
	l.answers.Add(1)
}

// end returns the number of answers, and fails the test for each wrong one.
func (l *load) end(t *testing.T) int64 {
	t.Helper()
	close(l.stop)
	l.workers.Wait()
	close(l.failures)
	for err := range l.failures {
		t.Error(err)
	}
	return l.answers.Load()
}

// underLoad does the work while 100 requests a second are made, from a second before it to a second
// after it. None may fail or be answered wrongly.
func (i *installation) underLoad(what string, work func()) {
	i.Helper()
	passedOver := i.passedOver()
	l := startLoad(i.team, 100)
	time.Sleep(time.Second)
	begin := time.Now()
	work()
	took := time.Since(begin)
	time.Sleep(time.Second)
	answers := l.end(i.T)
	if got := i.passedOver() - passedOver; got != 0 {
		i.Errorf("the API server passed us over %v times", got)
	}
	if wanted := int64(50 * took.Seconds()); answers < wanted {
		i.Errorf("%d answers in %v: too few to show anything", answers, took)
	}
	i.Logf("%s: %d requests, none failed or answered wrongly, in %.1f s", what, answers, took.Seconds()+2)
}

// passedOver is how often the API server has got no answer and let an object in.
func (i *installation) passedOver() float64 {
	i.Helper()
	text, err := production.plane.Text("/metrics")
	if err != nil {
		i.Fatal(err)
	}
	return harness.SumMetric(text, "apiserver_admission_webhook_fail_open_count")
}

// Every server is replaced while requests come, through a balancer that knows of it a moment later.
func rollingRestartLosesNothing(t *testing.T, i *installation) {
	before := i.kubelet.Started("server")
	i.underLoad("rolling restart", func() {
		i.system.Succeed(t, "rollout", "restart", "deployment/tpu-admission")
		i.system.Succeed(t, "rollout", "status", "deployment/tpu-admission", "--timeout=90s")
		harness.Eventually(t, 30*time.Second, "the old servers to be gone", func() error {
			if pods := i.system.Pods(t); len(pods) != 2 {
				return fmt.Errorf("%d pods", len(pods))
			}
			return nil
		})
	})
	if got := i.kubelet.Started("server") - before; got != 2 {
		t.Errorf("%d servers were started, not 2", got)
	}
}

// A policy is read by the running servers: no restart, no request lost.
func policyOfValuesIsReloaded(t *testing.T, i *installation) {
	before := i.kubelet.Started("server")
	i.underLoad("reload of the policy", func() {
		begin := float64(time.Now().UnixMicro()) / 1e6
		i.helm("upgrade", "tpu-admission", chart, "--set", "policy.rules.TPU602=warn")
		harness.Eventually(t, 30*time.Second, "both servers to read it", func() error {
			for _, metrics := range i.kubelet.Metrics(t, "server") {
				if read := harness.SumMetric(metrics, "tpu_admission_config_last_reload_success_timestamp_seconds"); read < begin {
					return fmt.Errorf("one read it last at %.0f", read)
				}
			}
			return nil
		})
	})
	i.helm("upgrade", "tpu-admission", chart, "--set", "policy.rules.TPU101=warn")
	harness.Eventually(t, 30*time.Second, "the warning", func() error {
		if err := wrongIsDenied(i.team); err == nil {
			return errors.New("still denied")
		}
		return nil
	})
	if got := i.kubelet.Started("server"); got != before {
		t.Errorf("%d servers were started for a policy", got-before)
	}
	i.helm("rollback", "tpu-admission", "1")
	i.awaitDenial()
}
