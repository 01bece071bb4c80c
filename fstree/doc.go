// Package fstree holds the fairshare tree of a PBS complex and the algorithms
// that work on it.
//
// A tree is read from resource_group with ParseResourceGroup, its usage added
// with LoadUsage, and the numbers that schedulers use derived with
// CalcPercentages and CalcUsage; sched_config's settings come from
// ParseConfig. The package reads text and returns values: it opens no file,
// prints nothing, and knows neither jobs nor formulas.
//
// # PBS's percentages and tree usage
//
// The example of PBS's design document PP-718: group1 has 40 shares and the
// entities bob (50) and cathy (50), group2 has 60 shares and suzy (60) and
// scott (40). bob and cathy have used 100 each, scott 1000, suzy nothing.
//
// An entity's tree percentage is its part of its group's shares times the
// group's: bob's is 50/100 * 40/100 = 0.2, suzy's 60/100 * 60/100 = 0.36. Its
// tree usage begins with its own part of all usage and is drawn towards its
// group's, as far as it has shares of it (see CalcUsage). Of 1200 in all,
// group1 has used 200/1200 = .167 and group2 1000/1200 = .833:
//
//	bob   .083 + (.167 - .083) * .5 = .125   2^-(.125/.2) = .648
//	suzy  0    + (.833 - 0)    * .6 = .5     2^-(.5/.36)  = .382
//
// so that suzy, who has used nothing, still waits behind bob: her group has
// had more than its part. PBS itself counts every node's usage from 1, which
// makes these .125312 and .500416 in its output, and cuts "unknown" its part
// of the shares when it has any.
package fstree
