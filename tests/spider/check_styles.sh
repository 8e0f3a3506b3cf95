#!/usr/bin/env bash
# What style sheets name is checked like the links of pages.
# ctest: timeout=60
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"

check() {
    run timeout 30 "$weft" spider --check "$@"
}

# broken URL WHERE...: it is told, with all that name it.
broken() {
    local told
    told=$(printf '%s: 404 Not Found' "$1")
    shift
    told+=$(printf '\n    in %s' "$@")
    expect_part stdout "$told"
}

pages
style=(200 "Content-Type: text/css")
picture=(200 "Content-Type: image/png")
page / <<<'<link rel=stylesheet href=/a.css><link rel=stylesheet href=/theme?v=1><img src=/fine.png><img src=/chart.png>'
page /a.css "${style[@]}" <<<'@import "deeper/b.css"; body { background: url(lost.png) } p { background: url(fine.png) }'
page /deeper/b.css "${style[@]}" <<<'@import url(lost.css); @font-face { src: url("../lost.woff2") } i { background: url(../lost.png) }'
page '/theme?v=1' "${style[@]}" <<<'p { background: url(/theme-lost.png) }'
page /fine.png "${picture[@]}" <<<x
page /chart.png 200 "Content-Type: text/html" <<<'<a href=/page-lost.html>x</a>'

it "tells what is broken in style sheets, with the sheet that names it"
check "$site/" inf 4
expect status 3
broken "$site/lost.png" "$site/a.css" "$site/deeper/b.css"
broken "$site/lost.woff2" "$site/deeper/b.css"
broken "$site/deeper/lost.css" "$site/deeper/b.css"

it "knows a style sheet, and a page, by its type"
broken "$site/theme-lost.png" "$site/theme?v=1"
broken "$site/page-lost.html" "$site/chart.png"
expect_part stdout "5 broken, linked to in 6 places"

it "reads style sheets, and only looks at pictures"
asked=$(requests)
for line in 'GET /a.css 200' 'GET /deeper/b.css 200' 'HEAD /fine.png 200' 'HEAD /chart.png 200' 'GET /chart.png 200'; do
    grep -qxF "$line" <<<"$asked" || fail "there should be '$line': $asked"
done
for line in 'HEAD /a.css 200' 'GET /fine.png 200'; do
    ! grep -qxF "$line" <<<"$asked" || fail "there should be no '$line': $asked"
done

it "reads the style sheets of pages at the edge, whatever they are called, but not other pages there"
check "$site/" 0 4
broken "$site/lost.woff2" "$site/deeper/b.css"
broken "$site/theme-lost.png" "$site/theme?v=1"
[[ $stdout != *page-lost* ]] || fail "a page beyond the edge was read: $stdout"
asked=$(requests)
grep -qxF 'HEAD /theme?v=1 200' <<<"$asked" || fail "its type was not asked for: $asked"
grep -qxF 'GET /theme?v=1 200' <<<"$asked" || fail "it was not read: $asked"

it "asks for nothing that is excluded, wherever it is"
check --exclude '*/a.css' --exclude '*/theme*' "$site/" inf 4
[[ $stdout != *lost.png* && $stdout != *lost.woff2* ]] || fail "an excluded style sheet was read: $stdout"
! requests | grep '/\(a.css\|theme\)' >"$scratch/asked" || fail "it asked: $(<"$scratch/asked")"
links "http://localhost:${host#*:}/elsewhere" "http://localhost:${host#*:}/logout" | page /away
check --exclude '/logout' "$site/away" inf 4
[ "$(requests)" = 'GET /away 200
GET /elsewhere 404
HEAD /elsewhere 404' ] || fail "it asked for something else"

it "only looks at what is not part of the crawl"
page /away <<<"<link rel=stylesheet href=http://localhost:${host#*:}/a.css>"
check "$site/away" inf 4
[ "$(requests)" = 'GET /away 200
HEAD /a.css 200' ] || fail "it asked for something else"

it "tells of a style sheet that is broken itself"
page / <<<'<link rel=stylesheet href=/none.css>'
check "$site/" inf 4
expect status 3
broken "$site/none.css" "$site/"

it "does not take what nobody says the type of for more than a page that is too far away"
pages
links /far | page /
links /broken | page /far 200 'Content-Type: none' 'Head-Status: 405'
check "$site/" 0
expect status 0
expect_part stdout "0 broken"
