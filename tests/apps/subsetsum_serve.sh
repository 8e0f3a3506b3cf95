#!/usr/bin/env bash
# weft subsetsum serve: the same answers in each mode; questions that are none; who is slow, who leaves, what
# dies, what takes too long.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
# shellcheck disable=SC2154  # pid, url, code and body are those of server.sh
weft=$WEFT_BUILD/weft
modes=(sync steps threads procs)
the_17=116,119,101,101,-116,109,101,-105,-102,117,-115,-97,119,-116,-104,-105,115
# 4 million matches, which are 240 MB, by lists that take no memory to speak of.
zeros=0$(printf ',0%.0s' {1..21})
# Even numbers have no odd sum, and one in the middle is looked for everywhere: minutes, and nothing is found.
read -r hard odd < <(awk 'BEGIN {
    srand(7)
    for (i = 0; i < 64; i++) {
        value = 2 * int(rand() * 2 ^ 38)
        sum += value
        printf "%s%.0f", i ? "," : "", value
    }
    printf " %.0f\n", 2 * int(sum / 4) + 1
}')
all=$("$weft" subsetsum solve --data "[$the_17]" --sum 0 | sed 's/^/Match: /' | sort)

serve() {
    start "$weft" subsetsum serve -q -p0 "$@"
}

# ask DATA SUM [CURL OPTION...]
ask() {
    local data=$1 sum=$2
    shift 2
    get "/subsetSum?data=[$data]&sum=$sum" --globoff "$@"
}

# search_on NAME: in the background, for long; $searcher. The server has it when the search line of curl is out.
search_on() {
    : >"$scratch/.searches"
    curl -sSv --globoff --max-time 30 -o /dev/null -w '%{http_code}\n' \
        "$url/subsetSum?data=[$hard]&sum=$odd" >"$scratch/$1" 2>"$scratch/.searches" &
    searcher=$!
    soon grep -q '^> GET' "$scratch/.searches" || fail "it cannot ask: $(<"$scratch/.searches")"
}

# Kilobytes of memory that a process has had, at most.
most_memory() {
    awk '/^VmHWM/ { print $2 }' "/proc/$1/status"
}

children_of() {
    ps -o pid= --ppid "$1" | tr -d ' '
}

# ---- the command line --------------------------------------------------------------------------

it "says what is wrong with its options"
while IFS='|' read -r options message; do
    # shellcheck disable=SC2086  # words
    run "$weft" subsetsum serve $options
    expect status 2
    expect_part stderr "$message"
done <<'END'
--mode fork|--mode
--mode redis|--mode redis needs --redis URL
--redis redis://127.0.0.1|--redis, --queue and --parts are for --mode redis
--queue q|--redis, --queue and --parts are for --mode redis
--parts 4|--redis, --queue and --parts are for --mode redis
--mode steps --workers 2|--workers is for --mode threads and --mode procs
--mode redis --redis http://x|--redis
--mode redis --redis redis://127.0.0.1 --queue a{b|--queue is a name
--time 0|--time is more than 0
--time 8d|--time is more than 0, and a week at most
--time soon|--time
--numbers 65|--numbers
--workers 0|--workers
--parts 0|--parts
extra|serve takes options only, not 'extra'
END
run "$weft" subsetsum worker
expect status 2
expect_part stderr "worker needs --redis URL"
run "$weft" subsetsum worker --redis nonsense
expect status 2
run "$weft" subsetsum worker --redis redis://127.0.0.1 --queue 'a}b'
expect status 2
run "$weft" subsetsum worker --redis redis://127.0.0.1 --lease 10ms
expect status 2
expect_part stderr "--lease is 50 ms at least"

# ---- answers -----------------------------------------------------------------------------------

for mode in "${modes[@]}"; do
    it "finds all, in mode $mode"
    serve --mode "$mode" --numbers 64 --time 300ms
    ask 1,2,-4,5,-3 0
    expect code 200
    expect body "Match: [1,2,-3]
