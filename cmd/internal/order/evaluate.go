package order

import (
	"fmt"

	"fairshare/formula"
)

// VariableError is a text that is no value of a variable.
type VariableError struct{ Name, Text string }

func (e *VariableError) Error() string {
	return fmt.Sprintf("the value of %s, %q, is not a number, a size or a time", e.Name, e.Text)
}

// ParseVariables returns the values of variables that a person wrote, as PBS
// prints or writes them. Its errors are *VariableError.
func ParseVariables(texts map[string]string, symbols *formula.Symbols) (map[string]formula.Value, error) {
	values := make(map[string]formula.Value, len(texts))
	for name, text := range texts {
		v, ok := formula.ParseAmount(text, symbols.Type(name))
		if !ok {
			return nil, &VariableError{name, text}
		}
		values[name] = v
	}
	return values, nil
}
