package world

// VnodeEvent is that a vnode becomes another one at a time.
type VnodeEvent struct {
	At       int64 // seconds since 1970
	Vnode    string
	Kind     VnodeChange
	Amount   float64 // of Resource, with Resized
	Resource string
}

// VnodeChange is what happens to a vnode.
type VnodeChange int

const (
	Offline VnodeChange = iota // an administrator lets nothing start on it; what runs there goes on
	Online                     // that is taken back
	Down                       // it does not answer any more, and loses what runs on it after a while
	Up                         // it answers again
	Resized                    // it has another amount of a resource
)
