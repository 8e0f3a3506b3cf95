#!/usr/bin/env bash
# weft subsetsum serve --mode redis and weft subsetsum worker: parts of a search, wherever there is a worker;
# workers and Redis die in the middle, and the answer is the same.
# ctest: timeout=120
# shellcheck disable=SC2154  # pid, url, code and body are those of server.sh, redis_url of redis.sh
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
. "$WEFT_SOURCE/tests/lib/redis.sh"
weft=$WEFT_BUILD/weft
the_17=116,119,101,101,-116,109,101,-105,-102,117,-115,-97,119,-116,-104,-105,115
# Half a second for one thread, and some matches.
long=$(awk 'BEGIN { srand(3); for (i = 0; i < 44; i++) printf "%s%.0f", i ? "," : "", 1 + int(rand() * 2 ^ 30) }')
long_sum=$(tr ',' '\n' <<<"$long" | awk 'NR % 2 { s += $1 } END { printf "%.0f", s }')

# worker [OPTION...]: in the background; $worker.
worker() {
    "$weft" subsetsum worker --redis "$redis_url" --queue test --lease 400ms "$@" 2>>"$scratch/worker.err" &
    worker=$!
    pids=("$worker" "${pids[@]}")
    disown "$worker"
}

ask() {
    local data=$1 sum=$2
    shift 2
    get "/subsetSum?data=[$data]&sum=$sum" --globoff --max-time 40 "$@"
}

# Nothing of a job is left in Redis.
is_clean() {
    [ "$(redis-cli -p "$redis_port" --raw keys '*' | grep -v ':parts$')" = "" ]
}

start "$weft" subsetsum serve -q -p0 --mode redis --redis "$redis_url" --queue test --time 30s
worker --threads 1
first=$worker
worker --threads 1

it "finds all, in parts"
ask 1,2,-4,5,-3 0
expect code 200
[ "$(sort <<<"$body")" = "Match: [1,2,-3]
Match: [2,-4,5,-3]" ] || fail "it finds $body"
ask "$the_17" 0
[ "$(wc -l <<<"$body")" = 507 ] || fail "not 507 but $(wc -l <<<"$body")"
[ "$(sort <<<"$body")" = "$("$weft" subsetsum solve --data "[$the_17]" --sum 0 | sed 's/^/Match: /' | sort)" ] ||
    fail "not those that solve finds"
ask '' 0
expect code 200
expect body ""
soon is_clean || fail "left: $(redis-cli -p "$redis_port" keys '*')"

it "says what is wrong with a question, and is alive elsewhere"
ask '1,' 0
expect code 400
get /
expect body "I'm alive!"

it "finds each once also if a worker is killed in the middle, and another one if that hangs"
whole=$("$weft" subsetsum solve --data "[$long]" --sum "$long_sum" | sort | sed 's/^/Match: /')
(
    sleep 0.3
    kill -KILL "$first"
    sleep 0.2
    kill -STOP "$worker"
    "$weft" subsetsum worker -q --redis "$redis_url" --queue test --lease 400ms --threads 1 \
        2>>"$scratch/worker.err" &
    echo $! >"$scratch/third"
    sleep 1
    kill -CONT "$worker"
) &
ask "$long" "$long_sum"
wait $!
pids=("$(<"$scratch/third")" "${pids[@]}")
expect code 200
[ "$(sort <<<"$body")" = "$whole" ] || fail "it finds $(wc -l <<<"$body") of $(wc -l <<<"$whole")"

it "stops the workers when the client leaves"
parts_are_taken() { [ "$(redis-cli -p "$redis_port" --raw keys '*:j:*' | wc -l)" = "$1" ]; }
curl -sS --globoff --max-time 20 "$url/subsetSum?data=[0$(printf ',0%.0s' {1..39})]&sum=0" >/dev/null 2>&1 &
client=$!
soon parts_are_taken 1 || fail "nothing is searched for"
kill -KILL $client
soon is_clean || fail "left: $(redis-cli -p "$redis_port" keys '*')"
ask 1,2 3
expect body "Match: [1,2]"

it "waits for Redis to come back"
kill -KILL "$redis"
(
    sleep 0.5
    redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --dir "$scratch" >>"$scratch/redis.log" 2>&1 &
    echo $! >"$scratch/again"
) &
ask 1,2 3
wait $!
pids=("$(<"$scratch/again")" "${pids[@]}")
expect code 200
expect body "Match: [1,2]"

it "gives its parts back when it is told to end"
kill -TERM "$worker" "$(<"$scratch/third")"
soon is_over "$worker" || fail "a worker does not end"
soon is_over "$(<"$scratch/third")" || fail "a worker does not end"

it "says that nobody has searched, if there is no worker"
stop
expect status 0
expect stderr ""
start "$weft" subsetsum serve -q -p0 --mode redis --redis "$redis_url" --queue test --time 300ms
ask 1,2 3
expect code 504
stop
