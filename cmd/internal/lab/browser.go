package lab

import (
	"fmt"
	"html"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/pkg/browser"
)

// OpenBrowser opens a browser on an address, and returns what takes away what it has left for
// that. The browser is given a page in a folder that leads there, since everybody on this
// machine can see the arguments of a command.
func OpenBrowser(address string) (end func(), err error) {
	end = func() {}
	dir, err := os.MkdirTemp("", "formula-lab") // with mode 0700
	if err != nil {
		return end, err
	}
	end = func() { os.RemoveAll(dir) }
	page, err := LeadTo(dir, address)
	if err != nil {
		return end, err
	}
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
	go browser.OpenFile(page) // which may take as long as the browser is open
	return end, nil
}

// LeadTo writes a page into a folder that leads to an address.
func LeadTo(dir, address string) (page string, err error) {
	page = filepath.Join(dir, "lab.html")
	text := fmt.Sprintf("<!DOCTYPE html><meta http-equiv=\"refresh\" content=\"0; url=%s\"><title>formula lab</title>", html.EscapeString(address))
	return page, os.WriteFile(page, []byte(text), 0o600)
}

// HasDesktop reports whether there is a screen to open a browser on.
func HasDesktop() bool {
	return runtime.GOOS != "linux" || os.Getenv("DISPLAY") != "" || os.Getenv("WAYLAND_DISPLAY") != ""
}
