# shellcheck shell=bash disable=SC2034,SC2154  # variables are shared with the scripts that source it
# For scripts that measure servers: starting them, loading them, ending them. Source it behind
# bench.sh. $folder is in memory and is removed at the end, with all that was started.
folder=$(mktemp -d /dev/shm/weft-bench.XXXXXX)
running=()

fail() {
    echo "bench: $*" >&2
    exit 1
}

# wait_until COMMAND...: for ten seconds at most.
wait_until() {
    local tries
    for ((tries = 0; tries < 1000; tries++)); do
        ! "$@" || return 0
        sleep 0.01
    done
    return 1
}

# over PID...: none of them is there any more.
over() {
    local pid
    for pid in "$@"; do
        ! kill -0 "$pid" 2>/dev/null || return 1
    done
}

# Asked before they are killed: so nginx's master takes its worker with it.
stop() {
    kill -TERM "$@" 2>/dev/null || true
    wait_until over "$@" || kill -KILL "$@" 2>/dev/null || true
}

clean_up() {
    [ ${#running[@]} -eq 0 ] || stop "${running[@]}"
    rm -rf "$folder"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# start NAME COMMAND...: in the background; its process is in $pid, and in $port the number at the
# end of the first line that it prints, be that a port or a URL.
start() {
    local name=$1
    shift
    rm -f "$folder/$name"
    "$@" >"$folder/$name" &
    pid=$!
    running+=("$pid")
    wait_until has_line_or_over "$folder/$name" "$pid" || fail "$name does not start"
    port=$(sed -n '1s,.*[^0-9]\([0-9][0-9]*\)/*$,\1,; 1p' "$folder/$name")
    [ -n "$port" ] || fail "$name does not start"
}

has_line_or_over() {
    [ -s "$1" ] || over "$2"
}

# start_nginx CONF: with @PORT@ and @FOLDER@ filled in. It neither finds a free port nor tells one:
# try some below those that the kernel gives away.
start_nginx() {
    local tries port
    for ((tries = 0; tries < 20; tries++)); do
        port=$((20000 + RANDOM % 12000))
        ! answers "$port" || continue
        sed "s|@PORT@|$port|; s|@FOLDER@|$folder|" "$1" >"$folder/nginx.conf"
        nginx -e "$folder/nginx.log" -c "$folder/nginx.conf" 2>/dev/null &
        pid=$!
        wait_until answers_or_over "$port" "$pid" || fail "nginx does not start"
        over "$pid" || break
    done
    ! over "$pid" || fail "nginx does not start: $(cat "$folder/nginx.log")"
    running+=("$pid")
    nginx_port=$port nginx_pid=$pid nginx_worker=$(pgrep -P "$pid")
}

answers() {
    (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null
}

answers_or_over() {
    answers "$1" || over "$2"
}

# expect PORT PATH FILE: the server answers with 200 and the bytes of the file.
expect() {
    (
        exec 3<>"/dev/tcp/127.0.0.1/$1"
        printf 'GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n' "$2" |
            cat >&3 # in one piece: one who does not look answers whatever comes
        timeout 1 cat <&3 >"$folder/answer" || true
    )
    head -n 1 "$folder/answer" | grep -q '^HTTP/1.1 200 ' || fail "port $1 $2: not 200"
    sed '1,/^\r$/d' "$folder/answer" | cmp -s - "$3" || fail "port $1 $2: not the same bytes"
}

# The processor time that a process has used, in hundredths of a second.
used() {
    sed 's/.*) //' "/proc/$1/stat" | awk '{ print $12 + $13 }'
}

# load PORT PATH PID: for a second, with 64 connections. Prints the requests a second, and how many
# microseconds of processor time each cost the server.
load() {
    local before
    before=$(used "$3")
    wrk -t1 -c64 -d1s "http://127.0.0.1:$1$2" >"$folder/wrk" || return
    awk -v used="$(($(used "$3") - before))" '
        /Socket errors|Non-2xx/ { bad = 1 }
        /requests in/ { requests = $1 }
        /^Requests\/sec/ { rate = $2 }
        END { if (!bad && requests) printf "%s %.3f", rate, used * 1e4 / requests }' "$folder/wrk"
}

# columns OURS THEIRS: of what was printed in turns.
columns() {
    awk -v ours="$1" -v theirs="$2" '{ print $ours, $theirs }' "$folder/turns"
}
