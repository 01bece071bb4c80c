package lab

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"fairshare/cmd/internal/page"
	"fairshare/cmd/internal/report"
)

//go:embed lab.html lab.css lab.js pbs.js slurm.js
var assets embed.FS

// Server answers a browser, and nobody else: requests have to name the token that stands
// in its address, come to the address itself and from a page of it.
type Server struct {
	site  Site
	token string
	hosts []string      // names of this machine, besides localhost
	busy  chan struct{} // holds as many as are computing
	limit time.Duration // of a computation
}

// Bounds of requests.
const (
	maxBody      = 256 << 10 // bytes
	maxComputing = 2
	maxTime      = 20 * time.Second
)

// NewServer returns a server of a site's page. hosts are the names of this machine that it may be
// asked by, besides addresses and localhost.
func NewServer(site Site, hosts ...string) *Server {
	return &Server{site: site, token: rand.Text(), hosts: hosts, busy: make(chan struct{}, maxComputing), limit: maxTime}
}

// Path returns the path of the page, with the token.
func (s *Server) Path() string { return "/" + s.token + "/" }

// ServeHTTP implements http.Handler.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer") // the address has the token
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cache-Control", "no-store")
	switch {
	case !s.isOwnHost(r.Host):
		http.Error(w, "this address is not the lab's", http.StatusMisdirectedRequest)
		return
	case !isOwnPage(r):
		http.Error(w, "only the lab's own page may ask", http.StatusForbidden)
		return
	}
	token, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	if subtle.ConstantTimeCompare([]byte(token), []byte(s.token)) != 1 {
		http.NotFound(w, r)
		return
	}
	if r.URL.Path == "/"+s.token { // where relative addresses would lead elsewhere
		http.Redirect(w, r, s.Path(), http.StatusMovedPermanently)
		return
	}
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		s.get(w, r, rest)
		return
	}
	s.post(w, r, rest)
}

// isOwnHost reports whether a request was sent to an address of this server and not to a
// name that somebody has let point here: an IP address, localhost, or one of its names.
func (s *Server) isOwnHost(host string) bool {
	name, _, err := net.SplitHostPort(host)
	if err != nil {
		name = strings.Trim(host, "[]")
	}
	isOwn := func(own string) bool { return own != "" && strings.EqualFold(name, own) }
	return net.ParseIP(name) != nil || strings.EqualFold(name, "localhost") || slices.ContainsFunc(s.hosts, isOwn)
}

// isOwnPage reports whether a request does not come from a page of another site.
func isOwnPage(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && origin != "http://"+r.Host {
		return false
	}
	if r.Method == http.MethodGet && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
		return true // the page itself is opened, by whoever knows its address
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return false
}

// get hands out the page and what belongs to it.
func (s *Server) get(w http.ResponseWriter, r *http.Request, name string) {
	if id, ok := strings.CutPrefix(name, "report/"); ok {
		text := s.site.common().ReplayPage(id)
		if text == nil {
			http.NotFound(w, r)
			return
		}
		// A page that stands for itself, with its own script in it.
		w.Header().Set("Content-Security-Policy", "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		w.Write(text)
		return
	}
	var kind, text string
	switch name {
	case "":
		kind, text = "text/html", asset("lab.html")
	case "lab.css":
		kind, text = "text/css", page.Style()+asset("lab.css")
	case "lab.js":
		kind, text = "text/javascript", page.Helpers()+asset("lab.js")+asset("pbs.js")+asset("slurm.js")
	default:
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", kind+"; charset=utf-8")
	io.WriteString(w, text)
}

func asset(name string) string {
	text, err := assets.ReadFile(name)
	if err != nil {
		panic(err) // it is embedded
	}
	return string(text)
}

// post answers a question with JSON.
func (s *Server) post(w http.ResponseWriter, r *http.Request, name string) {
	if r.Method != http.MethodPost {
		w.Header().Set("Allow", "GET, POST")
		http.Error(w, "the lab answers GET and POST only", http.StatusMethodNotAllowed)
		return
	}
	if kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";"); strings.TrimSpace(kind) != "application/json" {
		http.Error(w, "a question has to be JSON, with that content type", http.StatusUnsupportedMediaType)
		return
	}
	var q Request
	body := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	body.DisallowUnknownFields()
	if err := body.Decode(&q); err != nil {
		var tooLarge *http.MaxBytesError
		if errors.As(err, &tooLarge) {
			http.Error(w, "the question is too long", http.StatusRequestEntityTooLarge)
			return
		}
		http.Error(w, "this is not a question: "+err.Error(), http.StatusBadRequest)
		return
	}
	if body.More() {
		http.Error(w, "the question is followed by something", http.StatusBadRequest)
		return
	}
	if name == "progress" || name == "cancel" { // which take no time, and wait for nobody
		value, err := s.answer(name, q)
		s.reply(w, r, value, err)
		return
	}
	ctx, stop := context.WithTimeout(r.Context(), s.limit)
	defer stop()
	select {
	case s.busy <- struct{}{}:
	case <-ctx.Done():
		http.Error(w, "too much is being computed", http.StatusServiceUnavailable)
		return
	}
	type result struct {
		value any
		err   error
	}
	done := make(chan result, 1)
	go func() { // which goes on where the time is over, and holds its place meanwhile
		got := result{err: ErrFault}
		defer func() {
			<-s.busy
			if what := recover(); what != nil { // one answer that cannot be computed is no reason to end
				s.site.common().fault(what, debug.Stack())
			}
			done <- got
		}()
		got.value, got.err = s.answer(name, q)
	}()
	select {
	case <-ctx.Done():
		http.Error(w, "this takes too long", http.StatusServiceUnavailable)
	case got := <-done:
		s.reply(w, r, got.value, got.err)
	}
}

// answer computes the answer to a question.
func (s *Server) answer(name string, q Request) (any, error) {
	c := s.site.common()
	switch name {
	case "replay":
		id, err := c.StartReplay(q.State)
		return map[string]string{"id": id}, err
	case "progress":
		return c.ReplayNow(q.ID)
	case "cancel":
		return struct{}{}, c.CancelReplay(q.ID)
	}
	return s.site.Answer(name, q)
}

// reply writes an answer.
func (s *Server) reply(w http.ResponseWriter, r *http.Request, value any, err error) {
	taken, isFile := value.(*Download)
	status := http.StatusUnprocessableEntity
	var none *NoJobError
	if errors.As(err, &none) {
		status = http.StatusNotFound
	}
	switch {
	case errors.Is(err, ErrUnknown):
		http.NotFound(w, r)
		return
	case errors.Is(err, ErrFault):
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	case err != nil:
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		report.WriteLine(w, map[string]string{"problem": err.Error()})
		return
	case isFile:
		w.Header().Set("Content-Type", taken.Type)
		w.Header().Set("Content-Disposition", `attachment; filename="`+taken.Name+`"`)
		w.Write(taken.Text)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	report.WriteLine(w, value)
}
