#!/usr/bin/env bash
# weft spider: killed at random moments, and run again each time.
#
# The tree is in the end the same as without, and no page is asked for more often than it was under
# way when the spider was killed, and once more. The site writes a line when a request begins to be
# answered in full or is cut off; what the spider had saved, and had told the state, it may not ask
# for again. WEFT_KILLS: how often (10).
# ctest: timeout=300 labels=stress
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
kills=${WEFT_KILLS:-10}
pages=400
concurrency=8
RANDOM=${WEFT_SEED:-$$}
echo "seed ${WEFT_SEED:-$$}"

tree() {
    (cd "$1" && find . -name .weft -prune -o -type f -exec sha256sum {} + | sort -k 2 |
        sed "s,127.0.0.1:[0-9]*,HOST,")
}

site --no-extras --pages "$pages" --seed 7
fresh
spider -q "$site/" inf "$concurrency"
expect status 0
whole=$(tree "$home")

it "ends with the same tree as without being killed, $kills times"
site --no-extras --pages "$pages" --seed 7 --delay 4
fresh
killed=0
while [ "$killed" -lt "$kills" ]; do
    "$weft" spider -q -o "$home" "$site/" inf "$concurrency" >/dev/null 2>"$scratch/err" &
    pid=$!
    sleep "0.$(printf %03d $((RANDOM % 60 + 5)))"
    if ! kill -KILL "$pid" 2>/dev/null; then
        wait "$pid"
        # It was complete before it could be killed: once more, from the beginning.
        site --no-extras --pages "$pages" --seed 7 --delay 4
        fresh
        continue
    fi
    wait "$pid" 2>/dev/null
    killed=$((killed + 1))
    [ ! -s "$scratch/err" ] || fail "after $killed kills it says: $(<"$scratch/err")"
done
spider -q "$site/" inf "$concurrency"
expect status 0
[ "$(tree "$home")" = "$whole" ] || fail "the tree is not the same: $(saved) files"
[ -z "$(ls -A "$home/.weft/tmp")" ] || fail "leftovers: $(ls -A "$home/.weft/tmp")"

it "asks again only for what was under way"
# With every kill at most $concurrency pages were under way.
again=$(stats | awk 'NR > 1 && $2 != "/robots.txt" { count += $1 - 1 } END { print count + 0 }')
echo "  $again requests more than pages, in $kills kills"
[ "$again" -le $((kills * concurrency)) ] || fail "$again requests too many"
most_often=$(stats | awk 'NR > 1 && $2 != "/robots.txt" && $1 > m { m = $1 } END { print m }')
[ "$most_often" -le $((kills + 1)) ] || fail "one page was asked for $most_often times"
