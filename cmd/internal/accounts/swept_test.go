package accounts

import "testing"

// TestParseSwept asks for the usage of the last sweep where that of a user has grown since.
func TestParseSwept(t *testing.T) {
	const table = "Account|User|RawShares|NormShares|RawUsage|NormUsage|EffectvUsage|FairShare|LevelFS\n" +
		"root|||0.000000|10500||1.000000||\n" +
		" hep||1|0.500000|6500|0.600000|0.600000||\n" +
		"  hep|ada|1|0.500000|3000|0.300000|0.500000|1|1\n" +
		"  hep|ben|1|0.500000|3500|0.300000|0.500000|1|1\n" + // 500 more than 0.3 of 10000
		" bio||1|0.500000|4000|0.400000|0.400000||\n" +
		"  bio|cleo|1|1.000000|4000|0.400000|1.000000|1|1\n"
	swept, err := ParseSwept(table)
	if err != nil || swept.Newer != 1 {
		t.Fatal(swept, err)
	}
	for i, want := range []float64{10000, 6000, 3000, 3000, 4000, 4000} {
		if x := swept.Swept.At(i); x.Usage != want {
			t.Errorf("%s had used %v, want %v", x.Name, x.Usage, want)
		}
	}
}
