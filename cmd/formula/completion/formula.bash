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
		sort|explain|compare|check|eval|test|shares|priority|vars) command=$word; break ;;
		esac
	done
	if [[ -z $command && $cur != -* ]]; then
		COMPREPLY=($(compgen -W 'sort explain compare check eval test shares priority vars' -- "$cur"))
		return
	fi
	case $command in
	sort|'')
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--threshold) return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table ids json csv jobs' -- "$cur")); return ;;
		--top) return ;;
		--user) return ;;
		--queue) return ;;
		esac
		words='--formula -f --file -F --sched-priv --queues --resources --sched --threshold --no-formula --static --non-prime --from --output -o --all --top --user --queue --help -h' ;;
	explain)
		case $prev in
		--job) return ;;
		--vs) return ;;
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--threshold) return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'text json' -- "$cur")); return ;;
		esac
		words='--job --vs --formula -f --file -F --sched-priv --queues --resources --sched --threshold --no-formula --static --non-prime --from --output -o --help -h' ;;
	compare)
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--queues) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--threshold) return ;;
		--from) COMPREPLY=($(compgen -W 'auto json text dsv csv jsonl' -- "$cur")); return ;;
		--html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json csv' -- "$cur")); return ;;
		--top) return ;;
		esac
		words='--formula -f --file -F --sched-priv --queues --resources --sched --threshold --no-formula --static --non-prime --from --html --output -o --top --help -h' ;;
	check)
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		words='--formula -f --file -F --resources --sched-priv --jobs --jsonl --help -h' ;;
	eval)
		case $prev in
		-f|--formula) return ;;
		-F|--file) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		esac
		words='--formula -f --file -F --jsonl --help -h' ;;
	test)
		case $prev in
		esac
		words='--help -h' ;;
	shares)
		case $prev in
		--from) COMPREPLY=($(compgen -W 'auto sched-priv sshare flux json' -- "$cur")); return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--algorithm) return ;;
		--damp-factor) return ;;
		--html) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json csv' -- "$cur")); return ;;
		--top) return ;;
		esac
		words='--from --sched-priv --algorithm --damp-factor --html --output -o --top --help -h' ;;
	priority)
		case $prev in
		--slurm-conf) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--jobs) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--shares) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--qos) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		--at) return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json csv' -- "$cur")); return ;;
		esac
		words='--slurm-conf --jobs --shares --qos --at --output -o --as-formula --help -h' ;;
	vars)
		case $prev in
		--resources) COMPREPLY=($(compgen -f -- "$cur")); return ;;
		-o|--output) COMPREPLY=($(compgen -W 'table json' -- "$cur")); return ;;
		esac
		words='--resources --output -o --help -h' ;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -F _formula formula
