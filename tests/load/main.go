// Load holds the real program against more than it should ever see, on loopback, and prints what
// becomes of it. ./dev soak and ./dev overload call it; clients and server share the machine.
//
//	load soak      half of what it can answer, with churn, hostile peers, reloads and new certificates
//	load overload  ten times the connections that saturate it
package main

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"sync"
	"time"
)

var (
	binary  = flag.String("binary", "", "the program")
	threads = flag.Int("threads", 2, "of the server")
	minutes = flag.Float64("minutes", 60, "of a soak")
	seconds = flag.Float64("seconds", 10, "of each measurement of an overload")
	smoke   = flag.Bool("smoke", false, "judge answers only, not figures: for busy machines")
)

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "load soak|overload --binary FILE")
		os.Exit(2)
	}
	command := os.Args[1]
	flag.CommandLine.Parse(os.Args[2:])
	s, err := startServer(*binary, *threads)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	faults := map[string]func(*server) []string{"soak": soak, "overload": overload}[command](s)
	if err := s.stop(); err != nil {
		faults = append(faults, "SIGINT: "+err.Error())
	}
	for _, fault := range faults {
		fmt.Println("FAULT:", fault)
	}
	failed := min(1, len(faults))
	fmt.Printf("%s: %d passed, %d failed\n", command, 1-failed, failed)
	os.Exit(failed)
}

// goodput is how many calls a second are answered over so many connections.
func goodput(s *server, connections int, length time.Duration, t *tally) float64 {
	start := time.Now()
	load(s.secure, connections, 0, 0, length, t)
	return float64(t.answered.Load()) / time.Since(start).Seconds()
}

// A point is the mean of neighbouring samples.
type point struct{ x, y float64 }

// means has a point for each of at most so many groups of neighbours. Memory stays for minutes where an allocator
// has put it, so that single samples repeat each other, and many of them would pass for certainty.
func means(samples []sample, value func(sample) float64, groups int) []point {
	groups = min(groups, len(samples))
	points := make([]point, groups)
	for i := range points {
		group := samples[i*len(samples)/groups : (i+1)*len(samples)/groups]
		for _, each := range group {
			points[i].x += each.minutes / float64(len(group))
			points[i].y += value(each) / float64(len(group))
		}
	}
	return points
}

// slope fits a line through the points: its rise, and the standard error of that.
func slope(points []point) (float64, float64) {
	n, sumX, sumY := float64(len(points)), 0.0, 0.0
	for _, each := range points {
		sumX, sumY = sumX+each.x, sumY+each.y
	}
	meanX, meanY := sumX/n, sumY/n
	var xx, xy, rest float64
	for _, each := range points {
		xx += (each.x - meanX) * (each.x - meanX)
		xy += (each.x - meanX) * (each.y - meanY)
	}
	rise := xy / xx
	for _, each := range points {
		off := each.y - meanY - rise*(each.x-meanX)
		rest += off * off
	}
	return rise, math.Sqrt(rest / math.Max(1, n-2) / xx)
}

func soak(s *server) []string {
	length := time.Duration(*minutes * float64(time.Minute))
	var warm tally
	capacity := goodput(s, 32, min(5*time.Second, length/4), &warm)
	rate := capacity / 2
	fmt.Printf("capacity %.0f calls/s over 32 connections; soaking at %.0f for %v\n", capacity, rate, length)

	var t tally
	var samples []sample
	start, stop := time.Now(), make(chan struct{})
	var others sync.WaitGroup
	every := func(pause time.Duration, do func()) {
		others.Go(func() {
			for ticker := time.NewTicker(pause); ; {
				select {
				case <-stop:
					ticker.Stop()
					return
				case <-ticker.C:
					do()
				}
			}
		})
	}
	faults := []string{}
	every(time.Second, func() { s.newPolicy() })
	every(10*time.Second, func() { s.newCertificate() })
	every(max(time.Second, length/200), func() {
		if taken, err := s.sample(start); err == nil {
			samples = append(samples, taken)
		}
	})
	attacks := rand.New(rand.NewPCG(1, 2))
	slots := make(chan struct{}, 100)
	every(20*time.Millisecond, func() { // 50 a second, and at most 100 at once
		select {
		case slots <- struct{}{}:
			r := rand.New(rand.NewPCG(attacks.Uint64(), 3))
			others.Go(func() {
				hostile(s.secure, r)
				<-slots
			})
		default:
		}
	})
	load(s.secure, 64, rate, 100, length, &t)
	close(stop)
	others.Wait()

	took := time.Since(start).Seconds()
	fmt.Printf("%d answered (%.0f/s), %d failed; p50 %v, p99 %v; %d policies, %d certificates\n", t.answered.Load(),
		float64(t.answered.Load())/took, t.failed.Load(), t.percentile(0.5).Round(time.Microsecond),
		t.percentile(0.99).Round(time.Microsecond), s.policies, s.certificates)
	for text, count := range t.errors {
		faults = append(faults, fmt.Sprintf("%d times: %s", count, text))
	}
	settled := samples[len(samples)/5:] // the first fifth warms up
	if len(settled) < 5 {
		return append(faults, "too short to see anything: no samples")
	}
	figure := func(name string, value func(sample) float64) {
		rise, noise := slope(means(settled, value, 12))
		fmt.Printf("%s: %.0f at first, %.0f at last, %+.2f a minute (standard error %.2f)\n", name,
			value(settled[0]), value(settled[len(settled)-1]), rise, noise)
		allowed := 3*noise + 0.0001*value(settled[0])
		if !*smoke && rise > allowed {
			faults = append(faults, fmt.Sprintf("%s: rises by more than noise (%.2f)", name, allowed))
		}
	}
	figure("resident memory, KiB", func(each sample) float64 { return each.memoryKiB })
	figure("descriptors", func(each sample) float64 { return each.descriptors })
	return faults
}

func overload(s *server) []string {
	length := time.Duration(*seconds * float64(time.Second))
	peak, saturating := 0.0, 0
	for _, connections := range []int{1, 2, 4, 8, 16, 32, 64} {
		var t tally
		now := goodput(s, connections, length, &t)
		fmt.Printf("%4d connections: %6.0f answered/s, p99 %v\n", connections, now, t.percentile(0.99).Round(time.Microsecond))
		if now > peak*1.05 {
			saturating = connections
		}
		peak = max(peak, now)
	}
	var flood, canary tally
	done := make(chan struct{})
	go func() {
		defer close(done)
		load(s.secure, 1, 20, 0, length, &canary)
	}()
	over := goodput(s, 10*saturating, length, &flood)
	<-done
	p99 := canary.percentile(0.99)
	fmt.Printf("%4d connections: %6.0f answered/s, %.0f %% of the peak; a canary's p99 %v\n", 10*saturating, over,
		100*over/peak, p99.Round(time.Microsecond))
	faults := []string{}
	if canary.failed.Load()+flood.failed.Load() > 0 {
		faults = append(faults, fmt.Sprintf("failed: %v %v", canary.errors, flood.errors))
	}
	if !*smoke && over < 0.8*peak {
		faults = append(faults, "goodput is below 80 % of the peak")
	}
	if !*smoke && p99 > 300*time.Millisecond { // a tenth of the webhook's timeout
		faults = append(faults, "the canary waits for more than 300 ms")
	}
	return faults
}
