#!/usr/bin/env bash
# A check that has not looked at everything does not look as if nothing were broken.
# ctest: timeout=60
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"

check() {
    run timeout 30 "$weft" spider --check "$@"
}

# 40 pages, and then one that is not there: 42 URLs with the first.
pages
for i in {10..49}; do
    echo "/p$i"
    page "/p$i" <<<"$i"
done >"$scratch/targets"
echo /missing >>"$scratch/targets"
xargs printf '<a href="%s">x</a>\n' <"$scratch/targets" | page /

it "says how much a limit has left, and does not exit as if all were well"
check --max-pages 3 "$site/" inf 1
expect status 4
expect_part stdout "checked 3 URLs in "
expect_part stdout "
stopped at the limit of --max-pages: 39 not checked"
check --max-time 500ms --rate 10 "$site/" inf 1
expect status 4
expect_part stdout "
stopped at the limit of --max-time: "
[[ $stdout != *"checked 42 URLs"* ]] || fail "$stdout"

it "says nothing of a limit that is not reached"
check --max-pages 100 "$site/" inf 4
expect status 3
expect_part stdout "checked 42 URLs in "
[[ $stdout != *"not checked"* ]] || fail "$stdout"

it "says how much is left when it is interrupted"
some_are_asked() {
    [ "$(wc -l <"$scratch/requests")" -ge 5 ]
}
: >"$scratch/requests"
timeout 30 "$weft" spider --check --rate 20 "$site/" inf 1 >"$scratch/told" 2>/dev/null &
checking=$!
soon some_are_asked
kill -INT "$checking"
wait "$checking"
[ $? -eq 4 ] || fail "it exits otherwise"
grep -q '^interrupted: [0-9]* not checked$' "$scratch/told" || fail "it said: $(<"$scratch/told")"
! grep -q 'checked 42 URLs' "$scratch/told" || fail "it said: $(<"$scratch/told")"

it "does not count what robots.txt forbids as checked"
page /robots.txt <<<$'User-agent: *\nDisallow: /p1'
check "$site/" inf 4
expect_part stdout "checked 32 URLs in "
expect_part stdout "10 skipped"
no_page /robots.txt

it "tells what the limits against traps have left out"
check --max-per-host 10 "$site/" inf 4
expect_part stdout "links left out: 32, because its host has more URLs than that (--max-per-host)"
