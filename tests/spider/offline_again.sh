#!/usr/bin/env bash
# A copy that works from the disk, and a site that changes: whichever commands were run in between, in the end each
# link leads to the file of what it means, or to the network.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"

# expect_links FILE LINK...: those of a file of the copy.
expect_links() {
    local file=$1 are
    shift
    are=$(grep -o 'href="[^"]*"' "$home/$host/$file" | sed 's/^href="//; s/"$//' | tr '\n' ' ')
    [ "$are" = "$* " ] || fail "$file leads to $are"
}

it "writes what a run without -k has fetched, when it is run with it again"
pages
links /a | page /
links /b | page /a
links / | page /b
fresh
spider -k "$site/" 1
expect_links a.html "$site/b"
spider "$site/" 2
spider -k "$site/" 2
expect_links a.html b.html
expect_links b.html index.html
links /b / | page /a
spider --update "$site/" 2
expect_links a.html /b /
spider -k "$site/" 2
expect_links a.html b.html index.html

it "gives a URL one name, whatever the fragments of links to it"
pages
links /a.html /deep/1 /a /deep/2 | page /
links '../a#other' ../a | page /deep/1
links '../a?#x' '../a#last' | page /deep/2
links / | page /a.html
links '/a.html#more' | page /a
page '/a?' <<<'x'
fresh
spider -k "$site/" inf 1
[ "$(find "$home/$host" -type f | wc -l)" -eq 6 ] || fail "there are others: $(find "$home/$host" -type f)"
other=$(cd "$home/$host" && echo a~*.html)
expect_links index.html a.html deep/1.html "$other" deep/2.html
expect_links deep/1.html "../$other#other" "../$other"
expect_links deep/2.html "../a@.html#x" "../$other#last"
expect_links "$other" 'a.html#more'

it "gives everything an ending that says what it is, also what was saved without -k"
pages
{
    links /notes /data.cgi /page.cgi /drawing.php
    echo '<link rel=stylesheet href="/style?v=2"><img src="/dot">'
} | page /
page /notes 200 'Content-Type: text/plain' <<<'<b>not bold</b>'
page /data.cgi 200 'Content-Type: application/json' <<<'[]'
links / | page /page.cgi
page /drawing.php 200 'Content-Type: image/svg+xml' <<<'<svg xmlns="http://www.w3.org/2000/svg"/>'
page '/style?v=2' 200 'Content-Type: text/css' <<<'p { background: url(dot) }'
page /dot 200 'Content-Type: image/png' <<<'PNG'
expect_endings() {
    expect_links index.html notes.txt data.cgi.json page.cgi.html drawing.php.svg style@v=2.css
    grep -q 'src="dot.png"' "$home/$host/index.html" || fail "$1: the picture"
    grep -q 'url(dot.png)' "$home/$host/style@v=2.css" || fail "$1: the style"
    for file in notes.txt data.cgi.json page.cgi.html drawing.php.svg dot.png; do
        expect_file "$file"
    done
    [ "$(find "$home/$host" -type f | wc -l)" -eq 7 ] || fail "$1: there are others: $(ls "$home/$host")"
}
fresh
spider -p -k "$site/" inf
expect_endings "at once"
spider -p -k --update "$site/" inf
expect_endings "after an update"
fresh
spider -p "$site/" inf
expect_file notes.html
spider -p -k "$site/" inf
expect_endings "later"

it "is made of files whose state is gone, too"
pages
links '/a.php?x=1' /b.cgi /c /deep/d | page /
links / /c | page '/a.php?x=1'
page /b.cgi 200 'Content-Type: image/png' <<<PNG
links ../c '../a.php?x=1' | page /deep/d
page /c <<<c
expect_whole() {
    expect_links index.html a@x=1.php.html "$1" c.html deep/d.html
    expect_links a@x=1.php.html index.html c.html
    expect_links deep/d.html ../c.html ../a@x=1.php.html
    expect_no_file a@x=1.php
}
fresh
spider "$site/" inf
expect_file a@x=1.php
rm -r "$home/.weft"
requests >/dev/null
spider -k -K "$site/" inf
[ -z "$(requests)" ] || fail "what is there was fetched"
expect_whole b.cgi # nobody says that it is a picture
expect_file a@x=1.php.html.orig
expect_file index.html.orig
fresh
spider "$site/" inf
rm -r "$home/.weft"
spider "$site/" inf
spider -k "$site/" inf
expect_whole b.cgi

