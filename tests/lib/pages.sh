# shellcheck shell=bash disable=SC2034,SC2154  # variables are shared with the scripts, shell.sh and site.sh
# For tests of pages that change: a server of those that the test makes. Source it after site.sh.
#
#   pages                                  # starts it, without a page; $site, $host as of `site`
#   page TARGET [STATUS [FIELD...]] <<<…   # /TARGET is this from now on; 200 is the default
#   no_page TARGET                         # it is gone
#   links URL...                           # prints a link to each of them
#   requests                               # those since the last time, sorted: "GET /a 200"; not for robots.txt
python=$(python3 -c 'import sys; print(sys.executable)')
pages_made=$scratch/pages

pages() {
    end_site
    rm -rf "$pages_made"
    mkdir "$pages_made"
    : >"$scratch/site.out"
    : >"$scratch/requests"
    "$python" -S -E "$WEFT_SOURCE/tests/lib/pages.py" "$pages_made" "$scratch/requests" \
        >>"$scratch/site.out" 2>"$scratch/site.err" </dev/null &
    site_pid=$!
    soon site_is_ready
    site=$(sed -n 's,^listening on \(.*\)/$,\1,p' "$scratch/site.out")
    [ -n "$site" ] || fail "the server did not start: $(<"$scratch/site.err")"
    host=${site#http://}
}

page() {
    local target=$1 status=${2:-200}
    shift $(($# < 2 ? $# : 2))
    {
        echo "$status"
        [ $# -eq 0 ] || printf '%s\n' "$@"
        echo
        cat
    } >"$scratch/page"
    mv "$scratch/page" "$pages_made/${target//\//%2F}"
}

no_page() {
    rm -f "$pages_made/${1//\//%2F}"
}

links() {
    printf '<a href="%s">x</a>\n' "$@"
}

requests() {
    grep -v robots.txt "$scratch/requests" | LC_ALL=C sort
    : >"$scratch/requests"
}
