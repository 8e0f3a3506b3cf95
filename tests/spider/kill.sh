#!/usr/bin/env bash
# weft spider: killed at random moments, and run again each time.
#
# The tree is in the end the same as without, and no page is asked for more often than it was under
# way when the spider was killed, and once more. Under way is what the site was asked for in that
# run, and what is not settled in the state afterwards. WEFT_KILLS: how often (10).
# ctest: timeout=600
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
kills=${WEFT_KILLS:-10}
pages=$((kills * 100)) # so many that it is never complete too early
concurrency=8
seed=${WEFT_SEED:-$$}
RANDOM=$seed
echo "WEFT_SEED=$seed"

tree() {
    (cd "$1" && find . -name .weft -prune -o -type f -exec sha256sum {} + | sort -k 2 |
        sed "s,127.0.0.1:[0-9]*,HOST,")
}

site --no-extras --pages "$pages" --seed 7
fresh
spider -q "$site/" inf "$concurrency"
expect status 0
whole=$(tree "$home")

# The site's log has a line for each request: when there are so many, it is time.
answered() {
    [ "$(wc -l <"$scratch/log")" -ge "$1" ] || ! kill -0 "$pid" 2>/dev/null
}

# Which paths were asked for in this run, but are not settled.
note_interrupted() {
    stats >"$scratch/now"
    "$WEFT_BUILD/demo/state" "$home" | sed -n "/^waiting/! s,^[a-z]* [0-9]* $site,,p" \
        >"$scratch/settled"
    awk 'FILENAME == ARGV[1] { before[$2] = $1; next }
         FILENAME == ARGV[2] { settled[$1] = 1; next }
         FNR > 1 && $1 > before[$2] + 0 && !($2 in settled) { print $2 }' \
        "$scratch/before" "$scratch/settled" "$scratch/now" >>"$scratch/interrupted"
    cp "$scratch/now" "$scratch/before"
}

it "ends with the same tree as without being killed, $kills times"
site --no-extras --pages "$pages" --seed 7 --delay 10 --log "$scratch/log"
fresh
echo >"$scratch/before"
: >"$scratch/interrupted"
for ((killed = 1; killed <= kills; killed++)); do
    begun=$(wc -l <"$scratch/log")
    "$weft" spider -q -o "$home" "$site/" inf "$concurrency" >/dev/null 2>"$scratch/err" &
    pid=$!
    soon answered $((begun + RANDOM % 40))
    sleep "0.00$((RANDOM % 10))"
    if ! kill -KILL "$pid" 2>/dev/null; then
        fail "it was over before kill number $killed"
        break
    fi
    wait "$pid" 2>/dev/null
    [ ! -s "$scratch/err" ] || fail "before kill number $killed it says: $(<"$scratch/err")"
    sleep 0.02 # what was sent arrives
    note_interrupted
done
spider -q "$site/" inf "$concurrency"
expect status 0
[ "$(tree "$home")" = "$whole" ] || fail "the tree is not the same: $(saved) files"
[ -z "$(ls -A "$home/.weft/tmp")" ] || fail "leftovers: $(ls -A "$home/.weft/tmp")"

it "asks again only for what was under way"
stats >"$scratch/now"
again=$(awk 'FNR > 1 && $2 != "/robots.txt" { count += $1 - 1 } END { print count + 0 }' \
    "$scratch/now")
echo "  $again requests more than pages, $(wc -l <"$scratch/interrupted") interrupted"
[ "$kills" -lt 5 ] || [ "$again" -gt 0 ] || fail "no kill came while anything was under way"
too_often=$(awk 'FILENAME == ARGV[1] { interrupted[$1]++; next }
    FNR > 1 && $2 != "/robots.txt" && $1 > interrupted[$2] + 1 { print }' \
    "$scratch/interrupted" "$scratch/now")
[ -z "$too_often" ] || fail "asked for too often: $too_often"