Match: [2,-4,5,-3]"
    expect_part fields "Content-Type: text/plain; charset=utf-8"
    ask "$the_17" 0
    [ "$(wc -l <<<"$body")" = 507 ] || fail "not 507 but $(wc -l <<<"$body")"
    [ "$(sort <<<"$body")" = "$all" ] || fail "not those that solve finds"
    ask '' 0
    expect code 200
    expect body ""
    ask 7 7
    expect body "Match: [7]"
    ask 7 8
    expect code 200
    expect body ""
    ask 9223372036854775807,9223372036854775807 18446744073709551614
    expect body "Match: [9223372036854775807,9223372036854775807]"

    it "is alive on every other path, in mode $mode"
    for path in / /subsetsum /subsetSum/ /else; do
        get "$path"
        expect code 200
        expect body "I'm alive!"
    done
    get /subsetSum -X POST
    expect body "I'm alive!"

    it "gives up what takes too long, in mode $mode"
    ask "$hard" "$odd"
    expect code 504
    expect_part body "Error: "
    ask 1,2 3
    expect body "Match: [1,2]"

    it "does not gather what nobody takes, in mode $mode"
    before=$(most_memory "$pid")
    ask "$zeros" 0 --limit-rate 1M --max-time 0.25
    for one in "$pid" $(children_of "$pid"); do
        [ "$(most_memory "$one")" -lt $((before + 30000)) ] || fail "$one has $(most_memory "$one") KB; before: $before"
    done
    stop
    expect status 0
    expect stderr ""
done

# ---- questions that are none ------------------------------------------------------------------

it "says what is wrong with a question"
serve --mode steps --numbers 5
while IFS='|' read -r query message; do
    get "/subsetSum?$query" --globoff
    expect code 400
    [[ $body == "$message"* ]] || fail "of $query it says: $body"
