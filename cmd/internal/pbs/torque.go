package pbs

import "fmt"

// TorqueError says that what is asked depends on PBS's scheduler, and that the jobs are those of TORQUE, which places
// and orders them by another.
type TorqueError struct {
	Of   string // what is TORQUE's, such as "the logs"
	Have string // what of it can be had, such as "formula history reads them"
}

func (e *TorqueError) Error() string {
	return fmt.Sprintf("%s are TORQUE's, whose jobs Maui, Moab or pbs_sched order and place, by other rules than PBS's scheduler: this cannot be answered for them (%s)", e.Of, e.Have)
}

// TorqueHistory is what can be had of TORQUE's logs.
const TorqueHistory = "formula history tells what they have, and with -o swf makes a trace of them"

// TorqueOrder is what can be had of TORQUE's lists.
const TorqueOrder = "formula sort gives the order that a formula makes of them"
