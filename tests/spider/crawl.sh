#!/usr/bin/env bash
# weft spider: a site with everything on it.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
site --pages 60

it "takes the whole site home; what is missing there is counted, and does not stop it"
fresh
spider "$site/" inf 8
expect status 3
expect_part stderr "404 Not Found (linked from $site"
expect_part stderr "410 Gone"
expect_file index.html

it "asks for nothing twice, but for what failed the first time"
twice=$(stats | awk 'NR > 1 && $1 > 1 && $2 !~ /flaky|^\/_stats/ { print }')
[ -z "$twice" ] || fail "asked for more than once: $twice"

it "never has more downloads under way than it was told"
[ "$(most)" -le 8 ] || fail "$(most) at a time"

it "obeys robots.txt"
forbidden=$(stats | grep ' /private/' | grep -v open)
[ -z "$forbidden" ] || fail "asked for $forbidden"

it "comes again where a server failed once"
[ "$(stats | grep -c '^2 /flaky')" -ge 1 ] || fail "flaky: $(stats | grep flaky)"

it "saves what pages are shown with"
[ -n "$(find "$home" -name '*.png' -o -name '*.svg' -o -name '*.gif' | head -n 1)" ] ||
    fail "no picture"
[ -n "$(find "$home" -name '*.css')" ] || fail "no style sheet"
[ -n "$(find "$home" -name '*.woff2')" ] || fail "no font, which only a style sheet names"
[ -n "$(find "$home" -name '*.js')" ] || fail "no script"
[ -n "$(find "$home" -name '*.wav')" ] || fail "no sound"

it "gives a file and a folder of the same name a place each"
expect_file both.html
[ -n "$(find "$home/$host" -path '*/both/below*' -type f)" ] || fail "nothing below both"

it "keeps names apart that differ only by case"
[ "$(find "$home/$host" -maxdepth 1 -iname 'case*' -type f | wc -l)" -eq 2 ] ||
    fail "$(find "$home/$host" -maxdepth 1 -iname 'case*')"

it "keeps queries apart, under readable names"
[ -n "$(find "$home" -name '*@*page=2*')" ] || fail "no file with page=2 in its name"

it "saves the bytes that the server sent"
curl -sS "$site/big.bin" | cmp -s - "$home/$host/big.bin" || fail "big.bin is not the same"
[ "$(find "$home" -name .weft -prune -o -name 'empty*' -type f -size 0 -print | wc -l)" -ge 1 ] ||
    fail "the empty page is not there, or not empty"

it "gives a file the time of its page"
modified=$(curl -sSI "$site/" | tr -d '\r' | sed -n 's/^Last-Modified: //p')
[ "$(stat -c %Y "$home/$host/index.html")" -eq "$(date -d "$modified" +%s)" ] ||
    fail "$(stat -c %y "$home/$host/index.html") is not $modified"

it "leaves other hosts alone"
[ "$(find "$home" -mindepth 1 -maxdepth 1 ! -name .weft | wc -l)" -eq 1 ] ||
    fail "$(ls "$home")"

it "leaves no temporary file behind"
[ -z "$(ls -A "$home/.weft/tmp")" ] || fail "$(ls -A "$home/.weft/tmp")"

it "has done all there is to do: the same command fetches nothing"
before=$(total)
spider "$site/" inf 8
expect status 3
expect_part stdout "nothing to do"
[ "$(total)" -eq "$before" ] || fail "$(($(total) - before)) more requests: $(stats | head -30)"

