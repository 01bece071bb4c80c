package snapshot

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/workshop"
)

// Prints of one server are read together, whatever names of it they have, and those of two are refused, with both names.
func TestStrangers(t *testing.T) {
	const (
		jobs    = "Job Id: 7.alpha\n    Job_Name = a\n    job_state = R\n    server = alpha.site\n    exec_vnode = (n1:ncpus=1)\n\n"
		jobs2   = "Job Id: 9.beta\n    Job_Name = b\n    job_state = Q\n    server = beta.site\n\n"
		peered  = "Job Id: 9.beta\n    Job_Name = b\n    job_state = R\n    server = alpha.site\n    exec_vnode = (n1:ncpus=1)\n\n"
		dsv     = "Job Id: 9.beta|Job_Name=b|job_state=Q|server=beta|queue=workq\n"
		jobJSON = `{"timestamp":1772461500,"pbs_version":"23.06.06","pbs_server":"beta","Jobs":{"9.beta":{"Job_Name":"b","job_state":"Q","server":"beta"}}}`
		server  = "Server: alpha\n    server_state = Active\n    server_host = standby.site\n\n"
		server2 = "Server: beta\n    server_state = Active\n    server_host = beta.site\n\n"
		nodes   = "n1\n     Mom = n1\n     state = free\n     jobs = 7.alpha/0, 8.alpha/1\n     resources_available.ncpus = 4\n\n"
		nodes2  = "n1\n     Mom = n1\n     state = free\n     jobs = 9.beta/0\n     resources_available.ncpus = 4\n\n"
		many2   = nodes2 + "n2\n     Mom = n2\n     jobs = 10.beta/0\n\nn3\n     Mom = n3\n     jobs = 11[3].beta/0\n\n"
		vnodes  = `{"timestamp":1772461500,"pbs_version":"23.06.06","pbs_server":"beta","nodes":{"n1":{"Mom":"n1","resources_available":{"ncpus":4}}}}`
		isApart = " of the server "
	)
	for name, test := range map[string]struct {
		files   []string
		isApart bool
	}{
		"one server":                           {[]string{jobs, server, nodes}, false},
		"names of its hosts":                   {[]string{jobs, strings.ReplaceAll(server, "Server: alpha", "Server: ALPHA.site"), nodes}, false},
		"a job of another server":              {[]string{jobs + peered, server, nodes2}, false},
		"only jobs of another server":          {[]string{peered, server, many2}, false},
		"few jobs of vnodes":                   {[]string{jobs, nodes2}, false},
		"a list and a server":                  {[]string{jobs, server2}, true},
		"a server and a list":                  {[]string{server, dsv}, true},
		"two lists":                            {[]string{jobs, jobs2}, true},
		"a list as a text and another in JSON": {[]string{jobs, jobJSON}, true},
		"vnodes in JSON":                       {[]string{jobs, vnodes}, true},
		"vnodes in JSON, and a server":         {[]string{server, vnodes}, true},
		"vnodes with jobs":                     {[]string{jobs, many2}, true},
	} {
		files := map[string][]byte{}
		for i, text := range test.files {
			files["print"+string(rune('1'+i))] = []byte(text)
		}
		_, err := In(file.TreeOf("me", files))
		var apart *StrangersError
		if errors.As(err, &apart) != test.isApart || !test.isApart && err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if test.isApart && (strings.Count(err.Error(), isApart) != 2 || !strings.Contains(err.Error(), "alpha") || !strings.Contains(err.Error(), "beta")) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// What is looked for by words is what the patterns alone find, in recorded files and in texts of their parts.
func TestToldByWords(t *testing.T) {
	of := []struct {
		told
		plain *regexp.Regexp
	}{
		{ofServer, regexp.MustCompile(`(?m)^Server: (\S+)|^    server_host = (\S+)|"pbs_server": ?"([^"]+)"|"server_host": ?"([^"]+)"`)},
		{ofJobs, regexp.MustCompile(`(?m)^    server = (\S+)|\|server=([^|\s]+)|"pbs_server": ?"([^"]+)"|"server": ?"([^"]+)"`)},
		{idsThere, regexp.MustCompile(`(?:Job Id: |jobs = |[{\[,]\s*")\d+(?:\[\d*\])?\.([A-Za-z][\w.-]*)`)},
	}
	found := make([]int, len(of))
	hold := func(name, text string) {
		for i, of := range of {
			var got [][]string
			of.each("\n"+text, func(found []string) {
				found[0] = strings.TrimPrefix(found[0], "\n")
				got = append(got, found)
			})
			want := of.plain.FindAllStringSubmatch(text, -1)
			if !reflect.DeepEqual(got, want) {
				t.Fatalf("%s: words %q find %q, want %q", name, of.words, got, want)
			}
			found[i] += len(got)
		}
	}
	files := 0
	for _, folder := range []string{"scheduler", "replay", "slurm-json"} {
		err := filepath.WalkDir(workshop.Testdata(folder), func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.HasSuffix(name, ".tgz") {
				return err
			}
			if files++; !workshop.Among(files, 10) {
				return nil
			}
			text, err := os.ReadFile(name)
			if strings.HasSuffix(name, ".gz") {
				text = workshop.Unpacked(t, name)
			}
			hold(name, string(text[:min(len(text), 64<<10)]))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	recorded := slices.Clone(found)
	parts := []string{"Server: ", "    server_host = ", `"pbs_server":`, `"server_host":`, "    server = ", "|server=", `"server":`, "Job Id: 7.a", "jobs = 7.", `{"7.a`, `[ "7[3].`, "Job Id: ", "jobs = ", "{", "[", ",", `"`, `"`, " ", "\n", "\n", "7", "7[3]", ".", "a", "a.b", "é", "|", "\t", "]", "\r"}
	draws := rand.New(rand.NewPCG(1, 2))
	for range workshop.Part(50_000) {
		var text strings.Builder
		for range 1 + draws.IntN(12) {
			text.WriteString(parts[draws.IntN(len(parts))])
		}
		hold("parts", text.String())
	}
	for i := range found {
		if recorded[i] == 0 || found[i]-recorded[i] < 100 {
			t.Errorf("%q: %d found in recorded files and %d in all", of[i].words, recorded[i], found[i])
		}
	}
}