done <<'END'
sum=0|data: the parameter is missing
data=[1]|sum: the parameter is missing
data=[1]&data=[2]&sum=0|data: the parameter is there more than once
data=[1]&sum=0&sum=0|sum: the parameter is there more than once
data=&sum=0|data: 
data=[1,2&sum=0|data: a comma or ']' is missing, at byte 5
data=[1.5]&sum=0|data: 
data=[1e3]&sum=0|data: 
data=[%221%22]&sum=0|data: 
data=[null]&sum=0|data: 
data={}&sum=0|data: 
data=[9223372036854775808]&sum=0|data: 
data=[1,2,3,4,5,6]&sum=0|data: there are more than 5 integers, which this server refuses
data=[1]&sum=|sum: 
data=[1]&sum=0x|sum: 
data=[1]&sum=1.0|sum: 
data=[%&sum=0|data: there is a % without two hex digits
data=[1%00]&sum=0|data: there is a byte 0 in it
END
get "/subsetSum?data=[$(printf '1%.0s' {1..5000})]&sum=0" --globoff
expect code 400
expect body "data: it is too long"
get '/subsetSum?data=%5B1%2C+2%5D&sum=3&other=1'
expect code 200
expect body "Match: [1,2]"
stop

# ---- who leaves --------------------------------------------------------------------------------

# By the shell's own sockets: to start a client takes longer than what is measured.
request() {
    printf 'GET /subsetSum?data=[%s]&sum=%s HTTP/1.1\r\nHost: x\r\n\r\n' "$1" "$2"
}

# One has its search under way and leaves, another one asks: microseconds until that is answered.
leave_and_ask() {
    local port=${url##*:} from line=''
    exec 5<>"/dev/tcp/127.0.0.1/$port"
    request "$hard" "$odd" >&5
    [ "$mode" != procs ] || soon eval '[ -n "$(children_of "$pid")" ]' || fail "there is no worker"
    sleep 0.05
    exec 6<>"/dev/tcp/127.0.0.1/$port"
    from=${EPOCHREALTIME/[^0-9]/}
    exec 5>&-
    request 1,2 3 >&6
    until [[ $line == Match:* ]]; do
        read -r -t 10 line <&6 || break
    done
    took=$((${EPOCHREALTIME/[^0-9]/} - from))
    exec 6>&-
    [ "$line" = "Match: [1,2]" ] || fail "the answer is $line"
}

for mode in steps threads procs; do
    it "stops searching for a client that has left, in mode $mode, and has its worker free in 50 ms"
    few=(--workers 1)
    [ "$mode" != steps ] || few=()
    serve --mode "$mode" "${few[@]}" --numbers 64
    best=1000000
    for _ in {1..20}; do # on a machine with other things to do
        leave_and_ask
        [ "$took" -ge "$best" ] || best=$took
        [ "$best" -gt 50000 ] || break
    done
    [ "$best" -le 50000 ] || fail "it took $best us"
    stop
    expect status 0
done

it "refuses what it has no place for, also on the loop"
serve --mode steps --waiting 1 --numbers 64
search_on one
soon eval 'ask 1,2 3 --max-time 2; [ "$code" = 503 ]' || fail "the second one gets $code"
kill -KILL "$searcher"
wait "$searcher" 2>/dev/null
soon eval 'ask 1,2 3; [ "$code" = 200 ]' || fail "it does not let go: $code"
stop

# One does not take all of its answer. While another's search blocks the loop it takes the rest, and leaves: the loop
# then hears of both at once.
it "survives a client that leaves when it has taken what was sent"
serve --mode sync --numbers 64
cat >"$scratch/leave.py" <<'END'
import random, socket, sys, time

def ask(data, total):
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 65536)
    client.connect(("127.0.0.1", int(sys.argv[1])))
    numbers = ",".join(map(str, data))
    client.sendall(f"GET /subsetSum?data=[{numbers}]&sum={total} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    return client

for round in range(4):
    leaving = ask([0] * 20, 0)
    time.sleep(0.2)
    blocking = ask([2 * random.randrange(-2**43, 2**43) for _ in range(46)], 1)
    time.sleep(0.1)
    leaving.setblocking(False)
    end = time.monotonic() + 0.15
    while time.monotonic() < end:
        try:
            leaving.recv(1 << 20)
        except BlockingIOError:
            time.sleep(0.005)
    leaving.shutdown(socket.SHUT_WR)
    blocking.settimeout(20)
    assert blocking.recv(4096).startswith(b"HTTP/1.1 200"), "the server is gone"
    leaving.close()
    blocking.close()
END
run python3 "$scratch/leave.py" "${url##*:}"
expect status 0
ask 1,2 3
expect body "Match: [1,2]"
stop
expect status 0

it "refuses what it has no place for, and says when to come again"
serve --mode procs --workers 1 --waiting 1 --numbers 64
search_on one
first=$searcher
soon eval '[ -n "$(children_of "$pid")" ]'
search_on two
second=$searcher
soon eval 'ask 1,2 3 --max-time 0.3; [ "$code" = 503 ]' || fail "the third one gets $code"
expect_part fields "Retry-After: 1"
kill -KILL "$first" "$second"
wait "$first" "$second" 2>/dev/null

it "tells the client when its worker dies, and goes on with another one"
search_on died
soon eval '[ -n "$(children_of "$pid")" ]'
sleep 0.1
kill -KILL "$(children_of "$pid")"
wait "$searcher"
[ "$(<"$scratch/died")" = 500 ] || fail "it was told $(<"$scratch/died")"
ask 1,2 3
expect body "Match: [1,2]"

it "ends with its workers, also in the middle of a search"
search_on cut
soon eval '[ -n "$(children_of "$pid")" ]'
sleep 0.05
workers=$(children_of "$pid")
kill -TERM "$pid"
sleep 0.05
kill -TERM "$pid"
over
wait "$searcher"
for one in $workers; do
    soon is_over "$one" || fail "worker $one is still there"
done

it "leaves no worker behind if it is killed"
serve --mode procs --workers 2 --numbers 64
search_on first
search_on second
soon eval '[ "$(children_of "$pid" | wc -l)" = 2 ]' || fail "there are no two workers"
workers=$(children_of "$pid")
kill -KILL "$pid"
over
for one in $workers; do
    soon is_over "$one" || fail "worker $one is still there"
done

it "tells of workers that cannot work"
run env -i "$weft" subsetsum worker --help
expect status 0