it "leaves pages alone in which it cannot be seen where links stand, and finds their links again"
pages
links /wide | page /
printf '\xff\xfe' >"$scratch/wide"
printf '<a href="t">x</a>' | iconv -f ascii -t utf-16le >>"$scratch/wide"
page /wide <"$scratch/wide"
page /t <<<t
fresh
spider -k "$site/" 1
cmp -s "$home/$host/wide.html" "$scratch/wide" || fail "it is not as it came"
expect_no_file t.html
spider -k "$site/" inf
expect_file t.html
cmp -s "$home/$host/wide.html" "$scratch/wide" || fail "it is not as it came any more"

it "takes no file's place that belongs to a URL it has not come to yet"
pages
links /foo.xyz | page /
page /foo.xyz 200 'Content-Type: none' <<<'<p>foo <a href="/bar">b</a>'
links /foo.xyz.html | page /bar
page /foo.xyz.html <<<'another'
fresh
spider "$site/" inf
rm -r "$home/.weft"
spider -k "$site/" inf
expect_links index.html foo.xyz
expect_links bar.html foo.xyz.html
grep -q another "$home/$host/foo.xyz.html" || fail "what was there is gone"

it "keeps what somebody has added to a file"
pages
links /a | page /
links /b | page /a
page /b <<<b
fresh
spider -k "$site/" 1
echo '<p>my own' >>"$home/$host/a.html"
spider -k "$site/" 2
expect_links a.html b.html
[ "$(tail -n 1 "$home/$host/a.html")" = '<p>my own' ] || fail "$(tail "$home/$host/a.html")"
[ "$(grep -c 'weft: taken from' "$home/$host/a.html")" -eq 1 ] || fail "$(tail "$home/$host/a.html")"

it "leads to the file of what is gone, whatever else is answered later"
pages
links /a | page /
page /a <<<a
fresh
spider -k "$site/" 1
for status in 404 500 404 410; do
    page /a $status <<<no
    spider -k --update --retries 0 "$site/" 1
    expect_links index.html a.html
done
page /a <<<'here again'
spider -k --update "$site/" 1
grep -q 'here again' "$home/$host/a.html" || fail "$(<"$home/$host/a.html")"

it "takes what looks like a page for one, if nobody says what it is"
pages
links /untold /binary /odd.name | page /
page /untold 200 'Content-Type: none' <<<$'\n<!doctype html><a href="/t">t</a>'
page /odd.name 200 'Content-Type: none' <<<'<a href="/untold">u</a>'
page /binary 200 'Content-Type: none' <<<'x <a href="/no">n</a>'
page /t <<<t
fresh
spider -k "$site/" inf
expect_links index.html untold.html binary.html odd.name.html
expect_links untold.html t.html
expect_links odd.name.html untold.html
expect_links binary.html /no
spider -k --update "$site/" inf
expect_links odd.name.html untold.html
printf '\xef\xbb\xbf \n<a href="/t">t</a>' | page /marked 200 'Content-Type: none'
links /marked /senseless.xyz | page /
links /t | page /senseless.xyz 200 'Content-Type: foo'
fresh
spider "$site/" 1
expect_no_file t.html
spider "$site/" inf
expect_file t.html
spider -k "$site/" inf
expect_links marked.html t.html
expect_links senseless.xyz t.html

it "does not fetch more than it needs to see that something is no page, in a run that saves nothing"
pages
links /large | page /
head -c 30000000 /dev/zero | page /large 200 'Content-Type: none'
spider --list --log-json "$scratch/log" "$site/" inf
wire=$(sed -n 's/.*"event":"fetch".*\/large".*"wire":\([0-9]*\).*/\1/p' "$scratch/log")
[ "$wire" -lt 20000000 ] || fail "$wire bytes of it: $(<"$scratch/log")"

it "has the mark of an encoding in one place, whatever a page says before"
pages
{
    printf '<!-- x --!>'
    for _ in {1..20}; do
        printf '<a href="%s/a/%s">x</a>' "$site" "$(printf 'b/../%.0s' {1..60})"
    done
    printf -- '--><!doctype html><p>\xe9'
} | page / 200 'Content-Type: text/html; charset=windows-1252'
page /a/ <<<a
fresh
spider -k "$site/" 1
[ "$(head -c 29 "$home/$host/index.html")" = '<meta charset="windows-1252">' ] ||
    fail "$(head -c 100 "$home/$host/index.html")"
[ "$(grep -c 'meta charset' "$home/$host/index.html")" -eq 1 ] || fail "$(<"$home/$host/index.html")"
mapfile -t same < <(yes a/index.html | head -n 20)
expect_links index.html "${same[@]}"

