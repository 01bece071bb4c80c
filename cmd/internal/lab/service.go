package lab

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"fairshare/cmd/internal/diag"
	"fairshare/cmd/internal/report"
)

// Service serves the page of a site.
type Service struct {
	Address string // of the page, with what lets people in
	Remarks []diag.Remark

	site      Site
	handler   http.Handler
	listeners []net.Listener
}

// NewService returns a site's page at listeners of a host.
func NewService(site Site, host string, listeners []net.Listener) *Service {
	own, _ := os.Hostname()
	handler := NewServer(site, host, own)
	v := &Service{site: site, handler: handler, listeners: listeners}
	at := listeners[0].Addr().(*net.TCPAddr)
	name := at.String() // the address and no name, which could mean another one
	if !at.IP.IsLoopback() {
		v.Remarks = append(v.Remarks, diag.Warningf("whoever can reach %s and has the address of the page can see the jobs", name))
		if at.IP.IsUnspecified() && own != "" {
			name = net.JoinHostPort(own, fmt.Sprint(at.Port))
		}
	}
	v.Address = "http://" + name + handler.Path()
	return v
}

// Run serves the page until the context ends. Faults are told where said goes.
func (v *Service) Run(ctx context.Context, said io.Writer) error {
	const header, idle, write = 10 * time.Second, 2 * time.Minute, time.Minute
	shared := &sharedLog{w: said}
	v.site.common().Fault = func(what any, stack []byte) {
		fmt.Fprintf(shared, "formula: error: this is a fault of the program: %v\n%s", what, stack)
	}
	server := &http.Server{
		ErrorLog: log.New(shared, "formula: note: ", 0),
		Handler:  v.handler, ReadHeaderTimeout: header, ReadTimeout: write, WriteTimeout: write, IdleTimeout: idle, MaxHeaderBytes: 16 << 10,
	}
	failed := make(chan error, len(v.listeners))
	for _, listener := range v.listeners {
		go func() { failed <- server.Serve(listener) }()
	}
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	v.site.common().End()
	const patience = 500 * time.Millisecond
	ending, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := server.Shutdown(ending); err != nil {
		return server.Close()
	}
	return nil
}

// sharedLog is where several goroutines write lines, as a terminal may see them.
type sharedLog struct {
	mutex sync.Mutex
	w     io.Writer
}

func (l *sharedLog) Write(text []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	guard := report.Guard{W: l.w}
	n, err := guard.Write(text)
	return n, errors.Join(err, guard.Close())
}
