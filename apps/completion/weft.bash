# bash completion for weft(1)
# shellcheck shell=bash
#
# The names come from the command itself (weft help --list), and so do the options of a command
# (weft help COMMAND): a new one completes without a change here. A command's other arguments
# complete as file names.

_weft() {
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words
    COMPREPLY=()
    case $COMP_CWORD:$command:$current in
    1:*)
        words="$("${COMP_WORDS[0]}" help --list 2>/dev/null) --help --version"
        ;;
    2:help:*)
        words="$("${COMP_WORDS[0]}" help --list 2>/dev/null) --list"
        ;;
    2:sales:*)
        words='load import add total serve bench --help'
        ;;
    2:say:*)
        words='serve --help'
        ;;
    2:subsetsum:*)
        words='solve count serve worker bench --help'
        ;;
    2:trace:*)
        words='record summary report --help'
        ;;
    *:-*)
        words="$("${COMP_WORDS[0]}" help "$command" 2>/dev/null | grep -oE '^ +(-., )?--[a-z-]+' |
            grep -oE -- '--.*') --help"
        ;;
    *)
        return 0
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o default -F _weft weft
