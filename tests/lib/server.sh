# shellcheck shell=bash disable=SC2034,SC2154  # variables are shared with the scripts and shell.sh
# For tests of servers that print "… at URL" when they are ready. Source it after shell.sh.
#
#   start weft serve --port 0 folder   # $pid, $url; what it writes: $scratch/out, $scratch/err
#   get /a.txt [CURL OPTION...]        # $code, $fields, $body
#   stop                               # SIGTERM; $status, $stdout, $stderr
#
# What still runs at the end is killed.
pids=()

finish_servers() {
    local one
    for one in "${pids[@]}"; do
        kill -KILL "$one" 2>/dev/null
    done
    wait
    finish
}
trap finish_servers EXIT

# soon COMMAND...: until it succeeds, for at most ten seconds.
soon() {
    local end=$((SECONDS + 10))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.02
    done
}

is_ready_or_over() {
    grep -q ' at http://' "$scratch/out" || ! kill -0 "$pid" 2>/dev/null
}

is_over() {
    ! kill -0 "$1" 2>/dev/null
}

start() {
    : >"$scratch/out"
    "$@" >>"$scratch/out" 2>"$scratch/err" </dev/null &
    pid=$!
    pids+=("$pid")
    soon is_ready_or_over
    url=$(sed -n 's,^.* at \(http://.*\)/$,\1,p' "$scratch/out")
    if [ -z "$url" ]; then
        fail "the server did not start: $(<"$scratch/err")"
        url=http://127.0.0.1:9
    fi
}

# over: wait for the last one started.
over() {
    status=0
    wait "$pid" || status=$?
    unset 'pids[-1]'
    stdout=$(<"$scratch/out")
    stderr=$(<"$scratch/err")
}

stop() {
    kill -TERM "$pid"
    over
}

get() {
    local path=$1
    shift
    rm -f "$scratch/.fields" "$scratch/.body"
    touch "$scratch/.fields" "$scratch/.body"
    code=$(curl -sS --max-time 10 -D "$scratch/.fields" -o "$scratch/.body" -w '%{http_code}' "$@" \
        "$url$path" 2>"$scratch/.curl")
    fields=$(tr -d '\r' <"$scratch/.fields")
    body=$(tr -d '\0' <"$scratch/.body")
}
