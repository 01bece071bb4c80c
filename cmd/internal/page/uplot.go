package page

import (
	_ "embed"
	"strings"
)

// uPlot draws lines over time, see uplot/README.md.
var (
	//go:embed uplot/uPlot.iife.min.js
	uplotText string
	//go:embed uplot/uPlot.min.css
	uplotStyle string
	//go:embed uplot/LICENSE
	uplotLicence string
)

// uplotScript returns uPlot with its licence in place of the comment that it begins with, so that a page
// names no address of elsewhere.
func uplotScript() string {
	_, code, _ := strings.Cut(uplotText, "*/")
	return "/*! uPlot 1.6.32\n" + uplotLicence + "*/" + code + "\n"
}