it "writes into a file how it is encoded, if only the server said that"
pages
{
    links /koi
    printf '<link rel=stylesheet href="/koi.css">'
} | page /
printf '<!-- x --><!DOCTYPE html><title>\xf0\xd2</title><a href="/">x</a>' |
    page /koi 200 'Content-Type: text/html; charset=koi8-r'
printf 'p { content: "\xf0"; background: url(/dot) }' | page /koi.css 200 'Content-Type: text/css; charset=koi8-r'
page /dot 200 'Content-Type: image/png' <<<PNG
fresh
spider -k "$site/" inf
grep -qF '<!-- x --><!DOCTYPE html><meta charset="KOI8-R"><title>' "$home/$host/koi.html" ||
    fail "$(cat -v "$home/$host/koi.html")"
grep -q '^@charset "KOI8-R";p { content' "$home/$host/koi.css" || fail "$(cat -v "$home/$host/koi.css")"
spider -k --update "$site/" inf
[ "$(grep -c 'meta charset' "$home/$host/koi.html")" -eq 1 ] || fail "it is there twice"

it "gives pages that were saved without -k a name that says what they are"
pages
links /list.php '/list.php?page=2' /style | page /
links / '/list.php?page=2' | page /list.php
links /list.php | page '/list.php?page=2'
fresh
spider "$site/" inf
expect_file list.php
spider -k "$site/" inf
expect_no_file list.php
expect_links index.html list.php.html list@page=2.php.html "$site/style"
expect_links list.php.html index.html list@page=2.php.html
expect_links list@page=2.php.html list.php.html

it "knows files by the names they had, also those that an update without -k has given"
links '/list.php?page=2' / | page /list.php
spider --update "$site/" inf
expect_file list.php
spider -k "$site/" inf
expect_no_file list.php
expect_links index.html list.php.html list@page=2.php.html "$site/style"
expect_links list.php.html list@page=2.php.html index.html

it "follows a redirect that leads elsewhere now, in pages that have not changed"
pages
links /x/in /one '/latest#top' /two /latest | page /
links / ../latest ../one | page /x/in
page /one <<<'1'
page /two <<<'2'
page /latest 302 'Location: /hop' </dev/null
page /hop 302 'Location: /one' </dev/null
fresh
spider -k "$site/" inf
expect_links index.html x/in.html one.html one.html#top two.html one.html
expect_links x/in.html ../index.html ../one.html ../one.html
page /hop 302 'Location: /two' </dev/null
spider -k --update "$site/" inf
expect_links index.html x/in.html one.html two.html#top two.html two.html
expect_links x/in.html ../index.html ../two.html ../one.html
page /latest 302 'Location: /three' </dev/null
page /three <<<'3'
spider -k --update "$site/" inf
expect_links index.html x/in.html one.html three.html#top two.html three.html
page /latest <<<'itself'
spider -k --update "$site/" inf
expect_links index.html x/in.html one.html latest.html#top two.html latest.html
expect_links x/in.html ../index.html ../latest.html ../one.html
no_page /latest
spider -k --update "$site/" inf
expect_links index.html x/in.html one.html latest.html#top two.html latest.html
page /latest 301 'Location: /one' </dev/null
spider -k --update "$site/" inf
expect_links index.html x/in.html one.html one.html#top two.html one.html
fresh
spider -k "$site/" inf
expect_links index.html x/in.html one.html one.html#top two.html one.html

it "leads from pages that have not changed to what has another name now"
pages
links /notes.txt /a | page /
page /notes.txt 200 'Content-Type: text/plain' <<<notes
page /a <<<a
fresh
spider -k "$site/" inf
expect_links index.html notes.txt a.html
links / | page /notes.txt
spider -k --update "$site/" inf
expect_part stdout "updated: 0 new, 1 changed, 0 gone, 2 the same"
expect_links index.html notes.txt.html a.html

it "leads from pages that have not changed to where a page has moved"
page /a 301 'Location: /notes.txt' <<<moved
spider -k --update "$site/" inf
expect_links index.html notes.txt.html notes.txt.html

it "leaves alone what has not changed and leads nowhere else"
page /b <<<b
links / /b | page /notes.txt
touch -d '2020-01-01' "$home/$host/index.html"
spider -k --update "$site/" inf
expect_part stdout "updated: 1 new, 1 changed, 0 gone, 1 the same"
expect_links notes.txt.html index.html b.html
[ "$(stat -c %y "$home/$host/index.html" | cut -c1-10)" = 2020-01-01 ] || fail "the index was written"

