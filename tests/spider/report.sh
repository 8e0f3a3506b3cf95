#!/usr/bin/env bash
# The page of weft spider --report: it is there after every end, and in a real browser it loads without
# an error or a request, shows the figures of the log, opens its tree, sorts its tables, in light and dark.
# ctest: labels=browser timeout=180
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
here=$WEFT_SOURCE/tests/spider/report
cd "$scratch" || exit 1

# written: the page is complete, and no other file is beside it.
written() {
    [ "$(tail -n 1 "$1" 2>/dev/null)" = "</html>" ] || fail "there is no page $1"
    [ "$(find . -maxdepth 1 -name "$1*" | wc -l)" -eq 1 ] || fail "$(ls)"
}

it "is written at the end"
site --pages 60
fresh
spider -q --report page.html --log-json log.jsonl "$site/" inf 8
expect status 3
written page.html

it "knows, the second time, what the first run has found"
spider -q --report again.html "$site/" inf 8
expect status 3
written again.html
[ "$(total)" -eq "$(grep -c '"event":"fetch"' log.jsonl)" ] || fail "pages were asked for again"

it "looks through a crawl that was made without it, from the disk, and finds the same links"
fresh
spider -q "$site/" inf 8
before=$(total)
[ ! -e "$home/.weft/edges" ] || fail "links are kept, though nobody asked"
spider -q --report late.html "$site/" inf 8
written late.html
[ "$(total)" -eq "$before" ] || fail "$(($(total) - before)) requests were made"

it "is written after an interruption"
site --no-extras --pages 300 --delay 20
fresh
"$weft" spider -q -o "$home" --report stopped.html "$site/" inf 2 >/dev/null 2>&1 &
pid=$!
soon test -s "$home/$host/index.html"
kill -INT "$pid"
wait "$pid"
[ $? -eq 4 ] || fail "it was not interrupted"
written stopped.html

it "is written after two"
"$weft" spider -q -o "$home" --report left.html --page-timeout 1m "$site/" inf 2 >/dev/null 2>&1 &
pid=$!
soon test -e "$home/.weft/edges"
sleep 0.1
kill -INT "$pid"
sleep 0.4 # what comes sooner is the first one, told twice
kill -INT "$pid" 2>/dev/null
wait "$pid"
written left.html

it "says before it begins that it cannot be written, and afterwards if it cannot any more"
spider -q --report /nonexistent/page.html "$site/"
expect status 2
expect_part stderr "--report: cannot write to '/nonexistent'"
mkdir folder
spider -q --report folder "$site/"
expect status 2
expect_part stderr "--report: 'folder' is a folder"
fresh
long=$(printf 'x%.0s' {1..300})
spider -q --report "$long" --max-pages 1 "$site/" 0
expect status 5
expect_part stderr "weft: cannot write the report '$long': "

it "holds what a server sends as text"
fresh
end_site
python3 "$here/evil.py" >port &
site_pid=$!
soon test -s port
spider -q --report evil.html "http://127.0.0.1:$(<port)/" inf
written evil.html
! grep -qE '<img src=x|</script><' evil.html || fail "it can be read as HTML"

it "is written when what failed has a status that is well"
fresh
end_site
: >"$scratch/site.out"
python3 "$WEFT_SOURCE/tests/spider/log/uneven.py" "$scratch/uneven" >>"$scratch/site.out" &
site_pid=$!
soon site_is_ready
site=$(sed -n 's,^listening on \(.*\)/$,\1,p' "$scratch/site.out")
spider -q --retries 0 --report uneven.html "$site/" inf
expect status 3
written uneven.html

. "$WEFT_SOURCE/tests/lib/browser.sh"

# look [--links] PAGE [PICTURES]: what the browser sees there, in $seen.
look() {
    browse "$here/look.js" "$@"
    expect status 0
    seen=$stdout
    ! grep -qE '^(console|error|dialog|request|failed) ' <<<"$seen" ||
        fail "$(grep -E '^(console|error|dialog|request|failed) ' <<<"$seen")"
}

of() {
    sed -n "s/^$1 //p" <<<"$seen"
}

# is NAME VALUE
is() {
    [ "$(of "$1")" = "$2" ] || fail "$1 should be $2 but is $(of "$1")"
}

# figure NAME JAVASCRIPT: the page shows what is in the log, whose events are in e.
figure() {
    is "$1" "$(node -p "const e = require('fs').readFileSync('log.jsonl', 'utf8').trim().split('\n').map(JSON.parse); \
        const fetches = e.filter(x => x.event === 'fetch'), of = name => e.filter(x => x.event === name); $2")"
}

it "shows the figures of the log"
look "$scratch/page.html" ${WEFT_PICTURES:+"$WEFT_PICTURES"}
figure figure-saved "of('saved').length"
figure figure-failed "of('failed').length"
figure figure-moved "of('moved').length"
figure figure-skipped "of('skipped').length"
figure figure-wire "fetches.reduce((sum, x) => sum + x.wire, 0)"
figure figure-elapsed "of('end')[0].elapsed_ms"
figure class-good "fetches.filter(x => x.http >= 200 && x.http < 300).length"
figure class-moved "fetches.filter(x => x.http >= 300 && x.http < 400).length"
figure class-missing "fetches.filter(x => x.http >= 400 && x.http < 500).length"
figure class-broken "fetches.filter(x => x.http >= 500).length"
figure class-silent "fetches.filter(x => !x.http).length"
figure timeline-answers "fetches.length"
figure broken-targets "of('failed').length"
figure type-html "of('saved').filter(x => /^text\/html/.test(x.media_type)).length"
is timeline-bars true

it "names for each broken link the pages that have it"
grep -q "^broken .*/kinds/ .*/missing.html$" <<<"$seen" || fail "$(grep '^broken ' <<<"$seen")"
is broken-links-again "$(of broken-links)"
links=$(grep '^broken ' <<<"$seen" | sort)
[ -n "$links" ] || fail "there are none"

it "reads, sorts, filters, opens, and is light or dark"
is reads true
is reads-no-more true
is rows 12
is sorted true
is sort-told ascending
[ "$(of rows-all)" -gt 12 ] || fail "$(of rows-all) rows"
is hosts 1
is open true
is opened true
is paper-light bright
is ink-light dark
is paper-dark dark
is ink-dark bright
is phone-fits true

it "finds the same links from the disk"
look --links "$scratch/late.html"
late=$(grep '^broken ' <<<"$seen" | sort)
[ "$late" = "$links" ] || fail "$late"$'\n'"$links"

it "shows what failed as that, whatever its status"
look --badges "$scratch/uneven.html"
for place in .groups .tree; do
    for line in 'cut 200 broken' 'missing 404 missing' 'mute none silent' 'once 500 broken'; do
        grep -qxF "badge $place $line" <<<"$seen" || fail "no '$place $line': $seen"
    done
done
! grep -q ' good$' <<<"$seen" || fail "something looks well: $seen"

it "shows a run that fetched nothing, one that was stopped, and one that is hostile"
browse "$here/look.js" --glance \
    "$scratch"/{again,stopped,evil}.html
expect status 0
[ "$(grep -c '^glance [0-9]* 0$' <<<"$stdout")" -eq 3 ] || fail "$stdout"
! grep -qvE '^glance ' <<<"$stdout" || fail "$stdout"
