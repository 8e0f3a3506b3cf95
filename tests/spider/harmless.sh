#!/usr/bin/env bash
# What servers say is shown by --why and --check without what a terminal would obey.
# ctest: timeout=60
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"

# Only what can be printed, and line ends.
expect_harmless() {
    local rest
    rest=$(LC_ALL=C tr -d '\n -~' <<<"$stdout" | od -An -tx1)
    [ -z "$rest" ] || fail "these bytes got through:$rest; $stdout"
}

pages

it "tells of a type with a control of the second set, a mark that turns the direction, and no UTF-8"
# The server sends each character as a byte: CSI, RLO, and a byte that begins nothing.
page / 200 "Content-Type: text/html; x=$(printf '\xc3\x82\xc2\x9b31m \xc3\xa2\xc2\x80\xc2\xaegnp \xc3\xbf')" <<<x
fresh
spider -q "$site/"
run "$weft" spider -o "$home" --why "$site/"
expect status 0
expect_part stdout "  type      text/html; x=?31m ?gnp ?"
expect_harmless

# ---- a certificate has a name, which is part of what went wrong -------------------------------------------------

server_is_ready() {
    grep -q '^ACCEPT' "$scratch/tls.out" || ! kill -0 "$tls_pid" 2>/dev/null
}

if ! openssl req -x509 -newkey rsa:2048 -nodes -keyout "$scratch/key" -out "$scratch/cert" -days 30 -utf8 \
    -subj "/CN=$(printf 'a\xc2\x9b31m\xe2\x80\xaegnp')" 2>"$scratch/openssl.err"; then
    echo "  (no openssl, or none that makes such a certificate: the rest is skipped)"
    exit
fi
openssl s_server -accept 127.0.0.1:0 -cert "$scratch/cert" -key "$scratch/key" -www >"$scratch/tls.out" 2>&1 </dev/null &
tls_pid=$!
disown "$tls_pid"
finish_tls() {
    kill -KILL "$tls_pid" 2>/dev/null
    finish_site
}
trap finish_tls EXIT
soon server_is_ready
secure=https://$(sed -n 's/^ACCEPT //p' "$scratch/tls.out")
page / <<<"$(links "$secure/x.html")"

it "tells of a broken link with the name of a certificate in it"
run timeout 30 "$weft" spider --check --retries 0 --ca-file "$scratch/cert" "$site/" inf
expect status 3
expect_part stdout "is for another host"
expect_harmless

it "tells why a page failed with the name of a certificate in it"
fresh
spider -q --retries 0 --ca-file "$scratch/cert" "$secure/"
run "$weft" spider -o "$home" --why "$secure/"
expect status 1
expect_part stdout "is for another host"
expect_harmless
