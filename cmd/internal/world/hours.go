package world

// Hours are prime, non-prime and dedicated time, as holidays and dedicated_time of
// sched_priv have them.
type Hours struct{}
