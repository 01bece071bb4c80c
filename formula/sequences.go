package formula

import (
	"slices"
)

// elements returns what Python would iterate over.
func elements(x Value) ([]Value, error) {
	if x.kind != kList && x.kind != kTuple {
		return nil, typeError("'%s' object is not iterable", x.typeName())
	}
	return x.elements(), nil
}

func allTrue(x Value) (Value, error) {
	seq, err := elements(x)
	return boolean(!slices.ContainsFunc(seq, func(v Value) bool { return !v.truth() })), err
}

func anyTrue(x Value) (Value, error) {
	seq, err := elements(x)
	return boolean(slices.ContainsFunc(seq, Value.truth)), err
}

func length(x Value) (Value, error) {
	if x.kind != kList && x.kind != kTuple {
		return Value{}, typeError("object of type '%s' has no len()", x.typeName())
	}
	return Int(int64(len(x.elements()))), nil
}

// extreme returns the first of the greatest or of the least elements, as max and
// min do. Its options are key and default.
func extreme(name, op string, args, options []Value) (Value, error) {
	key, fallback := options[0], options[1]
	if fallback.kind != kAbsent && len(args) > 1 {
		return Value{}, typeError("Cannot specify a default for %s() with multiple positional arguments", name)
	}
	seq := args
	if len(args) == 1 {
		var err error
		if seq, err = elements(args[0]); err != nil {
			return Value{}, err
		}
		if len(seq) == 0 && fallback.kind != kAbsent {
			return fallback, nil
		}
		if len(seq) == 0 {
			return Value{}, valueError("%s() arg is an empty sequence", name)
		}
	}
	keys, err := applyKey(key, seq)
	if err != nil {
		return Value{}, err
	}
	best := 0
	for i := range seq {
		better, err := order(op, keys[i], keys[best])
		if i > 0 && err != nil {
			return Value{}, err
		}
		if better.truth() {
			best = i
		}
	}
	return seq[best], nil
}

// applyKey returns what a key function makes of each element, or the elements
// where there is none.
func applyKey(key Value, seq []Value) ([]Value, error) {
	if key.kind == kAbsent || key.kind == kNone {
		return seq, nil
	}
	if key.kind != kFunction && len(seq) > 0 {
		return nil, typeError("'%s' object is not callable", key.typeName())
	}
	keys := make([]Value, len(seq))
	spent := treeEvaluator{}
	for i, v := range seq {
		var err error
		if keys[i], err = key.function().call([]Value{v}, nil, nil); err != nil {
			return nil, err
		}
		if err := spent.charge(keys[i]); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

// sorted's options are key and reverse.
func sorted(args, options []Value) (Value, error) {
	seq, err := elements(args[0])
	if err != nil {
		return Value{}, err
	}
	descending := false
	if reverse := options[1]; reverse.kind != kAbsent {
		if !reverse.isInt() {
			return Value{}, notInteger(reverse)
		}
		descending = reverse.truth()
	}
	keys, err := applyKey(options[0], seq)
	if err != nil {
		return Value{}, err
	}
	places := make([]int, len(seq))
	for i := range places {
		places[i] = i
	}
	slices.SortStableFunc(places, func(a, b int) int {
		if descending {
			a, b = b, a
		}
		less, e := order("<", keys[a], keys[b])
		if e != nil {
			if err == nil {
				err = e
			}
			return 0
		}
		if less.truth() {
			return -1
		}
		if more, _ := order("<", keys[b], keys[a]); more.truth() {
			return 1
		}
		return 0
	})
	list := make([]Value, len(seq))
	for i, place := range places {
		list[i] = seq[place]
	}
	return sequence(kList, list), err
}

func sum(args []Value) (Value, error) {
	total := Int(0)
	if len(args) == 2 {
		total = args[1]
	}
	seq, err := elements(args[0])
	if err != nil {
		return Value{}, err
	}
	copied := 0
	for _, v := range seq {
		if total, err = binary("+", total, v); err != nil {
			return Value{}, err
		}
		if copied += len(total.elements()); copied > maxElements {
			return Value{}, limitError("a sum of lists that copies more than %d elements", maxElements)
		}
	}
	return total, nil
}
