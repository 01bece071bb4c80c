package page

import (
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
)

// uPlot is that of the npm registry, byte by byte, and names no address in a page; its licence is there.
func TestUPlot(t *testing.T) {
	for text, want := range map[string]string{
		uplotText:  "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		uplotStyle: "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
	} {
		sum := sha256.Sum256([]byte(text))
		if got := hex.EncodeToString(sum[:]); got != want {
			t.Errorf("the hash of %.30q is %s, want %s", text, got, want)
		}
	}
	script := uplotScript()
	if elsewhere := regexp.MustCompile(`(src|href)=|url\(|https?://|</script`).FindString(script + uplotStyle); elsewhere != "" {
		t.Errorf("uPlot refers to something elsewhere: %s", elsewhere)
	}
	if !strings.Contains(script, "Copyright (c) 2022 Leon Sorokin") || !strings.Contains(script, "var uPlot=function") {
		t.Errorf("it begins with %.200s", script)
	}
}
