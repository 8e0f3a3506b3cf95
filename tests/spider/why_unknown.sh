#!/usr/bin/env bash
# weft spider --why of a URL that is not known: what rules and limits would say, and nothing that is not so.
# ctest: timeout=60
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"

why() {
    run timeout 20 "$weft" spider -o "$home" --why "$@"
    expect status 1
}

# line LABEL TEXT: this is said behind that label, and no more.
line() {
    grep -qxF "$(printf '  %-10s%s' "$1" "$2")" <<<"$stdout" || fail "$1 should be '$2': $stdout"
}

others='(the last run had others: give the options that it had, too)'

# same_rules, other_rules OPTION...: --why with them has the rules of the last run, or others.
same_rules() {
    why "$site/none.html" "$@"
    [[ $stdout != *"$others"* ]] || fail "the last run had these rules: $*"
}

other_rules() {
    why "$site/none.html" "$@"
    line '' "$others"
}

pages
page / <<<"$(links a.html) <a rel=nofollow href=unwanted.html>x</a>"
page /a.html <<<"$(links b.html)"
page /b.html <<<"$(links far.html)"

it "says that the last run had other rules, whichever they were"
fresh
spider -q "$site/" 2
same_rules
same_rules "$site/a.html"
other_rules --exclude '*.gif'
other_rules --no-robots
other_rules --max-file 5000
other_rules --max-url 100
for rule in '--exclude=*.gif' '--include=*.html' '--exclude-regex=gif$' '--no-robots' '--max-file=5000' '--max-url=100' \
    '--scope=domain' '--requisites'; do
    fresh
    spider -q "$rule" "$site/" 2
    other_rules
    same_rules "$rule"
done

it "claims no more than it knows of links that were not followed"
fresh
spider -q "$site/" 2
for url in unwanted.html far.html none.html; do
    why "$site/$url"
    expect_part stdout "$site/$url is not known: no link to it was followed"
done
line rules "they have nothing against a link to it"
line traps "none of the limits would leave out a link to it"
line nofollow "links to pages that say so are not followed"
line nesting "links are followed 2 away from a start URL"
why "$site/unwanted.html" --no-robots
line nofollow "nobody heeds it"

it "asks the limits that can be seen in a URL"
long=$site/$(printf 'x%.0s' {1..2100})
why "$long"
line traps "a link to it would be left out: the URL is too long (--max-url)"
why "$long" --max-url 0
line traps "none of the limits would leave out a link to it"
why "$site/a/a/a/a/a.html"
line traps "a link to it would be left out: its path goes round in circles (--max-repeats)"
why "$site/a.html?a=1&b=2&c=3" --max-params 2
line traps "a link to it would be left out: it has too many parameters (--max-params)"

it "asks the limits that are counted"
why "$site/none.html" --max-per-host 3
line traps "a link to it would be left out: its host has more URLs than that (--max-per-host)"
why "$site/none.html" --max-per-host 4
line traps "none of the limits would leave out a link to it"
why http://127.0.0.2/ --max-hosts 1
line traps "a link to it would be left out by a run that has met all hosts that are known: there are more hosts than that (--max-hosts)"
why http://127.0.0.2/ --max-hosts 2
line traps "none of the limits would leave out a link to it"

it "asks the limits for what differs in numbers only"
page / <<<"$(links month-1.html)"
for i in 1 2 3 4 5; do
    page "/month-$i.html" <<<"$(links "month-$((i + 1)).html")"
done
fresh
spider -q --max-chain 2 "$site/" inf
why "$site/month-4.html" --max-chain 2
line traps "a link to it would be left out on a page that is 3 links away from a start URL, or more: it is too far from the first that differs in numbers only (--max-chain)"
why "$site/month-4.html" --max-chain 3
line traps "none of the limits would leave out a link to it"
why "$site/month-4.html" --max-like 3
line traps "a link to it would be left out: too many differ from it in numbers only (--max-like)"