it "keeps the names that its pages speak of, also in a run without -k"
pages
links /A /a | page /
page /a <<<a
fresh
spider -k --max-pages 1 "$site/" inf 1
spider "$site/" inf
spider -k "$site/" inf
lower=$(cd "$home/$host" && echo a*.html)
expect_links index.html "$site/A" "$lower"
page /A <<<A
spider -k --update "$site/" inf
upper=$(cd "$home/$host" && echo A*.html)
expect_links index.html "$upper" "$lower"

it "knows what is gone by the name it had, also if it was stopped before that was told"
pages
links /a.txt /b | page /
page /a.txt <<<a
page /b <<<b
fresh
spider -k "$site/" inf
expect_links index.html a.txt.html b.html
no_page /a.txt
spider --update "$site/" inf
spider -k "$site/" inf
expect_links index.html a.txt.html b.html
expect_file a.txt.html

it "knows what is no page any more by the name it had, and takes no name of a file for a URL"
pages
links /a.txt /b | page /
page /a.txt <<<a
page /b <<<b
fresh
spider -k "$site/" inf
expect_links index.html a.txt.html b.html
page /a.txt 200 'Content-Type: text/plain' <<<text
spider --update "$site/" inf
spider -k --report "$scratch/report.html" "$site/" inf
expect status 0
expect_links index.html a.txt b.html

it "leads to what comes after a limit, and to what an update has not asked for yet"
pages
links /a /b | page /
links /b /c | page /a
links /a | page /b
links / | page /c
fresh
spider -k --max-pages 2 "$site/" inf 1
expect_links index.html a.html "$site/b"
spider -k "$site/" inf
expect_links index.html a.html b.html
expect_links a.html b.html c.html
links /a /b /c | page /
spider -k --update --max-bytes 1 --no-robots "$site/" inf 1
expect_part stdout "updated in part: 0 new, 1 changed"
expect_links index.html a.html b.html c.html

it "leads to what failed in one run and came in the next"
pages
links /a | page /
page /a 500 <<<broken
fresh
spider -k --retries 0 "$site/" inf
expect status 3
expect_links index.html "$site/a"
page /a <<<a
spider -k "$site/" inf
expect status 0
expect_links index.html a.html

it "says how a page is encoded where only its server did"
pages
utf8='Content-Type: text/html; charset=utf-8'
links /said /plain /latin | page / 200 "$utf8"
page /said 200 "$utf8" <<<'<meta charset=utf-8><p>zwölf'
page /plain 200 "$utf8" <<<'<p>zwölf'
page /latin 200 'Content-Type: text/html; charset=latin1' <<<'<p>zw'
fresh
spider -k "$site/" inf
mark=$'\xef\xbb\xbf'
[[ $(<"$home/$host/plain.html") == "$mark<p>zwölf"* ]] || fail "nobody knows how it is encoded"
for name in index said latin; do
    [[ $(<"$home/$host/$name.html") == '<'* ]] || fail "$name has a mark"
done
page /plain 200 "$utf8" <<<'<a href=/new>zwölf</a>'
spider -k --update "$site/" inf
[ "$(grep -c "$mark" "$home/$host/plain.html")" -eq 1 ] || fail "it has not one mark"

it "says how a page is encoded where that says something else, or only seems to say it"
pages
page / 200 'Content-Type: text/html; charset=windows-1251' < <(printf '<script charset=utf-8></script><a href=/u>\xe6\xe6</a>')
page /u 200 "$utf8" <<<'<meta charset=iso-8859-1><a href=/x>ж</a>'
page /x 200 'Content-Type: application/xhtml+xml; charset=windows-1251' < <(printf '<html xmlns="http://www.w3.org/1999/xhtml"><head><title/></head><body>\xe6<a href="/y">y</a></body></html>')
page /y 200 'Content-Type: application/xhtml+xml' <<<'<html xmlns="http://www.w3.org/1999/xhtml"><head><title/><script src="z.js"/></head><body><a href="/">y</a></body></html>'
page /z.js 200 'Content-Type: text/javascript' </dev/null
fresh
spider -k "$site/" inf
expect status 0
grep -aq '^<meta charset="windows-1251"><script' "$home/$host/index.html" || fail "$(head -n 1 "$home/$host/index.html")"
[[ $(<"$home/$host/u.html") == "$mark<meta"* ]] || fail "$(head -n 1 "$home/$host/u.html")"
grep -aq '^<?xml version="1.0" encoding="windows-1251"?>' "$home/$host/x.xhtml" || fail "$(cat "$home/$host/x.xhtml")"
expect_links x.xhtml y.xhtml
expect_links y.xhtml index.html
expect_file z.js

