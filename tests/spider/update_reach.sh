#!/usr/bin/env bash
# What an update asks for: also what was to be looked through first, and what is beyond the edge and pages are
# shown with; and what it asks for last.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"

# asked PATH...: these were asked for since the last time somebody looked.
asked() {
    local path all
    all=$(requests)
    for path; do
        grep -q "^GET $path [0-9]" <<<"$all" || fail "it did not ask for $path, but for: $all"
    done
}

it "follows links of pages that were to be looked through when it began"
pages
links /p{10..29} | page /
for i in {10..29}; do
    links "/q$i" | page "/p$i"
    page "/q$i" <<<"$i"
done
fresh
spider "$site/" 1
spider --max-pages 5 "$site/" 2
expect_part stdout "stopped at the limit"
spider --update "$site/" 2
expect status 0
[ "$(saved)" -eq 41 ] || fail "$(saved) files"
fresh
spider --exclude '/q*' "$site/" 2
spider --max-time 1ms "$site/" 2
spider --update "$site/" 2
[ "$(saved)" -eq 41 ] || fail "after other rules: $(saved) files"

it "asks each time for what pages are shown with, also beyond the edge"
pages
page / <<<'<a href=/a.html>a</a>'
page /a.html <<<'<img src=/g.png><link rel=stylesheet href=/s.css><iframe src=/frame></iframe><a href=/b.html>b</a>'
page /g.png 200 'Content-Type: image/png' <<<g
page /s.css 200 'Content-Type: text/css' <<<'p {}'
page /frame <<<'<img src=/in_frame.png>'
page /in_frame.png 200 'Content-Type: image/png' <<<g
page /b.html <<<b
fresh
spider -p "$site/" 2
for turn in 1 2 3; do
    requests >/dev/null
    page /g.png 200 'Content-Type: image/png' <<<"g$turn"
    page /in_frame.png 200 'Content-Type: image/png' <<<"i$turn"
    spider -p --update "$site/" 1
    expect_part stdout "updated: 0 new, 2 changed, 0 gone, 4 the same"
    [ "$(<"$home/$host/g.png")" = "g$turn" ] || fail "it has the old picture"
    asked / /a.html /g.png /s.css /frame /in_frame.png
done

it "tries again what pages are shown with and could not be had"
page /s.css 500 <<<busy
fresh
spider -p --retries 0 "$site/" 2
expect_no_file s.css
page /s.css 200 'Content-Type: text/css' <<<'p {}'
spider -p --update "$site/" 1
expect_file s.css

it "asks for what has come nearer than the edge"
pages
links /a | page /
links /b | page /a
links /c /lost | page /b
page /c <<<c
fresh
spider "$site/" inf
page /c <<<'another c'
page /lost <<<'is there'
links /a /c /lost | page /
spider --update "$site/" 1
expect_part stdout "updated: 1 new, 2 changed, 0 gone, 1 the same"
[ "$(<"$home/$host/c.html")" = "another c" ] || fail "it has the old one"
expect_file lost.html

# sixty: / links to /p10 to /p69, the first half of which cannot be had.
sixty() {
    local i
    pages
    links /p{10..69} | page /
    for i in {10..69}; do
        page "/p$i" <<<"$i"
    done
}

half_fail() {
    local i
    for i in {10..39}; do
        page "/p$i" 500 <<<busy
    done
}

it "gets to what can be had, whatever cannot, although a limit of bytes stops each run"
sixty
half_fail
fresh
for _ in {1..20}; do
    spider -q --retries 0 --max-bytes 2k "$site/" inf 2
    [ "$(saved)" -lt 31 ] || break
done
[ "$(saved)" -eq 31 ] || fail "$(saved) files"

it "does so when it asks again, too"
sixty
fresh
spider "$site/" inf
half_fail
for i in {40..69}; do
    page "/p$i" <<<"another $i"
done
spider --update --retries 0 --max-bytes 2k "$site/" inf 2
for _ in {1..20}; do
    [[ $stdout == *"updated in part"* ]] || break
    spider --retries 0 --max-bytes 2k "$site/" inf 2
done
expect_part stdout "updated: "
for i in {40..69}; do
    [ "$(<"$home/$host/p$i.html")" = "another $i" ] || fail "/p$i is the old one"
done
