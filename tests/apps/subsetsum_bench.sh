#!/usr/bin/env bash
# weft subsetsum bench: short runs; the table, the figures for machines and the drawing agree, and
# nothing stays behind.
# shellcheck disable=SC2034  # status is for expect
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1

# rows: "MODE REQUESTS P50 P99 MAX SEARCHES SMALL" a mode.
rows() {
    grep -E '^(sync|steps|threads|procs|redis) ' <<<"$stdout"
}

# no row for which the awk condition holds
no_row() {
    local bad
    bad=$(rows | awk "$1")
    [ -z "$bad" ] || fail "$bad"
}

# soon COMMAND...: until it succeeds, for at most ten seconds.
soon() {
    local end=$((SECONDS + 10))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.02
    done
}

# No search ends so soon.
it "has a line for each mode"
run "$weft" subsetsum bench --seconds 0.4 --numbers 56 --svg plot.svg
expect status 0
expect stderr ""
expect_part stdout "3 searches at a time among 56 integers, for 0.4 s; 2 workers where there are any
mode      requests     p50 ms     p99 ms     max ms  searches   small ms"
is=$(rows | awk '{ printf "%s ", $1 }')
[ "$is" = "sync steps threads procs " ] || fail "$stdout"
no_row 'NF != 7'

it "has latencies in order"
no_row '$2 < 1 || $3 <= 0 || $3 > $4 || $4 > $5'

it "shows that sync blocks: nobody is answered before the time is over"
no_row '$1 == "sync" && ($2 != 1 || $5 < 200 || $7 < 200)'
expect_part stdout "sync: the last request was not answered"
no_row '$6 != 0'

it "shows that procs does not"
rows | awk '{ most[$1] = $5; count[$1] = $2 } END { exit !(most["procs"] < most["sync"]) || count["procs"] < 2 }' ||
    fail "$stdout"

it "draws the same figures"
rows >table
python3 - table plot.svg <<'END' || fail "the drawing is not the table"
import sys
import xml.etree.ElementTree as xml
root = xml.parse(sys.argv[2]).getroot()
space = "{http://www.w3.org/2000/svg}"
assert root.tag == space + "svg", root.tag
texts = [text.text for text in root.iter(space + "text")]
marks = [len(list(root.iter(space + tag))) for tag in ("circle", "path")]
rows = [line.split() for line in open(sys.argv[1])]
for mode, _, p50, p99, most, _, _ in rows:
    at = texts.index(mode)
    assert texts[at : at + 4] == [mode, p50, p99, most], texts[at : at + 4]
assert marks == [len(rows) + 1] * 2, marks  # and the legend's
assert "prefers-color-scheme" in root.find(space + "style").text
assert not any(key.endswith("href") for part in root.iter() for key in part.keys())
END

it "counts searches that end, and prints JSON"
run "$weft" subsetsum bench --seconds 0.3 --numbers 20 --modes procs,steps --json
expect status 0
expect stderr ""
python3 - <<<"import json
all = json.loads('''$stdout''')
assert all['numbers'] == 20 and all['seconds'] == 0.3 and all['searches'] == 3, all
assert all['workers'] == 2, all
assert [one['mode'] for one in all['modes']] == ['steps', 'procs'], all
for one in all['modes']:
    assert 0 < one['p50_ms'] <= one['p99_ms'] <= one['max_ms'], one
    assert one['answered'] <= one['requests'] <= one['answered'] + 1, one
    assert one['searches'] >= 3 and one['small'] >= 1 and one['small_ms'] > 0, one
" || fail "$stdout"

it "refuses what makes no sense"
for wrong in "--modes sync,fast" "--modes sync," "--modes redis" "--redis redis://x --modes sync" \
    "--redis x" "--numbers 57" "--numbers 19" "--seconds 0.1" "--seconds 601" "--seconds x" more; do
    # shellcheck disable=SC2086  # several words
    run "$weft" subsetsum bench $wrong
    expect status 2
done

it "says that it cannot draw, when it has told"
run "$weft" subsetsum bench --seconds 0.2 --modes steps --svg nowhere/plot.svg
expect status 1
no_row 'NF != 7'
expect_part stderr "weft: cannot write 'nowhere/plot.svg': No such file or directory"

it "starts workers for mode redis"
redis-server --port 0 --unixsocket "$scratch/redis" --save "" >redis.log 2>&1 &
redis=$!
trap 'kill -KILL "$redis" 2>/dev/null; finish' EXIT
soon [ -S redis ] || fail "Redis did not start: $(<redis.log)"
run "$weft" subsetsum bench --seconds 0.8 --numbers 20 --modes redis --redis "unix:$scratch/redis"
expect status 0
no_row 'NF != 7 || $2 < 1 || $6 < 1'
kill "$redis"

it "says so when there is no Redis"
run "$weft" subsetsum bench --seconds 0.6 --modes redis --redis "unix:$scratch/nobody"
expect status 0
expect_part stderr "Redis"
no_row '$2 < 1 || $6 != 0'

# family PID: the number of its server, and one of a worker of that, once they are there.
family() {
    server=$(pgrep -P "$1" -f server-of) && worker=$(pgrep -P "$server" | tail -n 1) &&
        [ -n "$worker" ]
}

# A zombie is over: whoever has to reap it may take his time.
gone() {
    ! kill -0 "$1" 2>/dev/null || grep -qs '^State:.Z' "/proc/$1/status"
}

it "ends on a signal, with its server and the workers of that"
"$weft" subsetsum bench --modes procs --seconds 60 >out 2>err &
pid=$!
soon family $pid || fail "no server with workers"
kill -TERM $pid
status=0
wait "$pid" || status=$?
expect status 143
soon gone "$server" || fail "the server is still there"
soon gone "$worker" || fail "a worker is still there"
[ ! -s err ] || fail "$(<err)"

it "takes them along when it is killed"
"$weft" subsetsum bench --modes procs --seconds 60 >out 2>err &
pid=$!
soon family $pid || fail "no server with workers"
kill -KILL $pid
wait "$pid" 2>/dev/null
soon gone "$server" || fail "the server is still there"
soon gone "$worker" || fail "a worker is still there"

it "says so when its server is killed"
"$weft" subsetsum bench --modes procs --seconds 60 >out 2>err &
pid=$!
soon family $pid || fail "no server with workers"
kill -KILL "$server"
status=0
wait "$pid" || status=$?
stderr=$(<err)
expect status 1
expect_part stderr "weft: procs: "

it "stops when nobody reads what it says"
"$weft" subsetsum bench --modes steps,threads --seconds 0.2 2>err | true
status=${PIPESTATUS[0]}
stderr=$(<err)
expect status 1
expect_part stderr "weft: cannot write to standard output"
