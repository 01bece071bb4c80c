package cluster

import (
	"errors"
	"strings"
	"testing"
)

func TestForms(t *testing.T) {
	json := `{"timestamp":1,"more":{"nodes":{}},"nodes":{"n2":{"state":"free","resources_available":{"ncpus":4,"mem":"2gb"}},"n1":{"state":"free","jobs":["1","2"],"resources_available":{"ncpus":2}}}}`
	dsv := "Name=n2|state=free|resources_available.ncpus=4|resources_available.mem=2gb\nName=n1|state=free|resources_available.ncpus=2\n"
	text := "n2\n     state = free\n     resources_available.ncpus = 4\n     resources_available.mem = 2gb\n\nn1\n     state = free\n     resources_available.ncpus = 2\n"
	for _, form := range []string{json, dsv, text} {
		c := parse(t, form)
		if len(c.Vnodes) != 2 || c.Vnodes[0].Name != "n2" || c.Total("ncpus") != 6 || c.Total("mem") != 2<<20 || c.Vnodes[1].Host != "n1" {
			t.Errorf("%s: %+v", form, c.Vnodes)
		}
	}
	for _, wrong := range []string{"", "{", `{"nodes":{}}`, "Job Id: 1\n    a = b\n", "[1,2]"} {
		if c, err := clusterOf(wrong, checks, false); err == nil {
			t.Errorf("%q: %v", wrong, c)
		}
	}
}

// JSON of vnodes is repaired as that of jobs is, and refused where vnodes may be lost.
func TestDamagedJSON(t *testing.T) {
	const vnode = `"a":{"state":"free","resources_available":{"ncpus":4}}`
	for text, want := range map[string]int{
		`{"nodes":{"b":{"comment":""bad" disk","resources_available":{"ncpus":2}},` + vnode + `}}`:             2,
		"{\"nodes\":{\"b\":{\"comment\":\"\x01\xe4\\\",\"resources_available\":{\"ncpus\":2}}," + vnode + `}}`: 2,
		`{"timestamp":1,"other":{"x":{"y":1}},"nodes":{` + vnode + `}}`:                                        1,
		`{"nodes":{` + vnode + `,"b":{"state":"fr`:                                                             0,
		`{"nodes":{` + vnode + `,`: 0,
	} {
		c, err := clusterOf(text, checks, false)
		var cut *CutError
		switch {
		case want == 0 && !errors.As(err, &cut):
			t.Errorf("%s: %v", text, err)
		case want > 0 && (err != nil || len(c.Vnodes) != want):
			t.Errorf("%s: %v (%v), want %d vnodes", text, c, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(pbsnodes)
	f.Add(`{"nodes":{"n1":{"state":"free","resources_available":{"ncpus":4}}}}`)
	f.Add("Name=n2|state=free|resources_available.ncpus=4\n")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := clusterOf(text, checks, true); err == nil && len(c.Vnodes) == 0 {
			t.Error("a cluster without a vnode")
		}
	})
}

// An amount of a vnode that is none, or that no vnode has, counts as nothing and is said.
func TestUnreadableVnodes(t *testing.T) {
	for _, amount := range []string{"-4", "nan", "inf", "1e308", "x", "8 cpus", "9999999999999999999"} {
		c, err := clusterOf(strings.Replace(pbsnodes, "ncpus = 8", "ncpus = "+amount, 1), checks, true)
		if err != nil {
			t.Fatal(err)
		}
		if said := c.Damage(); len(said) != 1 || !strings.Contains(said[0].Text, `1 vnode with an amount that cannot be read, and that counts as 0, such as: ncpus of a is "`+amount+`"`) {
			t.Errorf("ncpus = %s: %v", amount, said)
		}
	}
	c, err := clusterOf(pbsnodes, checks, true)
	if err != nil {
		t.Fatal(err)
	}
	if said := c.Damage(); said != nil {
		t.Errorf("said: %v", said)
	}
}

// A number of a vnode that is none is named with the vnode and counts as not set; a priority may be below 0.
func TestOddIntegers(t *testing.T) {
	for _, name := range integers {
		for value, isOdd := range map[string]bool{"5": false, "-5": false, "0": false, "many": true, "5x": true, "1e3": true, "99999999999999999999": true} {
			c, err := clusterOf("a\n     state = free\n     "+name+" = "+value+"\n     resources_available.ncpus = 8\n", checks, true)
			if err != nil {
				t.Fatal(err)
			}
			said := c.Damage()
			if (len(said) > 0) != isOdd || isOdd && !strings.Contains(said[0].Text, name+` of a is "`+value+`"`) {
				t.Errorf("%s = %s: %v", name, value, said)
			}
			if v := c.Vnodes[0]; name == "Priority" && value == "-5" && v.Priority != -5 {
				t.Errorf("the priority is %g", v.Priority)
			}
		}
	}
}

// A vnode of which pbsnodes says no state is told, with what it has, in each form of the list.
func TestVnodesWithoutState(t *testing.T) {
	for form, text := range map[string]string{
		"text": "a\n     resources_available.ncpus = 8\n\nb\n     state = free\n\nc\n     state = free\n",
		"JSON": `{"nodes":{"a":{"resources_available":{"ncpus":8}},"b":{"state":"free","resources_available":{"ncpus":4}},"c":{"state":"free","resources_available":{"ncpus":4}}}}`,
	} {
		c, err := clusterOf(text, checks, true)
		if err != nil {
			t.Fatal(form, err)
		}
		if said := c.Damage(); len(said) != 1 || !said[0].IsDamage || !strings.HasPrefix(said[0].Text, "1 of 3 vnodes (8 cpus) without a state") {
			t.Errorf("%s: %v", form, said)
		}
	}
}
