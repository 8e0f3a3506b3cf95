#!/usr/bin/env bash
# What all servers share, seen at weft serve: ports, threads, the log, signals, the end.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
weft=$WEFT_BUILD/weft

www=$scratch/www
mkdir -p "$www"
echo hello >"$www/a.txt"
truncate -s 32M "$www/large" # more than the kernel keeps for a slow reader

# ---- where it listens ---------------------------------------------------------------------------

it "says so when the port is in use, with several threads too"
start "$weft" serve -q -p0 -t2 "$www"
port=${url##*:}
for threads in 1 2; do
    run "$weft" serve -q --port "$port" --threads $threads "$www"
    expect status 1
    expect stdout ""
    expect stderr "weft: port $port of 127.0.0.1 is in use; --port 0 takes any that is free"
done
stop
expect status 0

# remarks_port: does it say which one it has taken instead of 8080?
remarks_port() {
    [[ ${url##*:} =~ ^80[89][0-9]$ ]] || fail "it takes $url"
    [ "${url##*:}" = 8080 ] || expect_part stderr "weft: port 8080 is in use; taking ${url##*:}"
}

it "looks for a free port if none is asked for"
start "$weft" serve "$www"
first_pid=$pid first_url=$url
run cat "$scratch/err"
stderr=$stdout
remarks_port
start "$weft" serve "$www"
[ "$url" != "$first_url" ] || fail "both have $url"
stop
remarks_port
pid=$first_pid
stop
expect status 0

it "warns when others can connect"
start "$weft" serve -p0 --host 0.0.0.0 "$www"
get /a.txt
expect body hello
stop
expect_part stderr "weft: listening on 0.0.0.0: whoever can reach this machine can connect"
start "$weft" serve -q -p0 --host 0.0.0.0 "$www"
stop
expect stderr ""

it "says why it cannot listen"
run "$weft" serve -q -p0 --host 192.0.2.1 "$www"
expect status 1
expect stderr "weft: cannot listen on port 0 of 192.0.2.1: address not available"

if grep -q lo /proc/net/if_inet6 2>/dev/null; then
    it "listens on IPv6"
    start "$weft" serve -q -p0 --host ::1 "$www"
    [[ $url == "http://[::1]:"* ]] || fail "it says $url"
    get /a.txt -g
    expect body hello
    stop
fi

it "refuses connections above --max-connections"
start "$weft" serve -q -p0 --max-connections 1 "$www"
exec 7<>"/dev/tcp/127.0.0.1/${url##*:}"
soon eval 'get /a.txt; [ "$code" = 503 ]' || fail "a second one is answered with $code"
exec 7>&-
soon eval 'get /a.txt; [ "$code" = 200 ]' || fail "and later with $code"
stop

# ---- threads ------------------------------------------------------------------------------------

# switches PID: how often each of its threads has waited, one number a line.
switches() {
    cat "/proc/$1/task/"*/status | sed -n 's/^voluntary_ctxt_switches:\t//p'
}

descriptors() {
    local all=("/proc/$pid/fd/"*)
    echo ${#all[@]}
}

it "has one thread if no more are asked for, and as many as there are cores with --threads 0"
start "$weft" serve -q -p0 "$www"
[ "$(switches "$pid" | wc -l)" -eq 1 ] || fail "it has more than one"
stop
start "$weft" serve -q -p0 -t0 "$www"
[ "$(switches "$pid" | wc -l)" -ge "$(nproc)" ] || fail "not every core has one"
stop

# A loop that gets connections in each of five loads waits at least once for each.
it "serves with all of its threads"
start "$weft" serve -q -p0 --threads 4 --metrics "$www"
switches "$pid" >"$scratch/before"
get /a.txt
before=$(descriptors)
run h2load --h1 -n 1000 -c 100 "$url/a.txt"
expect_part stdout "1000 succeeded, 0 failed, 0 errored"
for _ in 1 2 3 4; do
    run h2load --h1 -n 100 -c 50 "$url/a.txt"
    expect_part stdout "100 succeeded, 0 failed, 0 errored"
done
switches "$pid" | paste "$scratch/before" - >"$scratch/both"
busy=$(awk '$2 - $1 >= 5' "$scratch/both" | wc -l)
[ "$busy" -eq 4 ] || fail "$busy of 4 threads have something to do: $(<"$scratch/both")"

it "counts what all of them have answered"
get /-/metrics
expect_part body 'weft_http_requests_total{code="200"} 1401'

it "keeps no descriptors"
soon eval '[ "$(descriptors)" -le "$before" ]' || fail "it had $before, and has $(descriptors)"

it "drains all of its threads"
stop
expect status 0
expect stderr ""

# ---- the log ------------------------------------------------------------------------------------

it "logs on the standard error, or nowhere"
start "$weft" serve -p0 "$www"
get /a.txt
stop
[[ $stderr =~ ^'127.0.0.1 - - ['.*'] "GET /a.txt HTTP/1.1" 200 6'$ ]] || fail "it logs: $stderr"

it "logs on the standard output with -"
start "$weft" serve -p0 --log - --log-format combined "$www"
get /a.txt -A tester
stop
expect_part stdout '"GET /a.txt HTTP/1.1" 200 6 "-" "tester"'
expect stderr ""

it "logs as JSON into a file, from all threads, and opens it again after SIGHUP and SIGUSR1"
start "$weft" serve -p0 -t2 --log "$scratch/log" --log-format=json "$www"
for round in HUP USR1; do
    get "/a.txt?before-$round"
    soon grep -q "before-$round" "$scratch/log" || fail "nothing is in the log"
    mv "$scratch/log" "$scratch/log.$round"
    kill "-$round" "$pid"
    soon test -e "$scratch/log" || fail "SIG$round opens no new log"
done
get /a.txt?after
stop
expect status 0
expect stderr ""
expect_part stdout "serving "
run cat "$scratch/log"
expect_part stdout '"target":"/a.txt?after","status":200,"bytes":6,'

it "says so when it cannot log"
run "$weft" serve -p0 --log "$scratch/none/log" "$www"
expect status 1
expect stdout ""
expect stderr "weft: cannot write the log '$scratch/none/log': No such file or directory"

run "$weft" serve -p0 --log "$scratch" "$www"
expect status 1
expect stderr "weft: cannot write the log: illegal operation on a directory"

it "gives up if one of its threads cannot begin, and says why once"
run bash -c 'ulimit -n 24; exec "$@"' - "$weft" serve -q -p0 -t8 "$www"
expect status 1
expect stdout ""
[[ $stderr == "weft: cannot "*"too many open files" && $stderr != *$'\n'* ]] || fail "$stderr"

it "says so when nobody can learn where it is"
run bash -c '"$1" serve -q -p0 -t2 / >/dev/full' - "$weft"
expect status 1
expect_part stderr "weft: cannot write to standard output"

# ---- the end ------------------------------------------------------------------------------------

# download RATE: slowly, in the background; $loader. What the kernel has it gets also from a server
# that is gone, so that even one that is cut off needs its time.
download() {
    rm -f "$scratch/got"
    curl -sS --max-time 20 --limit-rate "$1" -o "$scratch/got" "$url/large" 2>"$scratch/.curl" &
    loader=$!
    soon test -s "$scratch/got" || fail "the download does not begin"
}

it "finishes a slow download after SIGTERM, and takes nothing new"
start "$weft" serve -p0 -t2 "$www"
download 24M
kill -TERM "$pid"
soon grep -q under "$scratch/err" || fail "it says nothing of the download"
is_over "$pid" && fail "it does not wait"
soon eval '! (: <"/dev/tcp/127.0.0.1/${url##*:}") 2>/dev/null' || fail "it still listens"
wait "$loader" || fail "the download fails: $(<"$scratch/.curl")"
cmp -s "$www/large" "$scratch/got" || fail "the download is not complete"
over
expect status 0
expect_part stderr "weft: finishing what is under way; once more to end at once"

for signal in TERM:143 INT:130 HUP:129; do
    it "ends at once after a second SIG${signal%:*}"
    start "$weft" serve -q -p0 -t2 "$www"
    download 8M
    kill "-${signal%:*}" "$pid"
    soon eval '! (: <"/dev/tcp/127.0.0.1/${url##*:}") 2>/dev/null'
    kill "-${signal%:*}" "$pid"
    over
    expect status "${signal#*:}"
    wait "$loader" && fail "a download that was cut off looks complete"
done

it "cuts off what is not over after --drain-seconds"
start "$weft" serve -q -p0 --drain-seconds 1 "$www"
download 8M
stop
expect status 1
expect stderr "weft: some requests took longer than 1 s and were cut off"
kill "$loader" 2>/dev/null
start "$weft" serve -q -p0 --drain-seconds 0 "$www"
download 8M
stop
expect status 0
kill "$loader" 2>/dev/null

it "ends on SIGHUP as well, if there is no log to open again; not under nohup"
start "$weft" serve -q -p0 "$www"
kill -HUP "$pid"
over
expect status 0
start nohup "$weft" serve -q -p0 "$www"
kill -HUP "$pid"
get /a.txt
expect code 200
stop

if command -v valgrind >/dev/null && ! grep -q "__[at]san_init" "$weft"; then
    it "is clean under valgrind"
    start valgrind -q --error-exitcode=99 --leak-check=full "$weft" serve -p0 -t2 --metrics "$www"
    get /a.txt
    expect body hello
    get /
    get /-/metrics
    expect code 200
    stop
    expect status 0
    [[ $stderr != *==* ]] || fail "$stderr"
fi
