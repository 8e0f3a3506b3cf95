#!/usr/bin/env bash
# weft spider: spaces of URLs that have no end, and how a crawl without a nesting gets out of them.
# ctest: timeout=120
# shellcheck disable=SC2119,SC2154  # site, host, took_ms and the like are set by what is sourced
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/hostile.sh"
hostile

it "gets to the end of a calendar by itself"
fresh
measured "$site/calendar" inf 8
expect status 0
expect_part stdout "done: 2004 saved" # a thousand months from the first two, both ways
expect_part stdout "links left out: 2, because"
expect_part stderr "and more like it, are left out"
expect_part stderr "(--max-chain)"
expect_bounded 15000

it "says nothing of it when it is quiet"
fresh
spider -q --max-chain 3 "$site/calendar" inf
expect status 0
expect stderr ""

it "goes no further when it is run again, and further with another limit"
fresh
spider -q --max-chain 20 "$site/calendar" inf 4
[ "$(saved)" -eq 44 ] || fail "$(saved) files"
spider --max-chain 20 "$site/calendar" inf 4
expect_part stdout "nothing to do"
spider -q --max-chain 30 "$site/calendar" inf 4
[ "$(saved)" -eq 64 ] || fail "$(saved) files"

it "counts on when it was interrupted"
fresh
spider -q --max-chain 20 --max-pages 10 "$site/calendar" inf
spider -q --max-chain 20 "$site/calendar" inf
[ "$(saved)" -eq 44 ] || fail "$(saved) files"

it "takes only so many that differ in numbers only"
fresh
spider --max-like 300 "$site/days" inf 4
expect status 0
[ "$(saved)" -eq 301 ] || fail "$(saved) files"
expect_part stdout "(--max-like)"
fresh
spider -q --max-like 300 --max-pages 100 "$site/days" inf 4
spider -q --max-like 300 "$site/days" inf 4
[ "$(saved)" -eq 301 ] || fail "$(saved) files"

it "asks only so many hosts"
fresh
spider -p --max-hosts 5 --retries 0 "$site/many_hosts" 0 8
expect status 3
expect_part stdout "4 failed"
expect_part stdout "links left out: 46, because there are more hosts than that (--max-hosts)"

it "takes only so many of a host"
fresh
spider --max-per-host 100 "$site/words" inf 4
expect status 0
[ "$(saved)" -eq 100 ] || fail "$(saved) files"
expect_part stdout "(--max-per-host)"

it "ends paths that go round in circles"
fresh
spider "$site/folders/" inf 4
expect status 0
[ "$(saved)" -eq 69 ] || fail "$(saved) files" # all ways to put three a and three b, and fewer
expect_part stdout "(--max-repeats)"

it "ends URLs that grow"
fresh
spider "$site/growing" inf
expect status 0
[ "$(saved)" -eq 17 ] || fail "$(saved) files"
expect_part stdout "(--max-params)"
fresh
spider --max-url 1000 "$site/longer" inf
expect status 0
expect_part stdout "(--max-url)"
[ "$(saved)" -gt 10 ] || fail "$(saved) files"
[ "$(saved)" -lt 30 ] || fail "$(saved) files"

it "does not follow the links of many pages that are the same"
fresh
spider --max-same 5 --max-repeats 0 --max-url 0 "$site/same/" inf
expect status 0
expect_part stdout "pages whose links were left out: 6"
[ "$(saved)" -eq 11 ] || fail "$(saved) files"
spider --max-same 5 --max-repeats 0 --max-url 0 "$site/same/" inf
expect_part stdout "nothing to do"

it "does not follow them either when it looks through what it has once more"
again=(--max-same 5 --max-repeats 0 --max-url 0)
for changed in "--report $scratch/report.html" "--include *" "--exclude *.zip" --no-robots; do
    fresh
    spider -q "${again[@]}" "$site/same/" inf 1
    [ "$(saved)" -eq 11 ] || fail "$(saved) files"
    for _ in 1 2; do
        set -f # the patterns are not the shell's
        # shellcheck disable=SC2086  # an option and its value
        spider "${again[@]}" $changed "$site/same/" inf 1
        set +f
        expect status 0
        [ "$(saved)" -eq 11 ] || fail "$changed: $(saved) files"
    done
done
fresh
spider -q "${again[@]}" "$site/same/" inf 1
rm -r "$home/.weft" # what is there is looked for on the disk
spider "${again[@]}" "$site/same/" inf 1
expect_part stdout "pages whose links were left out: 6"
[ "$(saved)" -le 15 ] || fail "without a state: $(saved) files" # two of five need not be the same as before

it "does not follow more of them each time an update is stopped"
fresh
spider -q "${again[@]}" "$site/same/" inf 1
stopped=0
for _ in 1 2 3 4 5 6; do
    spider --update "${again[@]}" --max-bytes 300 "$site/same/" inf 1
    [[ $stdout != *"updated in part: "* ]] || stopped=$((stopped + 1))
    spider "${again[@]}" "$site/same/" inf 1
done
[ "$stopped" -ge 3 ] || fail "only $stopped were stopped" # the limit is about so many bytes
[ "$(saved)" -eq 11 ] || fail "$(saved) files"

it "tells why their links are not followed"
spider --why "$site/same/c/d/d/" "$site/same/" "${again[@]}"
expect status 0
expect_part stdout "its links are left out: too many pages are the same (--max-same)"

it "looks through as many as it may when the limit is a larger one"
fresh
spider -q "${again[@]}" "$site/same/" inf 1
spider -q --max-same 8 --max-repeats 0 --max-url 0 "$site/same/" inf 1
[ "$(saved)" -eq 17 ] || fail "$(saved) files"

it "counts a page that is fetched again no second time"
fresh
spider -q "$site/alike/" 1
rm -r "$home/$host/alike/"[0-9]*
spider -q "$site/alike/" inf
[ "$(saved)" -eq 41 ] || fail "files were gone: $(saved) files"
fresh
spider -q "$site/alike/" 1 --warc "$scratch/alike.warc" --warc-only
spider -q "$site/alike/" inf --warc "$scratch/another.warc" --warc-only
spider -q "$site/alike/" inf
[ "$(saved)" -eq 41 ] || fail "from an archive: $(saved) files"
fresh
spider -q "${again[@]}" "$site/alike/" 1 1 # five at most
rm -r "$home/$host/alike/"[0-9]*
spider -q "${again[@]}" "$site/alike/" inf 1
[ "$(saved)" -eq 26 ] || fail "of too many: $(saved) files"

it "takes a start URL however it looks"
fresh
spider -q --max-url 30 --max-params 1 "$site/leaf/12345678901234567890?a&b&c" 0
expect status 0
[ "$(saved)" -eq 1 ] || fail "$(saved) files"

it "has no limit with 0"
fresh
spider -q --max-chain 0 --max-pages 1200 --max-same 0 --max-like 0 --max-per-host 0 \
    "$site/endless_frames" inf
[ "$(saved)" -eq 1200 ] || fail "$(saved) files"
