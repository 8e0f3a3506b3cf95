#!/usr/bin/env bash
# How a test program is used: its arguments, and what it says when it fails.
. "$WEFT_SOURCE/tests/lib/shell.sh"
program=$WEFT_BUILD/tests/self/check

it "lists its tests"
run "$program" --list
expect status 0
expect_part stdout "a_seed_comes_from_the_environment"

it "runs only the tests whose name contains its argument"
run "$program" a_seed_comes
expect status 0
expect_part stdout "a_seed_comes_from_the_environment"
[[ $stdout != *fails_when* ]] || fail "it ran others too"

it "is an error to run no test at all"
run "$program" no_such_test
expect status 1
expect_part stderr "no test to run matches: no_such_test"

it "says under which shuffle and seed a test failed"
run env WEFT_FAIL_ON_REQUEST=1 WEFT_SHUFFLE=42 WEFT_SEED=7 "$program" fails_when
expect status 1
expect_part stderr "fails_when_asked_to failed with WEFT_SHUFFLE=42 WEFT_SEED=7"
run env WEFT_FAIL_ON_REQUEST=abort WEFT_SHUFFLE=42 "$program" fails_when
expect status 134
expect_part stderr "fails_when_asked_to aborted with WEFT_SHUFFLE=42"
run env WEFT_SHUFFLE=42 "$program" fails_when
expect status 0
[[ $stderr != *WEFT_SHUFFLE* ]] || fail "it blames a shuffle although nothing failed"
