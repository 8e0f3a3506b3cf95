#!/usr/bin/env bash
# weft sales serve --redis: several servers of one ledger give the same answers.
# shellcheck disable=SC2154  # code and body are those of server.sh, weft and db those of sales.sh
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
. "$WEFT_SOURCE/tests/lib/sales.sh"

. "$WEFT_SOURCE/tests/lib/redis.sh"

it "shares what it keeps with other processes, by Redis"
serve --redis "$redis_url"
first_url=$url first_pid=$pid
soon eval '[ "$(figure weft_sales_redis_listening)" = 1 ]' || fail "Redis is not there"
serve --redis "$redis_url"
soon eval '[ "$(figure weft_sales_redis_listening)" = 1 ]' || fail "Redis is not there"
song=$(total_of song)
get '/?item=song'
second_url=$url url=$first_url
get '/?item=song'
expect body "Total sales for item song is $song"
[ "$(figure weft_sales_scans_total)" = 0 ] || fail "it scans although the other one has it"
[ "$(figure weft_sales_redis_hits_total)" = 1 ] || fail "it was not found there"
add song 4
expect code 201
url=$second_url
soon eval 'get "/?item=song"; [ "$body" = "Total sales for item song is $((song + 4))" ]' ||
    fail "the other one still says: $body"

it "shares nothing with the servers of another ledger"
own_pid=$pid
"$weft" sales load --count 10 --db other.db >/dev/null
start "$weft" sales serve -q -p0 --db other.db --redis "$redis_url"
soon eval '[ "$(figure weft_sales_redis_listening)" = 1 ]' || fail "Redis is not there"
get '/?item=song'
expect body "$("$weft" sales total --db other.db song)"
stop
pid=$own_pid url=$second_url

it "goes on without Redis"
kill -KILL "$redis"
soon eval '[ "$(figure weft_sales_redis_connected)" = 0 ]' || fail "it does not see it"
add song 5
expect code 201
get '/?item=song'
expect body "Total sales for item song is $((song + 9))"
[ "$(figure weft_sales_redis_untold_total)" -gt 0 ] || fail "what it could not tell is not counted"
stop
expect status 0
pid=$first_pid
stop
expect status 0
expect stderr ""

it "says what becomes of Redis, once each time"
last_said() { # [TEXT]: about Redis
    [[ $(grep "^weft: Redis" "$scratch/err" | tail -n 1) == "weft: Redis $1"* ]]
}
says() {
    soon last_said "$1" || fail "it does not say '$1': $(<"$scratch/err")"
}
no="cannot be used, nothing is shared: "
start "$weft" sales serve -p0 --db "$db" --redis "$redis_url"
says "${no}connection refused"
redis_up
says "is there"
redis-cli -p "$redis_port" config set requirepass secret >/dev/null
redis-cli -p "$redis_port" -a secret client kill type normal >/dev/null 2>&1
says "${no}NOAUTH"
kill -KILL "$redis"
says "${no}connection refused"
stop
expect status 0
[ -z "$(grep "^weft: Redis" <<<"$stderr" | uniq -d)" ] || fail "it repeats itself: $stderr"
start "$weft" sales serve -q -p0 --db "$db" --redis "$redis_url"
sleep 0.5
stop
expect stderr ""
