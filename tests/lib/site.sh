# shellcheck shell=bash disable=SC2034,SC2154  # variables are shared with the scripts and shell.sh
# For tests of weft spider: the demo site on a free port, and crawls of it. Source it after shell.sh.
#
#   site [OPTION...]         # starts it; $site is its URL, without the last slash; $site_pid
#   spider [ARGUMENT...]     # weft spider into $home; $status, $stdout, $stderr
#   asked PATH               # how often the site was asked for that
#   most                     # the most page requests that were under way at a time
#   fresh                    # an empty $home
#
# The site is killed at the end, and by the next `site`.
weft=$WEFT_BUILD/weft
home=$scratch/home
site_pid=
export XDG_CONFIG_HOME=$scratch/config # settings of whoever runs the tests do not count

finish_site() {
    [ -z "$site_pid" ] || kill -KILL "$site_pid" 2>/dev/null
    wait 2>/dev/null
    finish
}
trap finish_site EXIT

site_is_ready() {
    grep -q '^listening on ' "$scratch/site.out" || ! kill -0 "$site_pid" 2>/dev/null
}

# soon COMMAND...: until it succeeds, for at most ten seconds.
soon() {
    local end=$((SECONDS + 10))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.02
    done
}

end_site() {
    [ -n "$site_pid" ] || return 0
    kill -KILL "$site_pid" 2>/dev/null
    wait "$site_pid" 2>/dev/null
    site_pid=
}

site() {
    end_site
    : >"$scratch/site.out"
    "$WEFT_BUILD/demo/site" --quiet "$@" >>"$scratch/site.out" 2>"$scratch/site.err" </dev/null &
    site_pid=$!
    soon site_is_ready
    site=$(sed -n 's,^listening on \(.*\)/$,\1,p' "$scratch/site.out")
    [ -n "$site" ] || fail "the site did not start: $(<"$scratch/site.err")"
    host=${site#http://}
}

spider() {
    run timeout 60 "$weft" spider -o "$home" "$@"
}

fresh() {
    rm -rf "${scratch:?}/home"
    mkdir "$home"
}

stats() {
    curl -sS --max-time 10 "$site/_stats"
}

asked() {
    stats | awk -v path="$1" '$2 == path { count = $1 } END { print count + 0 }'
}

most() {
    stats | awk 'NR == 1 { print $2 }'
}

# All requests for pages: robots.txt does not count.
total() {
    stats | awk 'NR > 1 && $2 != "/robots.txt" { count += $1 } END { print count + 0 }'
}

# saved: how many files there are.
saved() {
    find "$home" -name .weft -prune -o -type f -print | wc -l
}

expect_file() {
    [ -f "$home/$host/$1" ] || fail "there is no $1"
}

expect_no_file() {
    [ ! -e "$home/$host/$1" ] || fail "there is $1"
}
