# bash completion for pbsfs, generated from its command line's model
_pbsfs() {
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command= words=
	COMPREPLY=()
	if [[ $cur == = ]]; then
		cur=
	elif [[ $prev == = ]]; then
		prev=${COMP_WORDS[COMP_CWORD-2]}
	fi
	case $command in
	*)
		case $prev in
		-I|--instance) return ;;
		--sched-priv) COMPREPLY=($(compgen -d -- "$cur")); return ;;
		--wait) return ;;
		esac
		words='--print -p --tree -t --get -g --compare -c --set -s --decay -d --trim -e --instance -I --sched-priv --json --force --wait --version --help' ;;
	esac
	if [[ $cur == -* ]]; then
		COMPREPLY=($(compgen -W "$words" -- "$cur"))
	else
		COMPREPLY=($(compgen -f -- "$cur"))
	fi
}
complete -o filenames -F _pbsfs pbsfs
