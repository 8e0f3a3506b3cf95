#!/usr/bin/env bash
# weft spider --no-private: nothing goes to an address that is not for everybody.
# shellcheck disable=SC2154  # site and host are set by what is sourced
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
site --pages 10
port=${site##*:}

it "refuses loopback, as a number and as a name, before anything goes there"
for name in 127.0.0.1 localhost 127.1 0.0.0.0 '[::1]' '[::ffff:127.0.0.1]' 2130706433; do
    for engine in '' --cookies; do
        fresh
        spider --no-private ${engine:+"$engine"} "http://$name:$port/p/1.html" 1
        expect status 1
        expect_part stderr "is not allowed: it is private (--no-private)"
        expect_part stdout "1 failed"
        [ "$(saved)" -eq 0 ] || fail "$name: $(saved) files"
    done
done
[ "$(stats | awk 'NR > 1' | wc -l)" -eq 0 ] || fail "somebody has come: $(stats)"

it "refuses what is private and what is link-local, without a wait"
begun=$SECONDS
for name in 10.0.0.1 192.168.1.1 172.16.0.1 169.254.169.254 100.64.0.1 '[fe80::1]' '[fd00::1]'; do
    fresh
    spider --no-private "http://$name/" 0
    expect status 1
    expect_part stderr "is not allowed"
done
[ $((SECONDS - begun)) -lt 8 ] || fail "it took $((SECONDS - begun)) s"

it "refuses it without robots.txt, too"
fresh
spider --no-private --no-robots "$site/p/1.html" 0
expect status 1
expect_part stderr "is not allowed: it is private"

it "goes there without it"
fresh
spider "$site/p/1.html" 0
expect status 0
expect_file p/1.html

it "does not take a proxy with it, which connects for itself"
fresh
spider --no-private --proxy http://127.0.0.1:3128 http://example.org/ 0
expect status 2
expect_part stderr "--proxy"
