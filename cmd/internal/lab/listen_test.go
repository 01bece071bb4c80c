package lab

import (
	"errors"
	"net"
	"slices"
	"strconv"
	"syscall"
	"testing"
)

// hasIPv6 reports whether this machine has ::1.
func hasIPv6(t *testing.T) bool {
	t.Helper()
	listener, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		return false
	}
	listener.Close()
	return true
}

// Localhost is both addresses of this machine, with one port, and any other address is
// itself.
func TestListen(t *testing.T) {
	both := []string{"127.0.0.1"}
	if hasIPv6(t) {
		both = append(both, "::1")
	}
	for address, want := range map[string][]string{
		"localhost:0": both,
		"127.0.0.1:0": {"127.0.0.1"},
	} {
		listeners, err := Listen(address)
		if err != nil {
			t.Fatal(err)
		}
		var hosts []string
		ports := map[string]bool{}
		for _, listener := range listeners {
			defer listener.Close()
			host, port, err := net.SplitHostPort(listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			hosts = append(hosts, host)
			ports[port] = true
		}
		if !slices.Equal(hosts, want) || len(ports) != 1 || ports["0"] {
			t.Errorf("%s: at %v with the ports %v, want %v with one", address, hosts, ports, want)
		}
	}
	for _, address := range []string{"localhost", "localhost:nonsense", "localhost:-1", "localhost:65536"} {
		listeners, err := Listen(address)
		if err == nil {
			t.Errorf("%q: %v", address, listeners)
		}
	}
}

// A port that somebody holds at one of the addresses is not listened at with the other one
// alone, and the other one is free again.
func TestListenAtHeldPort(t *testing.T) {
	held, others := "127.0.0.1", []string{}
	if hasIPv6(t) {
		held, others = "::1", []string{"127.0.0.1"}
	}
	holder, err := net.Listen("tcp", net.JoinHostPort(held, "0"))
	if err != nil {
		t.Fatal(err)
	}
	defer holder.Close()
	port := strconv.Itoa(holder.Addr().(*net.TCPAddr).Port)
	listeners, err := Listen("localhost:" + port)
	for _, listener := range listeners {
		listener.Close()
	}
	if !errors.Is(err, syscall.EADDRINUSE) || len(listeners) > 0 {
		t.Errorf("%v, %v", listeners, err)
	}
	for _, host := range others {
		listener, err := net.Listen("tcp", net.JoinHostPort(host, port))
		if err != nil {
			t.Errorf("%s is held: %v", host, err)
			continue
		}
		listener.Close()
	}
}

// An address of IPv4 is not one of IPv6 too.
func TestListenAddresses(t *testing.T) {
	for address, want := range map[string]string{"0.0.0.0:0": "0.0.0.0", "127.0.0.1:0": "127.0.0.1"} {
		listeners, err := Listen(address)
		if err != nil || len(listeners) != 1 {
			t.Fatal(address, listeners, err)
		}
		if got := listeners[0].Addr().(*net.TCPAddr).IP.String(); got != want {
			t.Errorf("%s listens at %s", address, got)
		}
		listeners[0].Close()
	}
	for _, address := range []string{"localhost", "foo", "::1", "[::1]", "localhost:x", "localhost:99999", "127.0.0.1"} {
		const want = " is no address to serve at: write HOST:PORT, such as localhost:8080, with port 0 for any that is free"
		if _, err := Listen(address); err == nil || err.Error() != address+want {
			t.Errorf("%s: it says %v", address, err)
		}
	}
}
