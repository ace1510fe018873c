package harness

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// Balancer stands for the cluster's network in front of a Service: it sends each connection to one of
// the ready pods, and leaves connections alone once they are open.
type Balancer struct {
	listener net.Listener
	backends func() []string
}

// StartBalancer listens on a free port of 127.0.0.1 until the test ends.
func StartBalancer(t testing.TB, port int, backends func() []string) *Balancer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	b := &Balancer{listener, backends}
	t.Cleanup(func() { listener.Close() })
	go b.accept(port)
	return b
}

// Port is where it listens.
func (b *Balancer) Port() int { return b.listener.Addr().(*net.TCPAddr).Port }

func (b *Balancer) accept(port int) {
	for turn := 0; ; turn++ {
		client, err := b.listener.Accept()
		if err != nil {
			return
		}
		go b.carry(client, turn, port)
	}
}

func (b *Balancer) carry(client net.Conn, turn, port int) {
	defer client.Close()
	ready := b.backends()
	if len(ready) == 0 {
		return // nobody is there: a refused connection, nearly
	}
	server, err := net.DialTimeout("tcp", fmt.Sprintf("%s:%d", ready[turn%len(ready)], port), time.Second)
	if err != nil {
		return
	}
	defer server.Close()
	done := make(chan struct{}, 2)
	copy := func(to, from net.Conn) {
		io.Copy(to, from)
		to.(*net.TCPConn).CloseWrite()
		done <- struct{}{}
	}
	go copy(server, client)
	go copy(client, server)
	<-done
	<-done
}
