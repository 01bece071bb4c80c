package lab

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"
)

// Listen listens at an address: for localhost at 127.0.0.1 and at ::1, where this machine
// has it, since somebody else could hold the other one and be asked in our place. At an
// address of IPv4 it does not listen on IPv6, which "tcp" would for 0.0.0.0.
func Listen(address string) ([]net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err == nil {
		_, err = net.LookupPort("tcp", port)
	}
	if err != nil {
		return nil, fmt.Errorf("%s is no address to serve at: write HOST:PORT, such as localhost:8080, with port 0 for any that is free", address)
	}
	if host != "localhost" {
		network := "tcp"
		if ip, err := netip.ParseAddr(host); err == nil && ip.Is4() {
			network = "tcp4"
		}
		listener, err := net.Listen(network, address)
		if err != nil {
			return nil, err
		}
		return []net.Listener{listener}, nil
	}
	const tries = 10 // of ports that are free at one of them alone
	for try := 1; ; try++ {
		first, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", port))
		if err != nil {
			return nil, err
		}
		second, err := net.Listen("tcp6", net.JoinHostPort("::1", fmt.Sprint(first.Addr().(*net.TCPAddr).Port)))
		switch {
		case err == nil:
			return []net.Listener{first, second}, nil
		case !errors.Is(err, syscall.EADDRINUSE):
			return []net.Listener{first}, nil // there is no ::1
		}
		first.Close()
		if port != "0" || try == tries {
			return nil, err
		}
	}
}
