package lab

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"fairshare/cmd/internal/diag"
)

// testSite is a site that counts the letters of formulas.
type testSite struct {
	Common
	isBroken bool
	recent   Recent[*int]
}

// Answer implements Site.
func (s *testSite) Answer(name string, q Request) (any, error) {
	if name != "try" && name != "take" {
		return nil, ErrUnknown
	}
	letters, err := s.recent.Of(q.State, func() (*int, error) { return s.make(q.State) })
	if err == nil && name == "take" {
		return nil, diag.Requestf("there is no %s to take away", q.What)
	}
	return letters, err
}

func (s *testSite) make(of State) (*int, error) {
	var letters *int
	if !s.isBroken {
		letters = new(int)
	}
	*letters = len(of.Formula)
	return letters, nil
}

// serve serves a lab.
func serve(t *testing.T, l Site) (*Server, *httptest.Server) {
	s := NewServer(l, "localhost")
	served := httptest.NewServer(s)
	t.Cleanup(served.Close)
	return s, served
}

// attack sends a request and returns the status and the body.
func attack(t *testing.T, method, address, body string, header map[string]string) (int, string, http.Header) {
	t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	for name, value := range header {
		if name == "Host" {
			r.Host = value
			continue
		}
		r.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, _ := io.ReadAll(response.Body)
	return response.StatusCode, string(text), response.Header
}

// Only the page itself gets an answer.
func TestRefusals(t *testing.T) {
	s, served := serve(t, &testSite{})
	own := served.URL + s.Path()
	host := strings.TrimPrefix(served.URL, "http://")
	question := `{"formula":"ncpus","count":1}`
	for _, row := range []struct {
		name, method, address, body string
		header                      map[string]string
		want                        int
	}{
		{"the page", "GET", own, "", nil, 200},
		{"a question", "POST", own + "try", question, nil, 200},
		{"from the page", "POST", own + "try", question, map[string]string{"Origin": "http://" + host, "Sec-Fetch-Site": "same-origin"}, 200},
		{"by the name", "POST", own + "try", question, map[string]string{"Host": "localhost:1234"}, 200},
		{"without the token", "POST", served.URL + "/try", question, nil, 404},
		{"the root", "GET", served.URL + "/", "", nil, 404},
		{"with another token", "POST", served.URL + "/" + strings.Repeat("A", len(s.token)) + "/try", question, nil, 404},
		{"rebinding", "POST", own + "try", question, map[string]string{"Host": "evil.example:80"}, 421},
		{"rebinding, for the page", "GET", own, "", map[string]string{"Host": "localhost.evil.example"}, 421},
		{"from another site", "POST", own + "try", question, map[string]string{"Origin": "http://evil.example"}, 403},
		{"from another port", "POST", own + "try", question, map[string]string{"Origin": "http://localhost:1"}, 403},
		{"from nowhere", "POST", own + "try", question, map[string]string{"Origin": "null"}, 403},
		{"opened from elsewhere", "GET", own, "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document"}, 200},
		{"in a frame of another site", "GET", own, "", map[string]string{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe"}, 403},
		{"a link from another site", "GET", own, "", map[string]string{"Sec-Fetch-Site": "cross-site"}, 403},
		{"as a form", "POST", own + "try", "formula=ncpus", map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, 415},
		{"as plain text", "POST", own + "try", question, map[string]string{"Content-Type": "text/plain"}, 415},
		{"another method", "DELETE", own + "try", "", nil, 405},
		{"two questions", "POST", own + "try", question + question, nil, 400},
		{"control characters", "POST", own + "take", `{"what":"qmgr","settings":["bob.usage=1\nrm -rf /"]}`, nil, 422},
		{"no JSON", "POST", own + "try", "{", nil, 400},
		{"an unknown field", "POST", own + "try", `{"file":"/etc/passwd"}`, nil, 400},
		{"too long", "POST", own + "try", `{"formula":"` + strings.Repeat("1+", maxBody) + `1"}`, nil, 413},
		{"a formula that is too long", "POST", own + "try", `{"formula":"` + strings.Repeat("1+", maxFormula) + `1"}`, nil, 422},
		{"an unknown question", "POST", own + "read", `{}`, nil, 404},
		{"a file", "GET", own + "../../../../etc/passwd", "", nil, 404},
		{"its own source", "GET", own + "server.go", "", nil, 404},
		{"an unknown thing to take", "POST", own + "take", `{"what":"/etc/passwd"}`, nil, 422},
		{"no such replay", "GET", own + "report/1", "", nil, 404},
		{"no logs", "POST", own + "replay", question, nil, 422},
	} {
		status, text, header := attack(t, row.method, row.address, row.body, row.header)
		if status != row.want {
			t.Errorf("%s: %d %s, want %d", row.name, status, text, row.want)
		}
		if header.Get("Access-Control-Allow-Origin") != "" || header.Get("X-Content-Type-Options") != "nosniff" || !strings.Contains(header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: headers %v", row.name, header)
		}
		if strings.Contains(text, "root:") {
			t.Errorf("%s: a file was read", row.name)
		}
	}
}

// However many ask at once, few compute, and the rest are told in time.
func TestCrowd(t *testing.T) {
	s, served := serve(t, &testSite{})
	s.limit = 50 * time.Millisecond
	for range maxComputing {
		s.busy <- struct{}{} // somebody computes for ever
	}
	status, text, _ := attack(t, "POST", served.URL+s.Path()+"try", `{"formula":"ncpus"}`, nil)
	if status != http.StatusServiceUnavailable {
		t.Errorf("%d %s", status, text)
	}
	<-s.busy
	s.limit = maxTime
	if status, text, _ := attack(t, "POST", served.URL+s.Path()+"try", `{"formula":"ncpus"}`, nil); status != http.StatusOK {
		t.Errorf("with room again: %d %s", status, text)
	}
}
