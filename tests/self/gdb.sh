#!/usr/bin/env bash
# The debugger's view: the same tree from a stopped process and from its core.
# ctest: timeout=120 needs=hooks
. "$WEFT_SOURCE/tests/lib/shell.sh"
script=$WEFT_SOURCE/tools/weft-gdb.py
program=$WEFT_BUILD/tests/core/dump_gdb

if ! command -v gdb >/dev/null || ! gdb -nx -batch -ex 'python print(1)' 2>/dev/null | grep -q 1; then
    echo "there is no gdb with Python here"
    exit 77
fi
if grep -q -e __asan_init -e __tsan_init "$program"; then
    echo "the core of a program with a sanitizer in it has terabytes"
    exit 77
fi

# Every op knows the C stack of its begin.
WEFT_STACKS=1 WEFT_WAIT_FOR_GDB=1 "$program" >"$scratch/out" 2>&1 </dev/null &
pid=$!
for _ in $(seq 100); do
    ! grep -q ready "$scratch/out" || break
    sleep 0.1
done

debug() { run gdb -nx -batch -x "$script" "$@"; }
end=(-ex 'echo end\n')

# Without what must differ: ages, and frames of other libraries, whose names gdb may or may not know.
masked() {
    sed -nE '/^open: /,/^(ready|end)$/p' |
        sed -E '/^(ready|end|\(ages are .*)$/d; /^ +in (lib|0x|__libc)/d
                s/[0-9.]+ (ms|s|min)\>/SOME/g'
}

# The program has dumped itself before it stopped: the script says the same.
tree() {
    expect status 0
    expect_part stdout "ages are those at the loop's last turn"
    masked <<<"$stdout" >"$scratch/seen"
    diff "$scratch/itself" "$scratch/seen" >"$scratch/differs" || fail "$(<"$scratch/differs")"
}

# So that there is something of each kind to compare.
it "has a program that shows all that a dump can tell"
masked <"$scratch/out" >"$scratch/itself"
for part in "open: 36 operations, 1 under the root" "  shop_begin [running, SOME] begun at " \
    "    lookup [finished, not reported yet, cancelled (ECANCELED), " \
    "cancelled (ESTOPPED)" "    … 2 more like that" "… 3 more like that, with 3 below them" \
    "sell [queued, SOME: 1 of 1 running in the queue made at " ", key \"books? and more\"]" \
    "what is shown …\"]" "too early, SOME: being initialised, lazy made at " \
    "too early, SOME: nobody initialises it" "  queue [SOME] begun" "  bell [3 of them, the oldest " \
    "        in shop_begin" "  1 request whose op was cancelled" "  1 post that is expected" \
    "  3 timers, the next is due in " "  uv_timer [not active, unreferenced] of yours, at 0x" \
    "  uv_pipe [not active, fd 0] of yours"; do
    grep -qF -- "$part" "$scratch/itself" || fail "no '$part'"
done

chain() {
    expect_part stdout "  shop_begin [running, "
    expect_part stdout "  loop [waiting for its children]"
}

it "prints the tree of a stopped process, and the chain of what runs"
debug -p "$pid" -ex weft-dump "${end[@]}" -ex weft-stack
if [[ $stderr$stdout == *"ptrace: Operation not permitted"* ]]; then
    kill "$pid"
    echo "skipped: no process may be looked at here"
    exit 0
fi
tree
chain

it "reads a core file, and takes a loop and an op by name"
run gcore -o "$scratch/core" "$pid"
core=$scratch/core.$pid
debug "$program" "$core" -ex 'weft-dump weft__loops->loop' "${end[@]}" -ex 'weft-stack *weft__loops->loop->root.child_'
tree
chain
debug "$program" "$core" -ex 'weft-dump *weft__loops->loop' "${end[@]}" -ex 'weft-stack weft__loops->loop->root.child_'
tree
chain

it "tells what is no loop and no op in a sentence"
for nonsense in 'weft-stack nonsense' 'weft-stack 1' 'weft-dump 1' 'weft-stack 1 +' 'weft-dump main' \
    'weft-stack main()' 'weft-dump &weft__loops'; do
    debug "$program" "$core" -ex "$nonsense"
    expect_part stderr "weft: ${nonsense#* } is no struct weft_"
    [[ $stderr != *Traceback* && $stderr != *"Python Exception"* ]] || fail "$stderr"
done

it "says so if the uv handles cannot be read"
debug -p "$pid" -ex 'set var *(long *)&weft__loops->loop->uv->handle_queue = 8' -ex weft-dump
expect_part stdout "  uv handles, perhaps: those cannot be read here"

kill "$pid"
wait "$pid" 2>/dev/null

it "says so if there is nothing of weft's"
debug /bin/true -ex weft-dump
expect_part stderr "no debug information of libweft here"
