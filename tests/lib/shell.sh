# shellcheck shell=bash disable=SC2034  # status, stdout and stderr are for the scripts
# What test scripts share. Source it:
#
#   . "$WEFT_SOURCE/tests/lib/shell.sh"
#   it "says which version it is"
#   run "$WEFT_BUILD/weft" --version
#   expect status 0
#   expect stdout "weft 0.1.0"
#
# A test script goes on after a failure and exits with 1 at its end (see the trap). Its temporary
# folder, $scratch, is removed then.
set -uo pipefail

: "${WEFT_SOURCE:?set by ctest}" "${WEFT_BUILD:?set by ctest}"
scratch=$(mktemp -d)
failures=0
sentence=''
status=0
stdout=''
stderr=''

finish() {
    rm -rf "$scratch"
    [ "$failures" -eq 0 ] || exit 1
}
trap finish EXIT

it() {
    sentence=$1
    echo "- it $sentence"
}

fail() {
    failures=$((failures + 1))
    printf 'FAILED: it %s\n  %s\n' "$sentence" "$*"
}

# run COMMAND...: leaves its exit status and what it wrote in $status, $stdout, $stderr.
run() {
    status=0
    "$@" >"$scratch/.stdout" 2>"$scratch/.stderr" </dev/null || status=$?
    stdout=$(<"$scratch/.stdout")
    stderr=$(<"$scratch/.stderr")
}

# expect status|stdout|stderr VALUE: exactly that. stdout and stderr without their last newline.
expect() {
    local is=${!1}
    if [ "$is" != "$2" ]; then
        fail "$1 should be: $2"$'\n'"  but is: $is"
        [ "$1" != status ] || printf '  stderr: %s\n' "$stderr"
    fi
}

# expect_part stdout|stderr TEXT: contains it.
expect_part() {
    local is=${!1}
    [[ $is == *"$2"* ]] || fail "$1 should contain: $2"$'\n'"  but is: $is"
}
