#!/usr/bin/env bash
# weft spider: the same folder, but not the same command. Whatever was asked for in between, in the
# end there is what the last command asks for, and nothing was fetched twice.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/more.sh"

# How many files there are of the site with that URL.
of() {
    find "$home/${1#http://}" -type f 2>/dev/null | wc -l
}

expect_nothing_twice() {
    local twice
    twice=$(stats | awk 'NR > 1 && $1 > 1 && $2 != "/robots.txt"')
    [ -z "$twice" ] || fail "asked for more than once: $twice"
}

site --no-extras --pages 200
fresh
spider -q "$site/" 1 4
near=$(saved)
fresh
spider -q "$site/" 2 4
middle=$(saved)
[[ $near -lt $middle && $middle -lt 200 ]] || fail "the site is too small: $near, $middle"

it "fetches no more than a smaller nesting says, whatever waits"
site --no-extras --pages 200
fresh
spider --max-pages 3 "$site/" inf 2
spider "$site/" 0
expect status 0
[ "$(saved)" -eq 3 ] || fail "$(saved) files"
spider "$site/" 1 4
expect status 0
[ "$(saved)" -eq "$near" ] || fail "$(saved) files instead of $near"

it "has everything when it goes deeper again"
spider "$site/" 2 4
expect status 0
[ "$(saved)" -eq "$middle" ] || fail "$(saved) files instead of $middle"
spider "$site/" inf 4
expect status 0
[ "$(saved)" -eq 200 ] || fail "$(saved) files"
expect_nothing_twice

it "goes to and fro between nestings"
site --no-extras --pages 200
fresh
for run in '2 5' '1 7' 'inf 40' '0 44' '2 60' '1 70' '2 90' 'inf 1000'; do
    # shellcheck disable=SC2086  # a nesting and a number
    set -- $run
    spider --max-pages "$2" "$site/" "$1" 4
    expect status 0
done
[ "$(saved)" -eq 200 ] || fail "$(saved) files"
expect_nothing_twice

it "keeps apart what waits for one start URL when it is given another"
site --no-extras --pages 60
another --no-extras --pages 20
fresh
spider --max-pages 3 "$site/" inf 2
spider "$other/" inf 2
expect status 0
[ "$(of "$other")" -eq 20 ] || fail "$(of "$other") files of the other one"
spider "$site/" inf 2
expect status 0
[ "$(of "$site")" -eq 60 ] || fail "$(of "$site") files"
expect_nothing_twice

it "adds a start URL on the same host"
site --no-extras --pages 60
fresh
spider "$site/" 1 4
spider "$site/p/5.html" 1 4
expect status 0
one_by_one=$(of "$site")
expect_nothing_twice
fresh
spider "$site/" "$site/p/5.html" 1 4
[ "$(of "$site")" -eq "$one_by_one" ] || fail "$one_by_one files one by one, $(of "$site") at once"

it "reads files without a state to the end, also if it is stopped in between"
site --no-extras --pages 60
fresh
spider "$site/" inf 4
rm -rf "$home/.weft" "$home/$host/p/7.html" "$home/$host/p/33.html"
before=$(total)
spider --max-pages 20 "$site/" inf 4
expect status 0
spider "$site/" inf 4
expect status 0
[ "$(saved)" -eq 60 ] || fail "$(saved) files"
[ "$(total)" -eq $((before + 2)) ] || fail "$(($(total) - before)) requests for 2 files"

it "has the same with rules that come and go"
site --no-extras --pages 60
fresh
spider --exclude '/p/2*' --max-pages 9 "$site/" inf 4
spider --include '/p/3*' --max-pages 15 "$site/" inf 4
spider --exclude '/p/' "$site/" inf 4
expect status 0
spider "$site/" inf 4
expect status 0
[ "$(saved)" -eq 60 ] || fail "$(saved) files"
expect_nothing_twice

it "fetches a start URL whatever the rules say about it, also the second time"
site --no-extras --pages 10
port=${site##*:}
end_site
fresh
spider --retries 0 "$site/p/1.html" 0
expect status 1
site --no-extras --pages 10 --port "$port"
spider --exclude '/p/' "$site/p/1.html" 0
expect status 0
expect_file p/1.html

it "fetches what a page is shown with, also if it is a page and waited beyond the nesting"
site --pages 10
fresh
spider "$site/kinds/frames.html" 0 1
expect status 0
whole=$(of "$site")
expect_file leaf/iframe.html
fresh
spider --max-pages 1 "$site/kinds/frames.html" 0 1
expect status 0
spider "$site/kinds/frames.html" 0 1
expect status 0
expect_file leaf/iframe.html
[ "$(of "$site")" -eq "$whole" ] || fail "$(of "$site") files instead of $whole"
