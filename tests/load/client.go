package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// A review as the API server sends it, of a Pod with TPUs that is sound, or lacks its toleration, or
// asks for too few chips.
func review(chips int, tolerated bool) []byte {
	spec := map[string]any{
		"nodeSelector": map[string]any{"cloud.google.com/gke-tpu-accelerator": "tpu-v6e-slice",
			"cloud.google.com/gke-tpu-topology": "2x2"},
		"containers": []any{map[string]any{"name": "jax", "image": "example.com/jax",
			"resources": map[string]any{"limits": map[string]any{"google.com/tpu": chips}}}},
	}
	if tolerated {
		spec["tolerations"] = []any{map[string]any{"key": "google.com/tpu", "operator": "Exists"}}
	}
	annotations := map[string]any{}
	for i := range 40 {
		annotations[fmt.Sprintf("example.com/note-%d", i)] = strings.Repeat("n", 100)
	}
	text, _ := json.Marshal(map[string]any{"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview",
		"request": map[string]any{"uid": "6a1c7c2e-9c8f-4d57-9f3c-0a6e5b1c2d3e", "operation": "CREATE",
			"namespace": "research", "name": "p",
			"kind":     map[string]any{"group": "", "version": "v1", "kind": "Pod"},
			"resource": map[string]any{"group": "", "version": "v1", "resource": "pods"},
			"object": map[string]any{"apiVersion": "v1", "kind": "Pod",
				"metadata": map[string]any{"name": "p", "annotations": annotations}, "spec": spec}}})
	return text
}

var reviews = [][]byte{review(4, true), review(4, false), review(3, true)}

// A caller is one kept connection of an API server.
type caller struct {
	client *http.Client
	base   string
}

func newCaller(address string) *caller {
	return &caller{base: "https://" + address, client: &http.Client{Timeout: 10 * time.Second,
		Transport: &http.Transport{MaxConnsPerHost: 1, MaxIdleConnsPerHost: 1, IdleConnTimeout: 90 * time.Second,
			TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}}
}

// leave closes the connection; the next call makes another.
func (c *caller) leave() { c.client.CloseIdleConnections() }

func (c *caller) ask(path string, body []byte) error {
	response, err := c.client.Post(c.base+path, "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK || !bytes.Contains(answer, []byte(`"uid":"6a1c7c2e`)) {
		return fmt.Errorf("%s: %d %.200s", path, response.StatusCode, answer)
	}
	return nil
}

// tally counts what came of calls. Any goroutine.
type tally struct {
	answered atomic.Int64
	failed   atomic.Int64
	mutex    sync.Mutex
	errors   map[string]int
	waits    []time.Duration
}

func (t *tally) add(wait time.Duration, err error) {
	if err == nil {
		t.answered.Add(1)
	} else {
		t.failed.Add(1)
	}
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if err != nil {
		if t.errors == nil {
			t.errors = map[string]int{}
		}
		t.errors[err.Error()]++
	} else if len(t.waits) < 1_000_000 {
		t.waits = append(t.waits, wait)
	}
}

func (t *tally) percentile(share float64) time.Duration {
	t.mutex.Lock()
	defer t.mutex.Unlock()
	if len(t.waits) == 0 {
		return 0
	}
	sort.Slice(t.waits, func(i, j int) bool { return t.waits[i] < t.waits[j] })
	return t.waits[min(len(t.waits)-1, int(share*float64(len(t.waits))))]
}

// load calls over so many connections until the time is over: without pause, or so many times a
// second in all. One in `churn` calls leaves its connection (0: none does).
func load(address string, connections int, rate float64, churn int, length time.Duration, t *tally) {
	var wait sync.WaitGroup
	end := time.Now().Add(length)
	for i := range connections {
		wait.Add(1)
		go func() {
			defer wait.Done()
			c, r := newCaller(address), rand.New(rand.NewPCG(uint64(i), 7))
			defer c.leave()
			next := time.Now()
			for time.Now().Before(end) {
				if rate > 0 {
					next = next.Add(time.Duration(float64(connections) / rate * float64(time.Second)))
					time.Sleep(time.Until(next))
				}
				start := time.Now()
				err := c.ask([]string{"/validate", "/mutate"}[r.IntN(2)], reviews[r.IntN(len(reviews))])
				t.add(time.Since(start), err)
				if churn > 0 && r.IntN(churn) == 0 {
					c.leave()
				}
			}
		}()
	}
	wait.Wait()
}

// hostile does one thing that no API server does. What comes of it is nobody's concern, as long as it
// harms no other call.
func hostile(address string, r *rand.Rand) {
	plain, err := net.DialTimeout("tcp", address, 5*time.Second)
	if err != nil {
		return
	}
	defer plain.Close()
	plain.SetDeadline(time.Now().Add(15 * time.Second))
	if r.IntN(4) == 0 {
		garbage := make([]byte, r.IntN(500))
		for i := range garbage {
			garbage[i] = byte(r.Uint32())
		}
		plain.Write(garbage)
		return
	}
	peer := tls.Client(plain, &tls.Config{InsecureSkipVerify: true})
	head := "POST /validate HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
	pod := `{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{"uid":"u","operation":"CREATE",` +
		`"kind":{"group":"","version":"v1","kind":"Pod"},"object":{"spec":{"tolerations":[` +
		strings.Repeat(`{"key":"google.com/tpu"},`, 20_000) + `{}],"containers":[{"resources":{"limits":{"google.com/tpu":4}}}]}}}}`
	full := func(body string) string { return fmt.Sprintf("%sContent-Length: %d\r\n\r\n%s", head, len(body), body) }
	texts := []string{
		head + "Content-Length: 7000000\r\n\r\n{",
		head + "Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
		full(pod),
		full(strings.Repeat("[", 500_000)),
		full(`{"a":` + strings.Repeat("[],", 100_000) + `}`),
		"GET /" + strings.Repeat("x", 20_000) + " HTTP/1.1\r\n\r\n",
		full(string(reviews[0]))[:300],
	}
	if _, err := io.WriteString(peer, texts[r.IntN(len(texts))]); err != nil || r.IntN(2) == 0 {
		return // it leaves at once
	}
	if r.IntN(4) == 0 {
		time.Sleep(time.Duration(r.IntN(12)) * time.Second) // or holds on
		return
	}
	http.ReadResponse(bufio.NewReader(peer), nil)
}
