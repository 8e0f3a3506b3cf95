#!/usr/bin/env bash
# ctest: needs=hooks
# The environment asks any program what it waits for, and what it leaves behind.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
mkdir "$scratch/site"

answered() { grep -q "the loop stays alive for:" "$scratch/err"; }

it "dumps a server that waits for connections"
start env WEFT_DUMP=SIGUSR2 WEFT_STACKS=1 "$WEFT_BUILD/weft" serve --port 0 "$scratch/site"
kill -USR2 "$pid"
soon answered || fail "it does not answer"
stderr=$(<"$scratch/err")
expect_part stderr ": what loop 0x"
expect_part stderr "http_server [waiting"
expect_part stderr "      in "
stop
expect status 0

it "says at its end what was left open, and nothing if it was nothing"
run env WEFT_LEAKS=1 "$WEFT_BUILD/weft" --version
expect status 0
expect stderr ""
