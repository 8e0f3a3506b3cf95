#!/usr/bin/env bash
# weft spider: interrupted, and run again.
# ctest: timeout=120
# shellcheck disable=SC2034  # status, stdout and stderr are read by expect
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"

# The files and their bytes, whatever else is there.
tree() {
    (cd "$home" && find . -name .weft -prune -o -type f -exec sha256sum {} + | sort -k 2)
}

site --no-extras --pages 60 --delay 20

it "finishes what is under way after Ctrl-C, says how to go on, and exits with 4"
fresh
"$weft" spider -o "$home" "$site/" inf 3 >"$scratch/out" 2>"$scratch/err" </dev/null &
pid=$!
enough() { [ "$(saved)" -ge 5 ]; }
soon enough
kill -INT "$pid"
status=0
wait "$pid" || status=$?
expect status 4
stdout=$(<"$scratch/out") stderr=$(<"$scratch/err")
expect_part stderr "finishing what is under way"
expect_part stdout "run the same command again to go on"
part=$(saved)
[ "$part" -lt 60 ] || fail "it was complete already"
[ "$(total)" -eq "$part" ] || fail "$(total) requests for $part files: something was left in the middle"

it "goes on where it was"
spider "$site/" inf 8
expect status 0
[ "$(saved)" -eq 60 ] || fail "$(saved) files"
[ "$(total)" -eq 60 ] || fail "$(total) requests for 60 pages"
whole=$(tree)

it "leaves at once at the second Ctrl-C"
site --no-extras --pages 60 --delay 3000
fresh
"$weft" spider -o "$home" "$site/" inf 3 >/dev/null 2>&1 </dev/null &
pid=$!
under_way() { [ "$(stats | awk 'NR == 1 { print $4 }')" -ge 1 ]; }
soon under_way
kill -INT "$pid"
sleep 0.4 # what comes sooner is the first one, told twice
kill -INT "$pid"
begun=$SECONDS status=0
wait "$pid" || status=$?
expect status 4
[ $((SECONDS - begun)) -lt 2 ] || fail "it took $((SECONDS - begun)) s"

it "takes two at once for one, as timeout sends them"
site --no-extras --pages 60 --delay 500
fresh
"$weft" spider -o "$home" "$site/" inf 3 >/dev/null 2>&1 </dev/null &
pid=$!
soon under_way
kill -TERM "$pid"
kill -INT "$pid"
status=0
wait "$pid" || status=$?
expect status 4
[ "$(saved)" -ge 1 ] || fail "it did not finish what was under way"

it "takes a hang-up for a Ctrl-C, but not under nohup"
site --no-extras --pages 60 --delay 20
fresh
"$weft" spider -o "$home" "$site/" inf 3 >"$scratch/out" 2>"$scratch/err" </dev/null &
pid=$!
soon enough
kill -HUP "$pid"
status=0
wait "$pid" || status=$?
expect status 4
stderr=$(<"$scratch/err")
expect_part stderr "finishing what is under way"
(trap '' HUP && exec "$weft" spider -o "$home" "$site/" inf 3) >/dev/null 2>&1 </dev/null &
pid=$!
more() { [ "$(saved)" -gt "$part" ]; }
part=$(saved)
soon more
kill -HUP "$pid"
status=0
wait "$pid" || status=$?
expect status 0
[ "$(saved)" -eq 60 ] || fail "$(saved) files"

it "goes deeper with a larger nesting, without fetching again what is there"
site --no-extras --pages 60
fresh
spider "$site/" 1 4
expect status 0
near=$(saved)
[ "$near" -lt 60 ] || fail "everything is one link away"
spider "$site/" 2 4
expect status 0
middle=$(saved)
[ "$middle" -gt "$near" ] || fail "$middle files are not more than $near"
spider "$site/" inf 4
expect status 0
[ "$(saved)" -eq 60 ] || fail "$(saved) files"
[ "$(total)" -eq 60 ] || fail "$(total) requests for 60 pages"

it "reads the files if the state is gone, and fetches nothing again"
rm -rf "$home/.weft"
before=$(total)
spider "$site/" inf 4
expect status 0
expect_part stdout "60 were there"
[ "$(total)" -eq "$before" ] || fail "$(($(total) - before)) requests"

it "fetches only what is missing"
rm -rf "$home/.weft" "$home/$host/p/7.html"
spider "$site/" inf 4
expect status 0
expect_file p/7.html
[ "$(total)" -eq $((before + 1)) ] || fail "$(($(total) - before)) requests"
[ -n "$whole" ] || fail "there was nothing"

it "goes on with a folder that wget made"
if command -v wget >/dev/null; then
    fresh
    (cd "$home" && wget -q -r -l inf "$site/")
    before=$(total)
    spider "$site/" inf 4
    expect status 0
    [ "$(total)" -eq "$before" ] || fail "$(($(total) - before)) requests"
else
    echo "  (there is no wget here: skipped)"
fi

it "tries again what failed for a reason that may pass, and not what is missing"
site --pages 10
fresh
spider "$site/" inf 8 --retries 0
expect status 3
before=$(asked /missing.html)
flaky=$(stats | awk '$2 ~ /^\/flaky/ { sum += $1 } END { print sum + 0 }')
spider "$site/" inf 8 --retries 0
[ "$(asked /missing.html)" -eq "$before" ] || fail "it asked again for what is not there"
[ "$(stats | awk '$2 ~ /^\/flaky/ { sum += $1 } END { print sum + 0 }')" -gt "$flaky" ] ||
    fail "it did not ask again for what had failed"

it "fetches again what somebody has removed, when it has to look through it"
site --no-extras --pages 30
fresh
spider "$site/" 1 4
edge=$(find "$home/$host/p" -name '*.html' | head -n 1)
rm "$edge"
spider "$site/" inf 4
expect status 0
[ -f "$edge" ] || fail "it is still missing"
[ "$(saved)" -eq 30 ] || fail "$(saved) files"

it "refuses to work in a folder that another crawl works in"
site --no-extras --pages 30 --delay 200
fresh
"$weft" spider -q -o "$home" "$site/" inf 1 >/dev/null 2>&1 </dev/null &
pid=$!
locked() { [ -e "$home/.weft/lock" ] && [ "$(saved)" -ge 1 ]; }
soon locked
spider "$site/" inf 1
expect status 5
kill -KILL "$pid"
wait "$pid" 2>/dev/null
[ -n "$stderr" ] || fail "it does not say why"
site --no-extras --pages 5
fresh

it "says so when the state is damaged, and does not begin anew"
spider "$site/" inf 2
expect status 0
truncate -s 5000 "$home/.weft/state.mdb"
spider "$site/" inf 2
expect status 5
expect_part stderr ".weft"
[ "$(total)" -eq 5 ] || fail "it fetched all the same"
