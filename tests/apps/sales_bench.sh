#!/usr/bin/env bash
# weft sales bench: small runs of all modes; what the table says adds up; nothing stays behind.
# shellcheck disable=SC2034  # status is for expect
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
cd "$scratch" || exit 1

# rows: the lines of the table, "TEST MODE REQUESTS RATE P50 P99 SCANS JOINED HITS".
rows() {
    awk '/^requests: / { test = "paced" } /^clients: / { test = "closed" }
        $1 ~ /^(plain|batch|cache|promise)$/ { print test, $0 }' <<<"$stdout"
}

# no row for which the awk condition holds
no_row() {
    local bad
    bad=$(rows | awk "$1")
    [ -z "$bad" ] || fail "$bad"
}

nothing_left() {
    local left
    left=$(ls -A "$TMPDIR")
    [ -z "$left" ] || fail "left behind: $left"
}

it "makes a ledger of its own, and removes it"
run "$weft" sales bench --requests 5 --every 5 --clients 20 --seconds 0.3 --modes plain,batch,cache
expect status 0
expect stderr ""
expect_part stdout "Total sales for item book is 1012992"
nothing_left

it "has a line for each mode in both tests"
is=$(rows | awk '{ printf "%s/%s ", $1, $2 }')
[ "$is" = "paced/plain paced/batch paced/cache closed/plain closed/batch closed/cache " ] ||
    fail "$is"
no_row 'NF != 9'

it "accounts for every request: a scan, a scan that was joined, or a hit"
no_row '$3 != $7 + $8 + $9'

it "makes as many requests as were asked for"
no_row '$1 == "paced" && $3 != 5'
no_row '$1 == "closed" && $3 < 20'

it "scans for each request in mode plain, only for some in the others"
no_row '$2 == "plain" && $7 != $3'
no_row '$1 == "closed" && $2 != "plain" && $7 >= $3'
no_row '$2 == "cache" && $7 != 1'

it "has latencies in order"
no_row '$5 <= 0 || $5 > $6'

it "takes a ledger that is there, and leaves it there"
"$weft" sales add --db mine 'a "b" & ü' 42 >/dev/null
run "$weft" sales bench --db mine --item 'a "b" & ü' --requests 2 --every 1 --seconds 0 \
    --modes promise --scan-delay 30
expect status 0
expect_part stdout "is 42"
no_row '$6 < 25' # the later one had less to wait for
run "$weft" sales total --db mine
expect stdout "Total sales is 42"

it "joins requests that come while a scan is under way"
run "$weft" sales bench --db mine --requests 4 --every 1 --seconds 0 --modes batch --scan-delay 400
expect status 0
no_row '$7 != 1 || $8 != 3'

it "prints JSON"
run "$weft" sales bench --db mine --requests 3 --every 1 --seconds 0 --modes cache,plain --json
expect status 0
[[ $stdout == '{"clients":20,"seconds":0,"requests":3,"every_ms":1,"scan_delay_ms":0,"runs":['* ]] ||
    fail "$stdout"
modes=$(grep -oE '"test":"paced","mode":"[a-z]+","requests":3' <<<"$stdout" | cut -d '"' -f 8)
[ "$modes" = $'plain\ncache' ] || fail "$stdout"

it "says that there is no such ledger"
run "$weft" sales bench --db nowhere --modes plain --seconds 0
expect status 1
expect_part stderr nowhere
[ ! -e nowhere ] || fail "now there is one"

it "refuses what makes no sense"
for wrong in "--modes plain,fast" "--modes plain," "--clients 0" "--every 0" "--seconds x" "--seconds 2h" more; do
    # shellcheck disable=SC2086  # several words
    run "$weft" sales bench $wrong
    expect status 2
done
run "$weft" sales bench --item "$(printf '%0256d' 0)"
expect status 2
expect_part stderr "at most 255 bytes"

it "does nothing if nothing is asked for"
run "$weft" sales bench --requests 0 --seconds 0
expect status 0
expect stdout ""
run "$weft" sales bench --requests 0 --seconds 0 --json
expect_part stdout '"runs":[]}'
nothing_left

it "stops when nobody reads what it says, and removes its ledger"
"$weft" sales bench --requests 1 --seconds 20 2>err | true
status=${PIPESTATUS[0]}
stderr=$(<err)
expect status 1
expect_part stderr "weft: cannot write to standard output"
nothing_left

# child_of PID: the number of its server, once it has one.
child_of() {
    child=$(pgrep -P "$1" -f server-of)
}

# A zombie is over: whoever has to reap it may take his time.
gone() {
    ! kill -0 "$1" 2>/dev/null || grep -qs '^State:.Z' "/proc/$1/status"
}

# soon COMMAND...: until it succeeds, for at most ten seconds.
soon() {
    local end=$((SECONDS + 10))
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.02
    done
}

it "ends on a signal, with its server, and removes its ledger"
"$weft" sales bench --requests 0 --seconds 60 >out 2>err &
pid=$!
soon child_of $pid || fail "no server"
kill -TERM $pid
status=0
wait "$pid" || status=$?
expect status 143
soon gone "$child" || fail "the server is still there"
[ ! -s err ] || fail "$(<err)"
nothing_left

it "takes its server along when it is killed"
"$weft" sales bench --db mine --requests 0 --seconds 60 >out 2>err &
pid=$!
soon child_of $pid || fail "no server"
kill -KILL $pid
wait "$pid" 2>/dev/null
soon gone "$child" || fail "the server is still there"

it "says so when its server is killed"
"$weft" sales bench --db mine --requests 0 --seconds 60 --modes plain >out 2>err &
pid=$!
soon child_of $pid || fail "no server"
kill -KILL "$child"
status=0
wait "$pid" || status=$?
stderr=$(<err)
expect status 1
expect_part stderr "weft: plain: "
