package accounts

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/fstree"
)

const sshareHead = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare\n"

// TestErrors: which line, and what is wrong.
func TestErrors(t *testing.T) {
	tests := []struct {
		format     Format
		text, want string
	}{
		{Auto, "", "line 1: there is nothing in it"},
		{Auto, "x\n", "line 1: neither a table of sshare -a -l -P nor JSON"},
		{Auto, `{"nodes":[{"name":"bank"}]}`, `line 1: the kind of "bank" is "", neither "account" nor "user"`},
		{JSON, `{"nodes":[]`, "line 1: the JSON ends too early"},
		{JSON, `{"nodes":[], "nodes":[]}`, `line 1: no JSON: "nodes" occurs twice in an object`},
		{JSON, "{\"nodes\":[]}\n7", "line 2: something else follows the tree"},
		{JSON, "[{\"name\":\"u\",\"kind\":\"user\",\"parent\":\"root\",\"shares\":1,\"raw_usage\":1},\n{\"name\":\"u\",\"kind\":\"user\",\"parent\":\"root\",\"shares\":1,\"raw_usage\":1}]",
			`line 2: "u" occurs twice in its account`},
		{Flux, `{"root":{"bank":"r","usage":1},"root":{"bank":"r","usage":1}}`, `line 1: no JSON: "root" occurs twice in an object`},
		{Sshare, "Account|User\n", "line 1: no column RawShares: the table of sshare -a -l -P begins with Account|User|RawShares"},
		{Sshare, sshareHead, "line 1: the table has no association"},
		{Sshare, sshareHead + "root|||0|x||1|\n", `line 2: RawUsage "x" is not a number from 0 to 1e300`},
		{Sshare, sshareHead + "root|||0|1||1|\n a||many|0|1||1|\n", `line 3: RawShares "many" is not a number from 0 to 1e300`},
		{Sshare, sshareHead + "root|||0|1||1|\n   a||1|0|1||1|\n", `line 3: the indent of "a" fits no account above`},
		{Sshare, sshareHead + "root|||0|1||1|\n a|u|1|0|1||1|\n", `line 3: user "u" of account "a" stands under account "root"`},
		{Sshare, sshareHead + "root|||0|1||1|\nroot|||0|1||1|\n", `line 3: the indent of "root" fits no account above`},
		{Sshare, sshareHead + "root|||\n", "line 2: 4 columns, 5 are needed"},
		{Sshare, sshareHead + "|||0|1||1|\n", "line 2: neither an account nor a user is named"},
		{Sshare, sshareHead + "chem|ann|1|0.5|1||1|\n", "line 2: the table begins with a user, as that of sshare -U does: sshare -a -l -P prints the whole tree"},
		{Sshare, sshareHead + "root|||0|9||1|\n chem||2|0.4|9||1|\n  chem|ann|1|0.5|1||1|\n", "line 3: NormShares of chem are 0.400000, and by the RawShares of the rows beside it 1.000000: some rows lack, as where sshare is asked without -a"},
		{Auto, "{", "line 1: the JSON ends too early"},
		{JSON, "{\"nodes\":[\n{\"name\":}", "line 2: no JSON: missing value after object name"},
		{JSON, `{"case": 1}`, `line 1: there is no list of "nodes"`},
		{JSON, "[\n1]", "line 2: a node is an object with name, parent, kind, shares and raw_usage"},
		{JSON, "[{},\n{}]", "line 1: a node has no name"},
		{JSON, "[{\"name\":\"root\",\"kind\":\"account\",\"parent\":null},\n{\"name\":\"root\",\"kind\":\"account\"}]", "line 2: a second account root"},
		{JSON, "[\n{\"name\":\"a\",\"kind\":\"robot\"}]", `line 2: the kind of "a" is "robot", neither "account" nor "user"`},
		{JSON, "[\n{\"name\":\"a\",\"kind\":\"user\"}]", `line 2: "a" has no parent`},
		{JSON, "[\n{\"name\":\"a\",\"kind\":\"user\",\"parent\":\"root\"}]", `line 2: "a" has no shares`},
		{JSON, "[\n{\"name\":\"a\",\"kind\":\"user\",\"parent\":\"root\",\"shares\":1}]", `line 2: "a" has no raw_usage`},
		{JSON, "[\n{\"name\":\"a\",\"kind\":\"user\",\"parent\":\"root\",\"shares\":-1,\"raw_usage\":1}]", `line 2: shares "-1" is not a number from 0 to 1e300`},
		{JSON, "[\n{\"name\":\"a\",\"kind\":\"user\",\"parent\":\"b\",\"shares\":1,\"raw_usage\":1}]", "line 2: there is no account b"},
		{JSON, "[{\"name\":\"a\",\"kind\":\"account\",\"parent\":\"b\",\"shares\":1,\"raw_usage\":1},\n{\"name\":\"b\",\"kind\":\"account\",\"parent\":\"a\",\"shares\":1,\"raw_usage\":1}]",
			"line 1: a is in an account that is not below root"},
		{JSON, "[{\"name\":\"a\",\"kind\":\"account\",\"parent\":\"root\",\"shares\":1,\"raw_usage\":1},\n{\"name\":\"a\",\"kind\":\"account\",\"parent\":\"root\",\"shares\":1,\"raw_usage\":1}]",
			"line 2: a second account a"},
		{Flux, "[]", "line 1: the tree is a JSON object with a root"},
		{Flux, "{}", `line 1: there is no "root"`},
		{Flux, "{\"root\":\n{}}", `line 2: an object here has neither "bank" nor "username"`},
		{Flux, `{"root":{"username":"a","shares":1,"usage":1}}`, `line 1: the root is a bank, "a" is a user`},
		{Flux, "{\"root\":{\"bank\":\"r\",\"usage\":1,\"children\":[\n{\"bank\":\"a\",\"usage\":1}]}}", `line 2: "a" has no shares`},
		{Flux, "{\"root\":{\"bank\":\"r\",\"usage\":1,\"children\":[\n{\"bank\":\"a\",\"shares\":1}]}}", `line 2: "a" has no usage`},
		{Flux, "{\"root\":{\"bank\":\"r\",\"usage\":1,\"children\":[3]}}", "line 1: children may only be banks and users"},
		{Flux, "{\"root\":{\"bank\":\"r\",\"usage\":1,\"children\":3}}", `line 1: the children of "r" are no list`},
		{Flux, "{\"root\":{\"bank\":\"r\",\"bank\":\"s\"}}", `line 1: no JSON: "bank" occurs twice in an object`},
		{Flux, `{"root":{"bank":"r","username":"s"}}`, `line 1: "r" has a second name`},
		{Flux, `{"root":{"bank":"r","usage":1},"tree":{"root":{"bank":"r","usage":1}}}`, "line 1: a second tree"},
		{Flux, `{"root":{"bank":"r","usage":1,"children":[{"username":"u","shares":1,"usage":1,"children":[]}]}}`, `line 1: user "u" has children`},
	}
	for _, test := range tests {
		_, _, err := Parse(test.text, test.format)
		if err == nil || err.Error() != test.want {
			t.Errorf("%q: %v, want %s", test.text, err, test.want)
		}
	}
}

