#!/usr/bin/env bash
# ctest: needs=hooks
# WEFT_TRACE and WEFT_TRACE_EVENTS, in front of programs that know nothing of them.
. "$WEFT_SOURCE/tests/lib/shell.sh"

example=$WEFT_BUILD/examples/parallel
[ -x "$example" ] || example=$(find "$WEFT_BUILD/examples" -maxdepth 1 -type f -perm -u+x | sort | head -n 1)
cd "$scratch" || exit 1

plain=$("$example" 2>&1)

# other KEY: the number that otherData has for it in trace.json.
other() {
    sed -n "2s/.*\"$1\":\([0-9]*\).*/\1/p" trace.json
}

expect_valid() {
    python3 -m json.tool "$1" >/dev/null 2>"$scratch/.problem" ||
        fail "$1 is not JSON: $(<"$scratch/.problem")"
}

it "records a program that knows nothing of it, which does what it did before"
run env WEFT_TRACE=trace.json "$example"
expect status 0
expect stdout "$plain"
expect_valid trace.json
[ "$(other events)" -gt 0 ] || fail "there is nothing in it"
grep -q '"name":"process_name"' trace.json || fail "the process has no name"

it "says which command that was"
grep -q "\"command\":\"$example\"" trace.json || fail "$(sed -n 2p trace.json)"

it "records weft itself"
run env WEFT_TRACE=serve.json timeout -s INT 0.3 "$WEFT_BUILD/weft" serve --port 0 "$scratch"
expect_valid serve.json
grep -q '"name":"listen"' serve.json || fail "there is no listener"

it "writes folded stacks for a name that ends so"
run env WEFT_TRACE=stacks.folded "$example"
expect status 0
grep -qE '^loop;.* [0-9]+$' stacks.folded || fail "$(head -3 stacks.folded)"
grep -qvE ' [0-9]+$' stacks.folded && fail "a line without a number"

it "takes the size of a ring from WEFT_TRACE_EVENTS"
run env WEFT_TRACE=trace.json WEFT_TRACE_EVENTS=3 "$example"
expect status 0
expect_valid trace.json
[ "$(other lost)" -gt 0 ] || fail "nothing was lost"

for bad in 0 -1 12x 16777217 99999999999999999999999; do
    it "says that '$bad' is no number of events, and goes on"
    rm -f trace.json
    run env WEFT_TRACE=trace.json WEFT_TRACE_EVENTS="$bad" "$example"
    expect status 0
    expect stdout "$plain"
    expect stderr "weft: nothing is recorded: WEFT_TRACE_EVENTS must be a number from 1 to 16777216, not '$bad'"
    [ ! -e trace.json ] || fail "there is a file"
done

it "says once that a folder is not there, and goes on"
run env WEFT_TRACE=nowhere/trace.json "$example"
expect status 0
expect stdout "$plain"
expect stderr "weft: nothing is recorded: 'nowhere/trace.json': no such file or directory"

it "says that a folder is no file"
mkdir folder
run env WEFT_TRACE=folder "$example"
expect status 0
expect stderr "weft: nothing is recorded: 'folder': illegal operation on a directory"

it "does not put the trace in the place of the program's output"
for name in /dev/stdout /dev/fd/1 /proc/self/fd/1 //dev/../dev/stdout; do
    env WEFT_TRACE=$name "$example" >out.txt 2>err.txt
    [ "$(<out.txt)" = "$plain" ] || fail "$name: the output is gone: $(head -c 200 out.txt)"
    [ "$(<err.txt)" = "weft: nothing is recorded: '$name' is no regular file" ] || fail "$(<err.txt)"
done

it "refuses what is no regular file"
mkfifo pipe
for name in /dev/full /dev/null pipe; do
    run env WEFT_TRACE=$name "$example"
    expect status 0
    expect stdout "$plain"
    expect stderr "weft: nothing is recorded: '$name' is no regular file"
done

it "refuses a link that leads nowhere, and leaves it there"
ln -s nowhere.json dangling.json
ln -s circle.json circle.json
for name in dangling.json circle.json; do
    run env WEFT_TRACE=$name "$example"
    expect status 0
    expect stdout "$plain"
    expect stderr "weft: nothing is recorded: '$name' is a link that leads nowhere"
    [ -L "$name" ] || fail "$name is no link any more"
done

it "does nothing for an empty name"
run env WEFT_TRACE= "$example"
expect status 0
expect stderr ""

it "puts the process's id for %p, so that children have files of their own"
cat >two.sh <<EOF
"$example" >/dev/null
"$example" >/dev/null
EOF
run env WEFT_TRACE='each-%p.json' sh two.sh
set -- each-*.json
[ $# -eq 2 ] || fail "$# files"
for file; do
    expect_valid "$file"
    pid=${file#each-}
    grep -q "\"pid\":${pid%.json}," "$file" || fail "$file is of another process"
done

it "leaves nothing beside the file"
run find . -name '.weft-*'
expect stdout ""
