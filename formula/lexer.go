package formula

import (
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/alecthomas/participle/v2/lexer"
)

// pythonTokens are the tokens of a Python expression, in the order of their types.
var pythonTokens = []lexer.SimpleRule{
	{Name: "Space", Pattern: `[ \t\f]+|#[^\n\r]*`},
	{Name: "Newline", Pattern: `\r\n?|\n`},
	{Name: "String", Pattern: `(?i:[rbuf]{0,2})(?:"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')`},
	{Name: "Number", Pattern: `0[xX](?:_?[0-9a-fA-F])+|0[bB](?:_?[01])+|0[oO](?:_?[0-7])+` +
		`|(?:(?:\d(?:_?\d)*)?\.\d(?:_?\d)*|\d(?:_?\d)*\.?)(?:[eE][-+]?\d(?:_?\d)*)?[jJ]?`},
	{Name: "Keyword", Pattern: `\b(?:` + pythonKeywords + `)\b`},
	{Name: "Name", Pattern: `[\p{L}\p{Nl}_][\p{L}\p{Nd}\p{Nl}\p{M}_]*`},
	{Name: "Op", Pattern: `\*\*=|//=|<<=|>>=|\*\*|//|<<|>>|<=|>=|==|!=|:=|->|\.\.\.|[-+*/%@&|^]=|[-+*/%@&|^~<>=()\[\]{},.:;]`},
	{Name: "Other", Pattern: `.`},
}

// pythonKeywords are Python's keywords.
const pythonKeywords = "False|None|True|and|as|assert|async|await|break|class|continue|def|del|elif|else" +
	"|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield"

// pythonLexer knows these tokens. It is made with the first formula, as the parser is.
var pythonLexer = sync.OnceValue(func() *lexer.StatefulDefinition { return lexer.MustSimple(pythonTokens) })

// The types of tokens, as the lexer numbers them.
const (
	tSpace lexer.TokenType = lexer.EOF - 1 - iota
	tNewline
	tString
	tNumber
	tKeyword
	tName
	tOp
	tOther
)

var closingOf = map[string]string{"(": ")", "[": "]", "{": "}"}

// tokenize splits a formula into tokens and checks what Python's tokenizer
// checks: numbers, brackets, stray characters. On an error it returns the
// tokens before it as well. White space, comments, and line breaks that mean
// nothing are left out; a line break between two statements is a token.
func tokenize(src string) ([]lexer.Token, *SyntaxError) {
	lex, err := pythonLexer().LexString("", src)
	if err != nil {
		return nil, &SyntaxError{Message: err.Error()}
	}
	all, err := lexer.ConsumeAll(lex)
	if err != nil {
		return nil, &SyntaxError{Message: err.Error()}
	}
	var tokens []lexer.Token
	var open []lexer.Token
	var lineBreak *lexer.Token // before which an expression ended, perhaps
	prefix := 0
	for i, t := range all {
		switch {
		case t.Type == tSpace || t.EOF() || t.Type == tNewline && len(open) > 0:
			continue
		case t.Type == tNewline:
			lineBreak = &t
			continue
		case lineBreak != nil:
			tokens = append(tokens, *lineBreak)
			lineBreak = nil
		}
		if e := checkToken(t, all[i+1]); e != nil {
			return tokens, e
		}
		switch {
		case nesting(t) > 0:
			open = append(open, t)
			if len(open) >= maxBrackets {
				return tokens, tokenError(t, "too many nested parentheses")
			}
		case nesting(t) < 0:
			if len(open) == 0 {
				return tokens, tokenError(t, "unmatched '"+t.Value+"'")
			}
			last := open[len(open)-1].Value
			if closingOf[last] != t.Value {
				return tokens, tokenError(t, fmt.Sprintf(
					"closing parenthesis '%s' does not match opening parenthesis '%s'", t.Value, last))
			}
			open = open[:len(open)-1]
		}
		if prefix++; t.Value != "+" && t.Value != "-" && t.Value != "~" && t.Value != "not" {
			prefix = 0
		}
		if prefix > maxPrefix {
			return tokens, tokenError(t, "too many signs one after another")
		}
		tokens = append(tokens, t)
	}
	if len(open) > 0 {
		last := open[len(open)-1]
		return tokens, tokenError(last, "'"+last.Value+"' was never closed")
	}
	return tokens, nil
}

// nesting returns 1 for an opening bracket, -1 for a closing one, 0 for any
// other token.
func nesting(t lexer.Token) int {
	switch t.Value {
	case "(", "[", "{":
		return 1
	case ")", "]", "}":
		return -1
	}
	return 0
}

func tokenError(t lexer.Token, message string) *SyntaxError {
	return &SyntaxError{Message: message, Span: Span{t.Pos.Offset, t.Pos.Offset + len(t.Value)}}
}

// checkToken returns what is wrong with a number or a character, nil if
// nothing. The token next follows without a gap.
func checkToken(t, next lexer.Token) *SyntaxError {
	switch {
	case t.Type == tOther && (t.Value == `"` || t.Value == "'"):
		return tokenError(t, "unterminated string literal (detected at line 1)")
	case t.Type == tOther && t.Value == `\`:
		return tokenError(t, "unexpected character after line continuation character")
	case t.Type == tOther && t.Value[0] >= utf8.RuneSelf:
		c, _ := utf8.DecodeRuneInString(t.Value)
		if unicode.IsPrint(c) {
			return tokenError(t, fmt.Sprintf("invalid character '%c' (U+%04X)", c, c))
		}
		return tokenError(t, fmt.Sprintf("invalid non-printable character U+%04X", c))
	case t.Type != tNumber:
		return nil
	}
	digits := strings.ReplaceAll(strings.ToLower(t.Value), "_", "")
	decimal := strings.Trim(digits, "0123456789") == ""
	if decimal && len(digits) > maxIntDigits {
		return tokenError(t, fmt.Sprintf("Exceeds the limit (%d digits) for integer string conversion: value has %d digits; "+
			"use sys.set_int_max_str_digits() to increase the limit - Consider hexadecimal for huge integer literals to avoid decimal conversion limits.",
			maxIntDigits, len(digits)))
	}
	if decimal && digits[0] == '0' && strings.Trim(digits, "0") != "" {
		return tokenError(t, "leading zeros in decimal integer literals are not permitted; use an 0o prefix for octal integers")
	}
	// A keyword may follow at once, nothing else may.
	if next.Type == tName || next.Type == tNumber {
		kind := "decimal"
		switch {
		case strings.HasPrefix(digits, "0x"):
			kind = "hexadecimal"
		case strings.HasPrefix(digits, "0o"):
			kind = "octal"
		case strings.HasPrefix(digits, "0b"):
			kind = "binary"
		case digits[len(digits)-1] == 'j':
			kind = "imaginary"
		}
		return tokenError(t, "invalid "+kind+" literal")
	}
	return nil
}
