package obfuscate

import (
	"path/filepath"
	"strings"
	"testing"

	"fairshare/cmd/internal/file"
	"fairshare/cmd/internal/flux/dump"
	"fairshare/cmd/internal/obfuscate"
	"fairshare/cmd/internal/workshop"
)

// A name gets through nowhere, in whatever field of whatever part of a recorded site it stands.
func TestSecrets(t *testing.T) {
	names, err := filepath.Glob("../../../../testdata/flux-site/*.tgz")
	if err != nil || len(names) < 5 {
		t.Fatalf("%d sites: %v", len(names), err)
	}
	const secret = "zqsecret"
	texts := 0
	for _, name := range names {
		for i, plant := range []func(value string) string{
			func(string) string { return secret },
			func(value string) string { return value + secret },
			func(value string) string { return secret + value },
			func(value string) string { return value + ":" + secret },
			func(value string) string { return value + "," + secret + "=" + secret },
		} {
			tree, err := file.OpenTree(name)
			if err != nil {
				t.Fatal(err)
			}
			d, err := dump.Find(tree)
			if err != nil {
				t.Fatal(err)
			}
			for k, p := range d.Parts {
				d.Parts[k].Text = workshop.ChangeJSON(t, p.Text, func(value string) string { texts++; return plant(value) })
			}
			hidden, err := Copy(d, obfuscate.Shift{})
			if err != nil {
				t.Fatal(err)
			}
			for _, p := range hidden.Parts {
				if at := strings.Index(p.Text, secret); at >= 0 {
					t.Errorf("%s: a secret planted in way %d gets through in %s: %q", filepath.Base(name), i, p.File(), p.Text[max(0, at-40):at+len(secret)])
				}
			}
		}
	}
	if texts < 10_000 {
		t.Errorf("only %d texts", texts)
	}
}
