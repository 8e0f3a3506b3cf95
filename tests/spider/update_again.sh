#!/usr/bin/env bash
# A crawl that is looked at again, and what was asked of it before, or is at the same time: another nesting, an
# interruption, files that were there before the crawl.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"

it "goes on from a page that has come nearer, also if it has not changed"
pages
links /a | page /
links /b | page /a
links /c | page /b
page /c <<<c
fresh
spider "$site/" 2 1
expect_no_file c.html
links /a /b | page /
spider --update "$site/" 2 1
expect status 0
expect_file c.html

it "goes on with one that was stopped, whatever the next command is, and begins anew after that"
pages
links /a /b /c | page /
page /a <<<a
page /b <<<b
page /c <<<c
fresh
spider "$site/" inf
requests >/dev/null
spider --update --max-bytes 1 --no-robots "$site/" inf 1
expect_part stdout "updated in part: 0 new, 0 changed, 0 gone, 2 the same" # one was under way
spider "$site/" inf
expect_part stdout "updated: 0 new, 0 changed, 0 gone, 2 the same"
asked=$(requests)
[ "$asked" = "GET / 304
GET /a 304
GET /b 304
GET /c 304" ] || fail "it asked for: $asked"
page /a <<<'another a'
spider --update "$site/" inf
expect_part stdout "changed  $site/a"
expect_part stdout "updated: 0 new, 1 changed, 0 gone, 3 the same"

it "asks for files that were there before the crawl, too"
pages
links /a /b | page /
page /a <<<a
page /b <<<b
fresh
spider "$site/" inf
rm -r "$home/.weft"
spider "$site/" inf
expect_part stdout "3 were there"
page /a <<<'another a'
spider --update "$site/" inf
expect status 0
expect_part stdout "changed  $site/a"
expect_part stdout "updated: 0 new, 1 changed, 0 gone, 2 the same"
[ "$(<"$home/$host/a.html")" = 'another a' ] || fail "the change is not there"

it "does so also when they were gone or redirected meanwhile"
no_page /a
page /b 302 "Location: /c" <<<moved
page /c <<<c
spider --update "$site/" inf
expect_part stdout "updated: 1 new, 1 changed, 1 gone, 1 the same"
requests >/dev/null
page /a <<<'a third a'
spider --update "$site/" inf
expect status 0
[ "$(requests | cut -d ' ' -f 1,2)" = "GET /
GET /a
GET /b
GET /c" ] || fail "it did not ask for all"
[ "$(<"$home/$host/a.html")" = "a third a" ] || fail "it has the old one"

it "forgets what fields of a page said that it has not got any more"
pages
links /a | page / 200 'X-Robots-Tag: nofollow'
page /a <<<a
fresh
spider "$site/" 0
links /a / | page /
spider --update "$site/" 0
spider "$site/" 1
expect_file a.html

# broken FILE: who has which broken links, by the data in a report: "/page: /target".
broken() {
    python3 - "$1" "$site" <<'END'
import json, re, sys
text = re.search(r'<script type="application/json"[^>]*>(.*?)</script>', open(sys.argv[1]).read(), re.S)[1]
broken = json.loads(text.replace(sys.argv[2], ""))["broken"]
for page, _, *places in sorted(broken["pages"]):
    print(page + ":", *sorted(broken["targets"][place][0] for place in places))
END
}

it "reports the broken links that pages have now, not those that they had"
pages
links /a /b /c /one | page /
links /one /two | page /a
links /one /two | page /b
links /one | page /c
fresh
spider -q --report "$scratch/report.html" "$site/" inf 4
are=$(broken "$scratch/report.html")
[ "$are" = "/: /one
/a: /one /two
/b: /one /two
/c: /one" ] || fail "broken: $are"
links /a /b /c | page /
links /two | page /a
page /c 302 'Location: /a' <<<moved
spider -q --update --report "$scratch/report.html" "$site/" inf 4
are=$(broken "$scratch/report.html")
[ "$are" = "/a: /two
/b: /one /two" ] || fail "broken: $are"
no_page /b
spider -q --update --report "$scratch/report.html" "$site/" inf 4
are=$(broken "$scratch/report.html")
[ "$are" = "/: /b
/a: /two" ] || fail "broken: $are"
spider -q --report "$scratch/report.html" "$site/" inf 4
[ "$(broken "$scratch/report.html")" = "$are" ] || fail "the next time: $(broken "$scratch/report.html")"

it "asks for nothing beyond the nesting, and leaves it as it is"
pages
links /a | page /
links /b | page /a
links /c | page /b
page /c <<<c
fresh
spider -k "$site/" inf
requests >/dev/null
spider -k --update "$site/" 1
expect_part stdout "updated: 0 new, 0 changed, 0 gone, 2 the same"
asked=$(requests)
[ "$asked" = "GET / 304
GET /a 304" ] || fail "it asked for: $asked"
grep -q 'href="b.html"' "$home/$host/a.html" || fail "it leads away from what is there"
spider -k "$site/" inf
[ -z "$(requests)" ] || fail "it fetched something"

it "counts pages that are the same as each other once, not with each update"
pages
links /1 /2 /3 /4 | page /
for i in 1 2 3 4; do
    links below | page "/$i" 200 'ETag: none'
done
fresh
spider --max-same 5 "$site/" inf
[[ $stdout != *"left out"* ]] || fail "$stdout"
spider --update --max-same 5 "$site/" inf
expect_part stdout "5 the same"
[[ $stdout != *"left out"* ]] || fail "$stdout"

it "tells of a page that is redirected now"
pages
links /a /b | page /
page /a <<<a
page /b <<<b
fresh
spider "$site/" inf
page /a 301 'Location: /b' </dev/null
spider --update --log-json "$scratch/log" "$site/" inf
expect_part stdout "changed  $site/a"
expect_part stdout "updated: 0 new, 1 changed, 0 gone, 2 the same"
grep '"event":"moved"' "$scratch/log" | grep -q '"update":"changed"' || fail "the log does not: $(<"$scratch/log")"
expect_file a.html
spider --update "$site/" inf
expect_part stdout "updated: 0 new, 0 changed, 0 gone, 2 the same"

it "asks the next time with what the server says this time"
pages
page / 200 'ETag: "one"' <<<unchanged
fresh
spider "$site/" 0
page / 200 'ETag: "two"' <<<unchanged
spider --update "$site/" 0
expect_part stdout "1 the same"
: >"$scratch/requests"
spider --update "$site/" 0
expect_part stdout "1 the same"
[ "$(requests)" = 'GET / 304' ] || fail "it was downloaded again"

it "takes what has another type now for changed"
pages
links /text | page /
links /found | page /text 200 'Content-Type: text/plain' 'ETag: "plain"'
page /found <<<found
fresh
spider -k "$site/" inf
[ -f "$home/$host/text.txt" ] || fail "there is no text: $(find "$home/$host")"
links /found | page /text 200 'Content-Type: text/html' 'ETag: "page"'
spider --update -k "$site/" inf
expect_part stdout "updated: 1 new, 1 changed, 0 gone, 1 the same"
[ -f "$home/$host/text.html" ] || fail "its name stayed: $(find "$home/$host")"
grep -q 'href="found.html"' "$home/$host/text.html" || fail "its link was not written"

it "does not take an answer for a redirect that nobody asked for"
pages
page / 304 <<<x
fresh
spider "$site/" 0
expect status 1
expect_part stderr "it says that it has not changed, and was not asked that"
page / <<<x
spider "$site/" 0
expect status 0

# sixty [NAME]: / links to /p10 to /p69, and what they say has NAME in it.
sixty() {
    local i
    for i in {10..69}; do
        page "/p$i" <<<"$i${1-}"
    done
}

it "asks for everything that is known, and comes to an end, with a limit for pages"
pages
for i in {10..69}; do
    echo "/p$i"
done | xargs printf '<a href="%s">x</a>\n' | page /
sixty
fresh
spider --max-pages 10 "$site/" inf
[ "$(saved)" -eq 10 ] || fail "$(saved) files"
requests >/dev/null
for _ in 1 2; do
    spider --update --max-pages 10 "$site/" inf
    expect status 0
    expect_part stdout "updated: 0 new, 0 changed, 0 gone, 10 the same"
    [ "$(requests | wc -l)" -eq 10 ] || fail "it asked for other pages"
done
sixty ", changed"
for changed in 9 0; do
    spider --update --max-pages 10 "$site/" inf
    expect status 0
    expect_part stdout "updated: 0 new, $changed changed, 0 gone, $((10 - changed)) the same"
    [ "$(saved)" -eq 10 ] || fail "$(saved) files"
done

it "takes what is new up to the limit, when it has asked for what is known"
requests >/dev/null
spider --update --max-pages 12 "$site/" inf 1
expect status 0
expect_part stdout "updated: 2 new, 0 changed, 0 gone, 10 the same"
[ "$(requests)" = "GET / 304
$(printf 'GET /p%d 304\n' {10..18})
GET /p19 200
GET /p20 200" ] || fail "it asked for something else"
no_page /p12
spider --update --max-pages 12 "$site/" inf 1
expect_part stdout "updated: 1 new, 0 changed, 1 gone, 11 the same"

it "asks for what was gone again, and does not promise that the next time will be another"
requests >/dev/null
for _ in 1 2; do
    spider --update --max-pages 12 "$site/" inf 1
    expect status 3
    expect_part stdout "updated: 0 new, 0 changed, 0 gone, 12 the same"
    expect_part stdout "URLs wait: a larger --max-pages goes on"
    requests | grep -qx 'GET /p12 404' || fail "it did not ask for what was gone"
done

it "asks for what is there before what could not be had the first time, with a limit"
for i in {10..14}; do
    page "/p$i" 500 <<<busy
done
page /p12 500 <<<busy
fresh
spider --retries 0 --max-pages 10 "$site/" inf 1
[ "$(saved)" -eq 10 ] || fail "$(saved) files"
sixty ", changed again"
spider --update --max-pages 10 "$site/" inf 1
expect_part stdout "updated: 0 new, 9 changed, 0 gone, 1 the same"
[ "$(saved)" -eq 10 ] || fail "$(saved) files"

it "goes on with one that a limit of bytes stopped before it had asked for everything"
fresh
spider --max-pages 10 "$site/" inf 1
spider --update --max-pages 10 --max-bytes 1 "$site/" inf 1
expect_part stdout "updated in part"
requests >/dev/null
spider --max-pages 10 "$site/" inf 1
expect_part stdout "updated: 0 new, 0 changed, 0 gone"
[ "$(requests | wc -l)" -ge 8 ] || fail "it asked for fewer"
spider --max-pages 10 "$site/" inf 1
expect_part stdout "stopped at the limit"
[ -z "$(requests)" ] || fail "it asked for something"
