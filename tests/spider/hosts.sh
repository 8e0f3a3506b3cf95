#!/usr/bin/env bash
# weft spider: several hosts at once.
#
# A proxy is asked for all of them, and is the demo site: so one site sees what is under way to all
# hosts together.
# ctest: timeout=120
# shellcheck disable=SC2034  # status, stdout and stderr are read by expect
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/more.sh"

# How many files there are of a host.
of() {
    find "$home/$1" -type f 2>/dev/null | wc -l
}

it "never has more downloads under way than it is told, from all hosts together"
site --no-extras --pages 25 --delay 20
printf 'http://%s.invalid/\n' a b c >"$scratch/urls"
fresh
spider --proxy "$site" --fast -i "$scratch/urls" inf 4
expect status 0
[ "$(saved)" -eq 75 ] || fail "$(saved) files"
[ "$(total)" -eq 75 ] || fail "$(total) requests for 75 pages"
[ "$(asked /robots.txt)" -eq 3 ] || fail "robots.txt was asked for $(asked /robots.txt) times"
[ "$(most)" -le 4 ] || fail "$(most) at a time"

it "has as many from each host as --per-host says, if there are so many in all"
site --no-extras --pages 25 --delay 20
fresh
spider --proxy "$site" --delay 1ms --per-host 2 -i "$scratch/urls" inf 8
expect status 0
[ "$(saved)" -eq 75 ] || fail "$(saved) files"
[ "$(most)" -le 6 ] || fail "$(most) at a time"
[ "$(most)" -gt 2 ] || fail "$(most) at a time: one host waits for another"

it "lets the hosts take turns"
site --no-extras --pages 100
fresh
spider --proxy "$site" --fast --max-pages 120 -i "$scratch/urls" inf 4
expect status 0
for one in a b c; do
    [ "$(of "$one.invalid")" -ge 20 ] || fail "only $(of "$one.invalid") of 120 are of $one"
done

it "is not held up by a host that is not there"
site --no-extras --pages 30
fresh
spider http://127.0.0.1:9/ "$site/" inf 2 --retries 1
expect status 1
expect_part stderr "http://127.0.0.1:9/: "
[ "$(of "$host")" -eq 30 ] || fail "$(of "$host") files"

it "is not held up by one that wants to be left alone"
another --no-extras --pages 30 --too-many 5 --retry-after 3000
fresh
"$weft" spider -q -o "$home" "$other/" "$site/" inf 2 >/dev/null 2>"$scratch/err" </dev/null &
pid=$!
complete() { [ "$(of "$host")" -eq 30 ]; }
soon complete || fail "$(of "$host") files"
[ "$(of "${other#http://}")" -lt 10 ] || fail "the other one was not left alone"

it "can be interrupted while it waits for one"
begun=$SECONDS
kill -INT "$pid"
status=0
wait "$pid" || status=$?
stderr=$(<"$scratch/err")
expect status 4
[ $((SECONDS - begun)) -lt 10 ] || fail "it took $((SECONDS - begun)) s"
