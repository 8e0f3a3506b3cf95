#!/usr/bin/env bash
# What is said about a schedule that fails: its seed, and the smallest one that fails as it does.
. "$WEFT_SOURCE/tests/lib/shell.sh"
program=$WEFT_BUILD/tests/self/model
unset WEFT_SEED WEFT_DRAWS WEFT_TORTURE

# The shrunk schedule of the stack: a number above 70 on one that is greater, and nothing else.
expect_the_smallest() {
    expect_part stderr "steps of WEFT_SEED=4294967296"
    [[ $stderr =~ "from "([0-9]+)" draws and "([0-9]+)" steps to 5 draws and 1 steps" ]] ||
        fail "it is not shrunk to five draws and one step: $stderr"
    [ "${BASH_REMATCH[1]:-0}" -ge 100 ] || fail "it was not long before"
    [[ $stderr != *"drew 100"* ]] || fail "it tells of a draw that was the lowest"
    expect_part stderr "    1  model.c:"
    expect_part stderr "drew 71: int number = (int)roll(&dice, 100);"
    expect_part stderr "again: WEFT_SEED=4294967296 WEFT_DRAWS=0,0,72,0,71 $program"
}

it "says how many schedules and steps there were"
run "$program"
expect status 0
expect_part stdout "50 schedules, 10395 steps"

it "shrinks a disagreement, and says what was running"
run env WEFT_FAIL_ON_REQUEST=wrong "$program" stack
expect status 1
expect_part stderr "the stack and its model disagree after 87 steps"
expect_part stderr "stack[depth - 1] == number"
expect_the_smallest
expect_part stderr "under the root"

for fault in abort crash assert; do
    it "shrinks a schedule that dies: $fault"
    run env WEFT_FAIL_ON_REQUEST=$fault "$program" stack
    expect status 1
    expect_the_smallest
done

it "tells what the jobs and the loop did"
run env WEFT_FAIL_ON_REQUEST=wrong "$program" jobs
expect status 1
expect_part stderr "job 2 ends with 0"
expect_part stderr "the loop delivers job_begin of model.c"
[[ $stderr =~ WEFT_SEED=([0-9]+) ]]
seed=${BASH_REMATCH[1]}

it "begins with the schedule of a seed"
run env WEFT_FAIL_ON_REQUEST=wrong WEFT_SEED="$seed" "$program" jobs
expect status 1
expect_part stderr "WEFT_SEED=$seed WEFT_DRAWS=1 "
run env WEFT_FAIL_ON_REQUEST=wrong WEFT_SEED=$((seed + 1000)) "$program" stack
expect status 1
expect_part stderr "again: WEFT_SEED=$((seed + 1000))"

it "plays a shrunk schedule alone"
run env WEFT_FAIL_ON_REQUEST=wrong WEFT_SEED="$seed" WEFT_DRAWS=1 "$program" jobs
expect status 1
expect_part stderr "the jobs and its model disagree after 2 steps of WEFT_SEED=$seed"
[[ $stderr != *shrunk* ]] || fail "it shrinks what is small already"
run env WEFT_SEED="$seed" WEFT_DRAWS=1 "$program" jobs
expect status 0
expect_part stderr "drew 1: jobs_of_one"

it "only says the seed when a test goes through its seeds itself"
run env WEFT_FAIL_ON_REQUEST=wrong "$program" seeds_can
expect status 1
expect_part stderr "the stack and its model disagree after 87 steps of WEFT_SEED=4294967296"
[[ $stderr != *shrunk* ]] || fail "it shrinks what it does not run"
