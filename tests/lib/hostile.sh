# shellcheck shell=bash disable=SC2034,SC2154  # variables are shared with the scripts, shell.sh and site.sh
# For tests against a server that misbehaves: hostile.py on a free port. Source it after site.sh.
#
#   hostile [OPTION...]        # starts it; $site, $host as of `site`
#   measured [ARGUMENT...]     # spider, but also $took_ms and $peak_kb
#   expect_bounded MS          # it took no longer, and no more memory than the server may make it take
#
# Memory is not looked at where a sanitizer counts its own, too.
memory_kb=64000
python=$(python3 -c 'import sys; print(sys.executable)') # what stands in front of it costs time

hostile() {
    end_site
    : >"$scratch/site.out"
    "$python" -S -E "$WEFT_SOURCE/tests/lib/hostile.py" "$@" >>"$scratch/site.out" 2>"$scratch/site.err" \
        </dev/null &
    site_pid=$!
    soon site_is_ready
    site=$(sed -n 's,^listening on \(.*\)/$,\1,p' "$scratch/site.out")
    [ -n "$site" ] || fail "the server did not start: $(<"$scratch/site.err")"
    host=${site#http://}
}

# Several may run at a time, if each has another $home.
measured() {
    local told=$home.told
    status=0
    timeout 60 "$python" -S -E "$WEFT_SOURCE/tests/lib/measure.py" "$told.measured" \
        "$weft" spider -o "$home" "$@" >"$told.stdout" 2>"$told.stderr" </dev/null || status=$?
    stdout=$(<"$told.stdout")
    stderr=$(<"$told.stderr")
    read -r took_ms peak_kb <"$told.measured"
}

expect_bounded() {
    local slower=1
    if grep -qE '__(asan|tsan)_init' "$weft"; then
        slower=5
    elif [ "$peak_kb" -gt "$memory_kb" ]; then
        fail "it took $peak_kb kB of memory"
    fi
    [ "$took_ms" -lt $(($1 * slower)) ] || fail "it took $took_ms ms"
}
