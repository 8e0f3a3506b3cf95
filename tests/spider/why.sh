#!/usr/bin/env bash
# weft spider --why: what became of a URL, who led to it; and for one that is not known, what the rules
# would say.
# ctest: timeout=60
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"

why() {
    run timeout 20 "$weft" spider -o "$home" --why "$@"
}

# line LABEL TEXT: it is said, behind this label.
line() {
    grep -qF "$(printf '  %-10s%s' "$1" "$2")" <<<"$stdout" || fail "$1 should be '$2': $stdout"
}

it "says that there is no crawl, and makes none"
fresh
why http://example.org/
expect status 5
expect stderr "weft: there is no crawl in '$home': say with -o where it is"
[ -z "$(ls -A "$home")" ] || fail "$(ls -A "$home")"

site --pages 30
spider -q --report "$scratch/page.html" "$site/" inf 8
before=$(total)

it "tells of one that is saved, and who links to it"
why "$site/"
expect status 0
expect_part stdout "$site/ is saved"
line answer 200
line file "$host/index.html, "
line found "it is a start URL"
line also "on $site/" # whoever came first
why "${site#http://}/#part"
expect status 0

it "tells of one that is missing, and the way that led to it"
why "$site/missing.html"
expect status 1
expect_part stdout "$site/missing.html failed"
line why "404 Not Found"
line depth "2 links from a start URL"
line found "on $site/kinds/"
line '' "on $site/, a start URL"

it "tells of one that is forbidden"
why "$site/private/secret.html"
expect status 1
expect_part stdout "$site/private/secret.html was skipped"
line why "robots.txt forbids it"

it "follows redirects to where they end"
why "$site/redirect/301"
expect status 0
expect_part stdout "leads to another URL"
line moved "301, to $site/redirect/landed.html"
line file "$host/redirect/landed.html, "
why "$site/redirect/loop/a"
expect status 1
line there failed

it "tells where a redirect leads to that is not followed"
why "$site/redirect/outside"
expect status 1
expect_part stdout "$site/redirect/outside leads to another URL"
line moved "301, not followed: it leads out of the scope: http://other.invalid/moved"
[[ $stdout != *"  there "* ]] || fail "nobody was there: $stdout"

it "tells what the rules would say of one that is not known"
why "$site/nowhere.html"
expect status 1
expect_part stdout "$site/nowhere.html is not known"
line rules "they have nothing against a link to it"
line robots "allows it"
line nesting "links are followed as far as they lead"
why "$site/private/other.html"
line robots "forbids it"
why "$site/nowhere.html" --exclude '*nowhere*' --no-robots "$site/" 3
line rules "a link to it would not be followed: excluded"
line '' "(the last run had others: give the options that it had, too)"
line robots "nobody asks it"
line nesting "links are followed 3 away from a start URL"
why http://elsewhere.example/
line rules "a link to it would not be followed: on another host"
line robots "what it says today is not known: http://elsewhere.example/robots.txt was not asked for, or too long ago"
why "$site/kinds"
line similar "$site/kinds/ is known, and is saved"

it "says what is no URL"
why ftp://example.org/
expect status 2
expect stderr "weft: 'ftp://example.org/' is no http or https URL"

it "has asked nobody, and changed nothing"
[ "$(total)" -eq "$before" ] || fail "$(($(total) - before)) requests"
spider "$site/" inf 8
expect_part stdout "nothing to do"

it "tells of one that waits"
site --no-extras --pages 50
fresh
spider -q --max-pages 2 "$site/" inf 1
waiting=$("$WEFT_BUILD/demo/state" "$home" | sed -n 's/^waiting [0-9]* //p' | head -n 1)
why "$waiting"
expect status 1
expect_part stdout "$waiting waits to be fetched"

it "says that a crawl is under way"
site --no-extras --pages 500 --delay 50
fresh
"$weft" spider -q -o "$home" "$site/" inf 2 >/dev/null 2>&1 &
pid=$!
soon test -s "$home/$host/index.html"
why "$site/"
expect status 5
expect stderr "weft: a crawl in '$home' is under way: ask again when it has ended"
kill -KILL "$pid"
wait "$pid" 2>/dev/null || : # killed, as it should be

it "tells where a redirect leads to that a limit keeps it from, as far as that is short enough"
pages
page / <<<"$(links /round /long)"
page /round 302 "Location: /a/a/a/a/" </dev/null
long=$(printf 'x%.0s' {1..5000})
page /long 302 "Location: /$long" </dev/null
fresh
spider -q "$site/" inf
why "$site/round"
expect status 1
line moved "302, not followed: its path goes round in circles: $site/a/a/a/a/"
why "$site/long"
expect status 1
line moved "302, not followed: the URL is too long: $site/xxx"
[[ $stdout == *xxx...$'\n'* && $stdout != *"$long"* ]] || fail "$stdout"

it "takes no notice of a password, and does not show it"
why "http://me:secret@$host/round"
line moved "302, not followed: its path goes round in circles: $site/a/a/a/a/"
why "http://me:secret@$host/nothing"
expect_part stdout "$site/nothing is not known"
[[ $stdout != *secret* ]] || fail "$stdout"
