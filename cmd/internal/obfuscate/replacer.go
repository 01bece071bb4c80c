package obfuscate

// Replacer replaces names by others, each always by the same one, and no two by one.
type Replacer struct{ names *names }

// NewReplacer returns a replacer that has replaced nothing yet.
func NewReplacer() Replacer { return Replacer{newNames(Shift{})} }

// Name returns what a name is replaced by. kind is what a new one is called. Names that say nothing
// of anybody, such as root, stay.
func (r Replacer) Name(kind, name string) string { return r.names.name(kind, name) }
