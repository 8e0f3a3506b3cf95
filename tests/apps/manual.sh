#!/usr/bin/env bash
# The manual pages, as they are shown: every quote that is opened is closed before the next one.
. "$WEFT_SOURCE/tests/lib/shell.sh"

if command -v mandoc >/dev/null; then
    show=(mandoc -T utf8)
elif command -v groff >/dev/null; then
    show=(groff -mdoc -T utf8)
else
    echo "there is no mandoc and no groff: manual pages are not looked at"
    exit 77
fi

# Without what makes letters bold, and in one line.
shown() {
    "${show[@]}" "$1" 2>"$scratch/.stderr" | sed 's/\x1b\[[0-9;]*m//g; s/.\x08//g' | tr -s '\n ' ' '
}

export LC_ALL=C.UTF-8
for page in "$WEFT_SOURCE"/docs/man/*.1; do
    it "closes each quote of ${page##*/}"
    text=$(shown "$page")
    [ ${#text} -gt 1000 ] || fail "nothing is shown: $(<"$scratch/.stderr")"
    wrong=$(grep -oE '“[^”]*“|”[^“]*”' <<<"$text")
    [ -z "$wrong" ] || fail "$(cut -c 1-80 <<<"$wrong")"
done