// TestDeep: trees may be deep, but not without bound.
func TestDeep(t *testing.T) {
	flux := func(depth int) string {
		return `{"root":{"bank":"r","shares":1,"usage":1` + strings.Repeat(`,"children":[{"bank":"b","shares":1,"usage":1`, depth) + strings.Repeat("}]", depth) + "}}"
	}
	a, format, err := Parse(flux(4000), Auto)
	if err != nil || format != Flux || a.Len() != 4001 {
		t.Fatal(format, err)
	}
	skipped := `{"other":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `,"nodes":[]}`
	if a, _, err = Parse(skipped, Auto); err != nil || a.Len() != 1 {
		t.Fatal(err)
	}
	if _, _, err := Parse(flux(1_000_000), Auto); err == nil || err.Error() != "line 1: no JSON: exceeded max depth" {
		t.Error(err)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(sshareHead + "root|||0|1||1|\n a||1|0|1||1|\n  a|u|parent|0|1||1|\n")
	f.Add(`{"root":{"bank":"r","shares":1,"usage":1,"children":[{"username":"u","shares":1,"usage":0}]}}`)
	f.Add(`{"nodes":[{"name":"a","parent":"root","kind":"account","shares":1,"raw_usage":1},{"name":"u","parent":"a","kind":"user","shares":"parent","raw_usage":1}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, format := range []Format{Auto, Sshare, Flux, JSON} {
			a, _, err := Parse(text, format)
			if err != nil {
				if problem := (*file.Problem)(nil); !errors.As(err, &problem) {
					t.Errorf("%T: %v", err, err)
				}
				continue
			}
			if n := len(slices.Collect(a.Preorder)); n != a.Len() {
				t.Errorf("%d of %d in order", n, a.Len())
			}
		}
	})
}

// Of the members of large accounts the one is found that occurs a second time, and no other.
func TestDistinct(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for round := range 100 {
		form := []string{"%d", "%04d"}[round%2] // the latter ascend
		list := []line{{Association: fstree.Association{Parent: -1}}}
		for i := range r.IntN(2000) {
			list = append(list, line{Association: fstree.Association{Parent: int32(r.IntN(2)), Name: fmt.Sprintf(form, i), User: i%2 == 0}, note: note{number: int32(i + 2)}})
		}
		if isSmall := len(list) < 100; !isSmall && ascends(listOf(list).nodes) != (round%2 == 1) {
			t.Fatalf("%d names that are written as %s ascend: %v", len(list), form, round%2 == 0)
		}
		if err := distinct(listOf(list)); err != nil {
			t.Fatal(err)
		}
		second := list[r.IntN(len(list))]
		second.number = -1
		if err := distinct(listOf(append(list, second))); err == nil || err.Line != int(second.number) {
			t.Fatalf("%v of %v", err, second)
		}
	}
}

// A number of few digits is what strconv makes of it.
func TestNumber(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 200_000 {
		text := make([]byte, r.IntN(19))
		for i := range text {
			text[i] = "0123456789012345678901234567890123456789..e-+"[r.IntN(45)]
		}
		got, wrong := number(string(text))
		want, err := strconv.ParseFloat(string(text), 64)
		if got != want || (wrong == nil) != (err == nil) {
			t.Fatalf("%s: %v %v, want %v %v", text, got, wrong, want, err)
		}
	}
}
