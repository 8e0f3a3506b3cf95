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
