# bash completion for formula, generated from its command line's model
_formula() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words=
	COMPREPLY=()
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	local word
	for word in "${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
		case $word in
		sort|explain|compare|check|eval|test|shares|priority|vars|history|usage|replay|witness|when|nodes|lab|metrics|collect|man|help) command=$word; break ;;
		esac
	done
	if [[ -z $command && $cur != -* ]]; then
		COMPREPLY=($(compgen -W 'sort explain compare check eval test shares priority vars history usage replay witness when nodes lab metrics collect man help' -- "$cur"))
		return
	fi
	case $command in
	sort|'')
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--threshold) return ;;
		--set) return ;;
		--rules) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table ids json csv jobs' -- "$cur")); return ;;
		--top) return ;;
		--nodes) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--at) return ;;
		--tz) return ;;
		--user) return ;;
		--account) return ;;
		--queue) return ;;
		esac
		words='--formula -f --file -F --snapshot --live --server --timeout --jobs --from --queues --resources --sched --sched-priv --threshold --no-formula --static --all-start --non-prime --set --rules --output -o --why --all --top --now --nodes --at --tz --user --account --queue --help -h' ;;
	explain)
		case $prev in
		--job) return ;;
		--user) return ;;
		--vs) return ;;
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--threshold) return ;;
		--set) return ;;
		--rules) return ;;
		--partition) return ;;
		--nodes) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--at) return ;;
		--tz) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
		esac
		words='--job --user --vs --formula -f --file -F --snapshot --live --server --timeout --jobs --from --queues --resources --sched --sched-priv --threshold --no-formula --static --all-start --non-prime --set --rules --partition --nodes --at --tz --output -o --help -h' ;;
	compare)
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--threshold) return ;;
		--set) return ;;
		--rules) return ;;
		--nodes) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--at) return ;;
		--tz) return ;;
		--user) return ;;
		--account) return ;;
		--queue) return ;;
		--html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json csv' -- "$cur")); return ;;
		--top) return ;;
		esac
		words='--formula -f --file -F --sched-priv --snapshot --live --server --timeout --jobs --from --queues --resources --sched --threshold --no-formula --static --all-start --non-prime --set --rules --nodes --at --tz --user --account --queue --html --output -o --top --help -h' ;;
	check)
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--set) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
		esac
		words='--formula -f --file -F --snapshot --live --server --timeout --jobs --from --queues --resources --sched --sched-priv --set --jsonl --output -o --help -h' ;;
	eval)
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		esac
		words='--formula -f --file -F --snapshot --live --server --timeout --jsonl --help -h' ;;
	test)
		case $prev in
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		esac
		words='--snapshot --live --server --timeout --help -h' ;;
	shares)
		case $prev in
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--partition) return ;;
		--from) COMPREPLY=($(compgen -W 'auto sched-priv sshare flux json' -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--set) return ;;
		--algorithm) return ;;
		--damp-factor) return ;;
		--user) return ;;
		--html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json csv' -- "$cur")); return ;;
		--top) return ;;
		esac
		words='--snapshot --live --server --timeout --partition --from --sched-priv --set --algorithm --damp-factor --user --html --output -o --top --help -h' ;;
	priority)
		case $prev in
		--slurm-conf) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--shares) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--qos) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--set) return ;;
		--at) return ;;
		--top) return ;;
		--user) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json csv' -- "$cur")); return ;;
		esac
		words='--slurm-conf --flux --jobs --shares --qos --set --at --top --user --output -o --help -h' ;;
	vars)
		case $prev in
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json' -- "$cur")); return ;;
		esac
		words='--snapshot --live --server --timeout --resources --output -o --help -h' ;;
	history)
		case $prev in
		--tz) return ;;
		--by) return ;;
		--resource) return ;;
		--budget) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--title) return ;;
		--cluster) return ;;
		--from) return ;;
		--to) return ;;
		--user) return ;;
		--group) return ;;
		--queue) return ;;
		--project) return ;;
		--account) return ;;
		--qos) return ;;
		--job) return ;;
		--charge) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table csv json swf' -- "$cur")); return ;;
		--top) return ;;
		esac
		words='--tz --by --resource --budget --html --title --cluster --from --to --user --group --queue --project --account --qos --job --charge --output -o --top --help -h' ;;
	usage)
		case $prev in
		--tz) return ;;
		--under) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--partition) return ;;
		--usage) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--report-lag) return ;;
		--interval) return ;;
		--at) return ;;
		--write) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--ahead) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json csv' -- "$cur")); return ;;
		--top) return ;;
		esac
		words='--tz --under --partition --usage --report-lag --interval --at --write --force --fairness --ahead --output -o --top --help -h' ;;
	replay)
		case $prev in
		--tz) return ;;
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--policy) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--set) return ;;
		--rules) return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--partition) return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--cluster) return ;;
		--nodes) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--node-events) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--usage) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--report-lag) return ;;
		--start-latency) return ;;
		--runs) return ;;
		--seed) return ;;
		--shake) return ;;
		--fail-if) return ;;
		--vary) return ;;
		--goal) return ;;
		--part) return ;;
		--parts) return ;;
		--at) return ;;
		--explain) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table starts csv json swf' -- "$cur")); return ;;
		--top) return ;;
		--html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		words='--tz --formula -f --file -F --policy --no-formula --set --rules --sched-priv --partition --non-prime --queues --sched --resources --cluster --nodes --node-events --all-nodes --usage --jobs --report-lag --start-latency --runs --seed --shake --fail-if --vary --goal --part --collect --emit-job-array --parts --calibrate --at --explain --why --output -o --top --html --help -h' ;;
	witness)
		case $prev in
		--tz) return ;;
		--set) return ;;
		--rules) return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--nodes) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--node-events) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--usage) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table csv json' -- "$cur")); return ;;
		--top) return ;;
		esac
		words='--tz --set --rules --sched-priv --queues --sched --resources --nodes --all-nodes --node-events --usage --jobs --calibrate --output -o --top --help -h' ;;
	when)
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--threshold) return ;;
		--set) return ;;
		--rules) return ;;
		--nodes) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--at) return ;;
		--tz) return ;;
		--logs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--user) return ;;
		--submit) return ;;
		--queue) return ;;
		--try) return ;;
		--usage) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--runs) return ;;
		--seed) return ;;
		--by) return ;;
		--html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--metrics) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--typical) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--horizon) return ;;
		--top) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table csv json' -- "$cur")); return ;;
		esac
		words='--formula -f --file -F --snapshot --live --server --timeout --jobs --from --queues --resources --sched --sched-priv --threshold --no-formula --static --all-start --non-prime --set --rules --nodes --at --tz --logs --user --submit --queue --try --check --each --calibrated --usage --runs --seed --by --html --metrics --typical --classic --where --horizon --top --output -o --help -h' ;;
	nodes)
		case $prev in
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--nodes) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--at) return ;;
		--tz) return ;;
		--set) return ;;
		--logs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--submit) return ;;
		--queue) return ;;
		--user) return ;;
		--state) return ;;
		--top) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table csv json' -- "$cur")); return ;;
		esac
		words='--snapshot --live --server --timeout --jobs --from --queues --resources --sched --sched-priv --nodes --at --tz --set --forecast --logs --submit --queue --user --state --summary --all --free --top --output -o --help -h' ;;
	lab)
		case $prev in
		--http) return ;;
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--threshold) return ;;
		--set) return ;;
		--rules) return ;;
		--partition) return ;;
		--logs) return ;;
		--usage) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--tz) return ;;
		esac
		words='--http --no-browser --formula -f --file -F --snapshot --live --server --timeout --jobs --from --queues --resources --sched --sched-priv --threshold --no-formula --static --all-start --non-prime --set --rules --partition --logs --usage --tz --help -h' ;;
	metrics)
		case $prev in
		--out) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--threshold) return ;;
		--set) return ;;
		--rules) return ;;
		--partition) return ;;
		esac
		words='--out --formula -f --file -F --snapshot --live --server --timeout --jobs --from --queues --resources --sched --sched-priv --threshold --no-formula --static --all-start --non-prime --set --rules --partition --help -h' ;;
	collect)
		case $prev in
		--snapshot) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--server) return ;;
		--timeout) return ;;
		--logs) return ;;
		esac
		words='--snapshot --live --server --timeout --slurm --flux --logs --obfuscate --shift --help -h' ;;
	man)
		case $prev in
		esac
		words='--help -h' ;;
	help)
		case $prev in
		esac
		words='--help -h' ;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -F _formula formula
