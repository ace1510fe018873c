package main

import (
	"bufio"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A server is the real program, with a certificate and a policy that can be changed under it.
type server struct {
	cmd             *exec.Cmd
	dir             string
	secure, metrics string // host:port
	certificates    int64
	policies        int
}

func startServer(binary string, threads int) (*server, error) {
	dir, err := os.MkdirTemp("", "load")
	if err != nil {
		return nil, err
	}
	s := &server{dir: dir}
	if err := s.newCertificate(); err != nil {
		return nil, err
	}
	if err := s.newPolicy(); err != nil {
		return nil, err
	}
	log, err := os.Create(filepath.Join(dir, "log"))
	if err != nil {
		return nil, err
	}
	s.cmd = exec.Command(binary, "serve", "--bind-address", "127.0.0.1", "--secure-port", "0", "--metrics-port", "0",
		"--tls-cert-file", filepath.Join(dir, "tls.crt"), "--tls-private-key-file", filepath.Join(dir, "tls.key"),
		"--policy", filepath.Join(dir, "policy.yaml"), "--threads", strconv.Itoa(threads), "--shutdown-delay", "0s")
	s.cmd.Stdout, s.cmd.Stderr = log, log
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	return s, s.findPorts(log.Name())
}

var portNames = regexp.MustCompile(`"(secure|metrics)_port":"(\d+)"`)

// findPorts waits until the log says which ports were taken.
func (s *server) findPorts(log string) error {
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		text, _ := os.ReadFile(log)
		for _, match := range portNames.FindAllStringSubmatch(string(text), -1) {
			if match[1] == "secure" {
				s.secure = "127.0.0.1:" + match[2]
			} else {
				s.metrics = "127.0.0.1:" + match[2]
			}
		}
		if s.secure != "" && s.metrics != "" {
			return nil
		}
	}
	text, _ := os.ReadFile(log)
	return fmt.Errorf("the server did not start: %s", text)
}

// stop ends the server as a kubelet does, and says whether it went within its time.
func (s *server) stop() error {
	defer os.RemoveAll(s.dir)
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- s.cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(30 * time.Second):
		s.cmd.Process.Kill()
		return fmt.Errorf("it did not end within 30 s")
	}
}

// write puts a file in its place at once, as a mounted Secret's are.
func (s *server) write(name string, content []byte) error {
	next := filepath.Join(s.dir, name+".next")
	if err := os.WriteFile(next, content, 0o600); err != nil {
		return err
	}
	return os.Rename(next, filepath.Join(s.dir, name))
}

// newCertificate writes another pair; in between the two do not belong together.
func (s *server) newCertificate() error {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	s.certificates++
	now := time.Now()
	template := &x509.Certificate{SerialNumber: big.NewInt(s.certificates), Subject: pkix.Name{CommonName: "load"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour), DNSNames: []string{"localhost"}}
	der, err := x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key)
	if err != nil {
		return err
	}
	private, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return err
	}
	if err := s.write("tls.crt", pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})); err != nil {
		return err
	}
	return s.write("tls.key", pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private}))
}

// newPolicy writes another policy; every fifth is broken.
func (s *server) newPolicy() error {
	s.policies++
	text := fmt.Sprintf("# %d\nrules: {TPU405: %s}\n", s.policies, []string{"warn", "audit"}[s.policies%2])
	if s.policies > 1 && s.policies%5 == 0 {
		text = "rules: [\n"
	}
	return s.write("policy.yaml", []byte(text))
}

// sample is what the kernel says of the process.
type sample struct {
	minutes     float64
	memoryKiB   float64
	descriptors float64
}

func (s *server) sample(since time.Time) (sample, error) {
	taken := sample{minutes: time.Since(since).Minutes()}
	proc := fmt.Sprintf("/proc/%d", s.cmd.Process.Pid)
	status, err := os.Open(proc + "/status")
	if err != nil {
		return taken, err
	}
	defer status.Close()
	for lines := bufio.NewScanner(status); lines.Scan(); {
		if rest, found := strings.CutPrefix(lines.Text(), "VmRSS:"); found {
			fmt.Sscan(rest, &taken.memoryKiB)
		}
	}
	descriptors, err := os.ReadDir(proc + "/fd")
	taken.descriptors = float64(len(descriptors))
	return taken, err
}
