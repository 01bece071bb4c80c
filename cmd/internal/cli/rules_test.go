package cli

import (
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// Each name in the rules of a command is a flag or an argument of that command, and a value one that the flag can have.
func TestRulesAreOfFlags(t *testing.T) {
	parser, err := newParser(&commandLine{}, Config{})
	if err != nil {
		t.Fatal(err)
	}
	ruledOnes := 0
	for _, node := range parser.Model.Children {
		command, ok := node.Target.Addr().Interface().(ruleHolder)
		if !ok {
			continue
		}
		ruledOnes++
		known := map[string]*kong.Value{}
		for _, flags := range node.AllFlags(false) {
			for _, flag := range flags {
				known[flag.Name] = flag.Value
			}
		}
		for _, argument := range node.Positional {
			known[argument.Name] = argument
		}
		for _, r := range command.rules() {
			for _, text := range strings.Fields(r.of + " " + r.not + " " + r.needs) {
				name, value, isValue := strings.Cut(text, "=")
				if known[text] != nil { // such as name=value
					continue
				}
				switch of := known[name]; {
				case of == nil:
					t.Errorf("%s has no %s, of which a rule is: %s", node.Name, name, r.says)
				case isValue && of.Enum != "" && !slices.Contains(of.EnumSlice(), value):
					t.Errorf("--%s of %s is never %s, of which a rule is: %s", name, node.Name, value, r.says)
				}
			}
		}
	}
	if ruledOnes < 8 {
		t.Errorf("only %d commands have rules", ruledOnes)
	}
}
