# bash completion for weft(1)
# shellcheck shell=bash
#
# The names come from the command itself (weft help --list), so a new command completes without a
# change here. A command's own arguments complete as file names.

_weft() {
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
    COMPREPLY=()
    case $COMP_CWORD in
    1)
        words="$("${COMP_WORDS[0]}" help --list 2>/dev/null) --help --version"
        ;;
    2)
        [ "$command" = help ] || return 0
        words="$("${COMP_WORDS[0]}" help --list 2>/dev/null) --list"
        ;;
    *)
        return 0
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o default -F _weft weft
