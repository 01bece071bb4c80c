// Package fstree holds the fairshare tree of a PBS complex and the algorithms
// that work on it.
//
// A tree is read from resource_group with ParseResourceGroup and its usage
// added with LoadUsage; Entity then has the numbers that schedulers use, which
// Update derives anew after usage has changed. sched_config's settings come
// from ParseConfig. The package reads text and returns values: it opens no
// file, prints nothing, and knows neither jobs nor formulas.
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
// group's, as far as it has shares of it (see Entity). Of 1200 in all,
// group1 has used 200/1200 = .167 and group2 1000/1200 = .833:
//
//	bob   .083 + (.167 - .083) * .5 = .125   2^-(.125/.2) = .648
//	suzy  0    + (.833 - 0)    * .6 = .5     2^-(.5/.36)  = .382
//
// so that suzy, who has used nothing, still waits behind bob: her group has
// had more than its part. PBS itself counts every node's usage from 1, which
// makes these .125312 and .500416 in its output, and cuts "unknown" its part
// of the shares when it has any.
//
// # Slurm's and flux's algorithms
//
// Associations is a tree of accounts and users, from a PBS Tree or from
// elsewhere; Algorithms lists what can be computed on it.
//
// Slurm's classic definitions, for an account A with 40 of 100 shares that has
// used 60 % of everything, and its user u with 1 of A's 2 shares who has used
// 15 %. Norm shares are 1/2 * 40/100 = 0.2. Effective usage draws u towards A:
// .15 + (.60 - .15) * 1/2 = .375, so the factor is 2^-(.375/.2) = 0.273: u is
// over target, though u alone has used less than 20 %. Depth-oblivious asks
// instead how u stands among A's users: with rp = .60/.40 = 1.5, siblings'
// usage rs = .60/.40 and rl = (.15/.2)/1.5 = 0.5, ln rp * ln rl is negative,
// so k = 1/(1+(5 ln 1.5)^2) = 0.196 and effective usage is
// 1.5 * 0.5^0.196 * .2 = .262, factor 0.403. Fair Tree compares at each level:
// A's level FS is .40/.60 = 0.667, u's is (1/2)/(.15/.60) = 2 among A's users.
//
// flux-accounting's documented example has seven users in three banks:
//
//	bank      shares  usage  weight      users, shares : usage
//	account1  1000    121    0.990246    10000:100  1000:11  100000:10
//	account2  100     11     1.08927     100000:8   10000:3
//	account3  10      1      1.1982      100:0      10:1
//
// account1's weight is (1000/1110)/(121/133) = 0.990246. The walk visits
// account3 first, then account2, then account1, and in each the highest weight
// first. Of seven users leaf.3.1 is ranked 7, which is fairshare 1.0, and
// leaf.1.2 ranked 1, 0.142857.
package fstree
