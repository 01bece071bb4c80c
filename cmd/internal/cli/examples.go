package cli

// examples are shown at the end of each command's help and in the man page. SNAP is
// what pbs_snapshot or formula collect writes.
var examples = map[string]string{
	"sort": `
  formula sort SNAP.tgz                       the order as it is
  formula sort SNAP.tgz -f 'NEW FORMULA'      with another formula
  formula sort SNAP.tgz --set bob.usage=0     what if?
  formula sort SITE.tgz --all                 a Slurm site, with the jobs that it does not consider
  formula sort SNAP.tgz --now                 what would start right now, and what stops the others?
  formula sort                                on a host of PBS or Slurm: its own queue
  formula sort JOBS --sched-priv DIR -f 'fairshare_factor + ncpus' --why`,
	"explain": `
  formula explain 123 SNAP.tgz                the place and the value of a job
  formula explain 123 SNAP.tgz --vs ahead     why not before the one ahead of it?
  formula explain --user bob SNAP.tgz         bob's first job
  formula explain 123 QSTAT                   what qstat without -f tells of it
  formula explain --user me --vs bob SITE     my jobs against bob's`,
	"compare": `
  formula compare SNAP.tgz -f 'NEW FORMULA' --html change.html
  formula compare SNAP.tgz --set group1.shares=60
  formula compare SITE.tgz --set PriorityWeightFairshare=20000   a Slurm site
  formula compare JOBS -f 'OLD' -f 'NEW' --sched-priv DIR`,
	"check": `
  formula check SNAP.tgz                      sched_priv, attributes and the formula in force
  formula check sched_config                  one file, before it is put in place
  formula check -f 'pow(2, -fairshare_perc)'
  formula check slurm.conf                    settings of Slurm without effect`,
	"eval": `
  formula eval -f 'ncpus + mem/1048576' ncpus=4 mem=8gb`,
	"test": `
  formula test expectations.txt`,
	"shares": `
  formula shares SNAP.tgz                     a PBS site, under each algorithm
  formula shares SITE.tgz                     a Slurm site, under its own
  formula shares sshare.txt --algorithm fair-tree`,
	"priority": `
  formula priority SITE.tgz                   a Slurm site, as sprio -l prints it
  formula priority --slurm-conf slurm.conf --shares sshare.txt jobs.txt --at 2026-11-21T10:00:00Z
  formula priority --flux jobs.json --shares tree.json --set queue.gpu=10`,
	"vars": `
  formula vars SNAP.tgz`,
	"collect": `
  formula collect site.tgz                    on a PBS host
  formula collect --slurm site.tgz            on a Slurm host
  formula collect site.tgz --obfuscate        without names of people and hosts
  formula collect shared.tgz --snapshot SNAP.tgz --obfuscate --shift`,
	"nodes": `
  formula nodes SNAP.tgz                      what is free, who runs there, and until when
  formula nodes SNAP.tgz cn091 rack=r03       these nodes alone, and when the last job there ends
  formula nodes SNAP.tgz 1234                 where this job that waits could run now, and what keeps it from the others
  formula nodes SNAP.tgz --submit select=2:ncpus=16:mem=64gb --queue workq
  formula nodes SLURM.tgz --submit nodes=2,ntasks=32,mem=64G,time=8:00:00 --partition gpu
  formula nodes SNAP.tgz --summary            what is in use, idle and away by queue or partition, and reservations
  formula nodes SNAP.tgz --state down,offline these alone, with comments; at a Slurm site drained, draining, down
  formula nodes SNAP.tgz --free -o csv`,
	"history": `
  formula history SNAP.tgz                    what the logs of a snapshot tell
  formula history /var/spool/pbs/server_priv/accounting --from 2026-11-01 --user bob
  formula history sacct.txt --by week,account   what sacct -aPD --format=ALL printed
  formula history sacct.txt --by name         the longest run and the most memory of jobs of each name
  formula history SNAP.tgz --by week --html week.html   a page of weeks, to print and to file
  formula history SNAP.tgz --by month,group --resource ngpus -o csv
  formula history LOGS --budget budgets.csv   what is spent, what is left
  formula history LOGS -o swf                 in the Standard Workload Format`,
	"usage": `
  formula usage SNAP.tgz                      what the logs make of the database
  formula usage SITE.tgz                      a Slurm site: usage, and what is left of GrpTRESMins
  formula usage SITE.tgz sacct.txt            beside it what the runs of a table of sacct have left of it
  formula usage LOGS --under sched_priv --usage usage.begin --write usage`,
	"replay": `
  formula replay SNAP.tgz                     the policy in force against what really happened
  formula replay SNAP.tgz -f 'NEW FORMULA'    the same jobs under a new one
  formula replay SNAP.tgz --set server.backfill_depth=3
  formula replay SNAP.tgz -f 'NEW' --runs 20 --html report.html
  formula replay SNAP.tgz --policy new.policy --fail-if 'p95(wait, queue=debug) > 1.1 * base'
  formula replay SNAP.tgz -f 'W1*fairshare_factor + eligible_time/3600' --vary W1=10,100 --goal 'min p95(wait)'
  formula replay SNAP.tgz --calibrate         what the logs tell that the site does not say
  formula replay SNAP.tgz --explain 123       what a job waited for
  formula replay SITE sacct.txt --set PriorityWeightFairshare=20000 --runs 20   a Slurm site
  formula replay SITE sacct.txt --vary bf_interval=30,120 --goal 'min p95(wait, partition=main)'
  formula replay trace.swf --cluster 93312 --sched-priv DIR -f 'OLD' -f 'NEW'`,
	"witness": `
  formula witness SNAP.tgz                    do the rules give what the logs show?
  formula witness SNAP.tgz --set sched.strict_ordering=false   would other rules?
  formula witness SITE.tgz sacct.txt          a Slurm site
  formula witness SNAP.tgz -o csv             each start, with what the rules make of it`,
	"when": `
  formula when                                 all waiting jobs of this host's site
  formula when SNAP.tgz 1234 --tz Europe/Berlin
  formula when SNAP.tgz --user alice -o csv
  formula when SNAP.tgz --submit select=4:ncpus=16,walltime=8:00:00 --user alice --queue workq
  formula when SNAP.tgz 1234 --try walltime=4:00:00 --try queue=short
  formula when SNAP.tgz --user alice --html alice.html
  formula when SNAP.tgz --check                how good such forecasts would have been
  formula when SITE.tgz 57 --logs sacct.txt    a Slurm site
  formula when SITE.tgz --submit nodes=2,ntasks=32,time=8:00:00 --user bob --queue main
  formula when SNAP.tgz --logs /var/spool/pbs/server_priv/accounting --runs 200`,
	"lab": `
  formula lab SNAP.tgz
  formula lab SITE.tgz                         a Slurm site: weights, shares, QOS and partitions
  formula lab --live --http localhost:8000 --no-browser
  formula lab SNAP.tgz --logs /var/spool/pbs/server_priv/accounting --usage usage.begin`,
	"metrics": `
  formula metrics SNAP.tgz                    or a Slurm site
  formula metrics --live --out /var/lib/node_exporter/textfile/pbs.prom`,
	"man": `
  formula man`,
	"help": `
  formula help sort`,
}
