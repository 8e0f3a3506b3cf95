# bash completion for weft(1)
# shellcheck shell=bash
#
# The names come from the command itself (weft help --list), and so do the options of a command
# (weft help COMMAND): a new one completes without a change here. There an option whose value is one of
# a few has them for its value's name, as in --scope host|path: those complete, too. FOLDER completes
# as a folder; everything else as file names.

# _weft_ask WORD...: what "weft help WORD..." says, of the weft that is typed. A tilde is not expanded there.
_weft_ask() {
    "${COMP_WORDS[0]/#\~\//$HOME/}" help "$@" 2>/dev/null
}

# _weft_value COMMAND OPTION: what help calls its value; nothing if it takes none. Help has a letter in
# front of its name: "-o, --output FOLDER".
_weft_value() {
    _weft_ask "$1" |
        sed -nE "s/^ +($2, --[a-z0-9-]+|(-., )?$2) ([^ ]+).*/\3/p" | head -n 1
}

# Is the word that is typed the value of an option? Then its option is in $option. --name=value comes
# as three words.
_weft_at_value() {
    local before=${COMP_WORDS[COMP_CWORD - 1]}
    if [[ $current == = ]]; then
        option=$before current=''
    elif [[ $before == = ]]; then
        option=${COMP_WORDS[COMP_CWORD - 2]}
    else
        option=$before
    fi
    [[ $option =~ ^(--[a-z0-9-]+|-[a-zA-Z0-9])$ && $COMP_CWORD -gt 2 ]]
}

_weft() {
    local current=${COMP_WORDS[COMP_CWORD]} command=${COMP_WORDS[1]} words option value
    COMPREPLY=()
    if _weft_at_value; then
        value=$(_weft_value "$command" "$option")
        case $value in
        *'|'*) mapfile -t COMPREPLY < <(compgen -W "${value//|/ }" -- "$current") ;;
        FOLDER) mapfile -t COMPREPLY < <(compgen -d -- "$current") ;;
        esac
        [[ -z $value ]] || return 0
    fi
    case $COMP_CWORD:$command:$current in
    1:*)
        words="$(_weft_ask --list) --help --version"
        ;;
    2:help:*)
        words="$(_weft_ask --list) --list"
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
        words="$(_weft_ask "$command" | grep -oE '^ +(-., )?--[a-z0-9-]+' |
            grep -oE -- '--.*') --help"
        ;;
    *)
        return 0
        ;;
    esac
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
}

complete -o default -F _weft weft