it "tells a link to a redirect that is a page now from one to where it led"
pages
links /p /A /z | page /
links /z /zf /A | page /p
page /A <<<A
page /z 302 'Location: /A' </dev/null
page /zf 302 'Location: /A#end' </dev/null
fresh
spider -k "$site/" inf
expect_links p.html A.html A.html#end A.html
page /z <<<Z
page /zf <<<ZF
spider -k --update "$site/" inf
expect_links index.html p.html A.html z.html
expect_links p.html z.html zf.html A.html
spider -k --update "$site/" inf
expect_links p.html z.html zf.html A.html

it "leaves a redirect its fragment, also when that leads to nothing any more"
page /zf 302 'Location: /A#end' </dev/null
spider -k --update "$site/" inf
expect_links p.html z.html A.html#end A.html
page /zf 302 'Location: /B#there' </dev/null
page /B <<<B
spider -k --update "$site/" inf
expect_links p.html z.html B.html#there A.html
page /zf 302 'Location: /nowhere#at-all' </dev/null
spider -k --update "$site/" inf
expect_links p.html z.html "$site/zf" A.html

it "mends what was decided before a page had another type"
pages
links /p.asp /b | page /
links /p.asp | page /b
page /p.asp 200 'Content-Type: application/json' <<<'[]'
fresh
spider -k "$site/" 1 1
expect_links index.html p.asp.json b.html
page /p.asp <<<'a page'
spider -k --update "$site/" 2 1
expect_links index.html p.asp.html b.html
expect_links b.html p.asp.html

it "knows a file by each name that it had, also if another one's looks like it"
pages
links /a /a.html /A | page /
page /a 200 'Content-Type: text/plain' <<<'plain a'
page /a.html <<<'the other'
page /A 200 'Content-Type: text/plain' <<<'large A'
fresh
spider -k "$site/" inf
leads_to() { # TEXT…: how the files begin that the links of the first page lead to
    read -r first other large < <(grep -o 'href="[^"]*"' "$home/$host/index.html" | sed 's/^href="//; s/"$//' | tr '\n' ' ')
    local text
    for name in "$first" "$other" "$large"; do
        text=$(head -n 1 "$home/$host/$name")
        [ "$text" = "$1" ] || fail "a link leads to $name, which begins with: $text"
        shift
    done
}
leads_to 'plain a' 'the other' 'large A'
page /a <<<'html a'
page /A <<<'html A'
spider --update "$site/" inf
spider -k "$site/" inf
leads_to 'html a' 'the other' 'html A'
spider -k --update "$site/" inf
expect_links index.html "$first" "$other" "$large"

it "gives an ending to what an update without -k has not come to"
pages
{
    links /a
    echo '<link rel=stylesheet href="/style">'
} | page /
page /style 200 'Content-Type: text/css' <<<'p { color: red }'
page /a <<<a
fresh
spider -p "$site/" inf 1
spider --update --max-bytes 1 "$site/" inf 1
spider -k "$site/" inf 1
expect_links index.html a.html style.css
expect_file style.css

it "keeps an original beside the file that it belongs to"
fresh
spider -k -K "$site/" inf 1
expect_file style.css.orig
pages
links /style | page /
page /style <<<'a page'
fresh
spider -k -K "$site/" inf 1
expect_file style.html.orig
page /style 200 'Content-Type: text/css' <<<'p { color: red }'
spider --update "$site/" inf 1
spider -k -K "$site/" inf 1
expect_links index.html style.css
expect_no_file style.html.orig
[ "$(cat "$home/$host/style.css.orig")" = 'p { color: red }' ] || fail "it is: $(cat "$home/$host/style.css.orig")"

it "leads to what is known by a URL without its user"
pages
links "http://me:secret@$host/a" "http://me:secret@$host/missing" | page /
page /a <<<a
fresh
spider -k "$site/" inf
expect_links index.html a.html "$site/missing"

it "does not promise a page that leads to itself and cannot be saved"
pages
links /dir.html /b | page /
links /dir.html | page /b
links /dir.html | page /dir.html
fresh
mkdir -p "$home/$host/dir.html/in the way"
spider -k "$site/" inf 1
expect_links index.html "$site/dir.html" b.html
expect_links b.html "$site/dir.html"

it "says which pages it cannot write anew"
pages
{
    links /b
    head -c 70000000 /dev/zero | tr '\0' ' '
} | page /large
links /large | page /
page /b <<<b
fresh
spider -k "$site/" inf 1
expect_part stderr "large.html: its links stay as they came: it has more than 32 MB"
expect_links large.html /b
