#!/usr/bin/env bash
# weft spider: which pages are fetched does not depend on what comes first.
#
# /short/goal is two links away by a slow page and four by quick ones: who counts the way that came
# first would stop too early. The order of everything that is ready is shuffled by a seed as well.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
site --pages 20

# shellcheck disable=SC2034
expected_3=$'0\n1\n2\n3\nend-1\ngoal\nslow'
# shellcheck disable=SC2034
expected_4=$'0\n1\n2\n3\nend-1\nend-2\ngoal\nslow'

pages() {
    (cd "$home/$host/short" && find . -name '*.html' | sed 's,^\./,,; s,\.html$,,' | LC_ALL=C sort)
}

for seed in '' 1 2 3 4 5 6 7 8; do
    for nesting in 3 4; do
        it "fetches the same with nesting $nesting${seed:+ and seed $seed}"
        fresh
        WEFT_SHUFFLE=$seed spider -q "$site/short/0" "$nesting" 4
        expect status 0
        name=expected_$nesting
        [ "$(pages)" = "${!name}" ] || fail "$(pages)"
    done
done

it "fetches nothing twice on the way"
site --pages 20
fresh
spider -q "$site/short/0" 3 4
[ "$(total)" -eq 7 ] || fail "$(total) requests for 7 pages: $(stats)"
