package trace

import "testing"

// The hosts of an exec_host stand once each, in the order in which they come.
func TestHostsOf(t *testing.T) {
	for text, want := range map[string]struct {
		hosts string
		n     int
	}{
		"":                        {"", 0},
		"n1/0":                    {"n1", 1},
		"n1/0*8+n2/0*8":           {"n1,n2", 2},
		"n1/0+n1/1+n2/0+n1/2+n2":  {"n1,n2", 2},
		"n1/0-5,8+n2/0-5+n3/1+n1": {"n1,n2,n3", 3},
		"+/0+":                    {"", 0},
	} {
		if hosts, n := hostsOf([]byte(text)); string(hosts) != want.hosts || n != want.n {
			t.Errorf("%s: %s, %d, want %v", text, hosts, n, want)
		}
	}
}
