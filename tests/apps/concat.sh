#!/usr/bin/env bash
# weft concat: the command line, what it says, and that nothing is left behind.
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1
mkdir work
cd work || exit 1
printf 'one\n' >one
printf 'two\n' >two
printf 'kept\n' >kept

# expect_file NAME TEXT: holds exactly that, but for the last newline.
expect_file() {
    [ "$(cat "$1")" = "$2" ] || fail "$1 should hold: $2"$'\n'"  but holds: $(cat "$1")"
}

# expect_files NAME...: these are there, and nothing else, no temporary file either.
expect_files() {
    local found
    found=$(find . -mindepth 1 -printf '%f\n' | sort | tr '\n' ' ')
    [ "$found" = "$* " ] || fail "there should be: $*"$'\n'"  but there is: $found"
}

# until_temporary: there is a temporary file, with something in it.
until_temporary() {
    until [ -n "$(find . -name '.weft-*' -size +0)" ]; do :; done
}

it "puts files together in their order, and says nothing"
run "$weft" concat one two one -o all
expect status 0
expect stdout ""
expect stderr ""
expect_file all $'one\ntwo\none'
run "$weft" concat --output=all two
expect_file all two
rm all

it "reads standard input for a dash, once"
printf 'piped\n' | "$weft" concat one - two - -o all || fail "it exited with $?"
expect_file all $'one\npiped\ntwo'
"$weft" concat - -o all <two
expect_file all two
printf 'a file\n' >./-
run "$weft" concat -o all -- ./-
expect_file all 'a file'
rm ./- all

it "reads what the kernel makes up, whatever it says of its size"
for made in /proc/sys/kernel/ostype /sys/class/net/lo/mtu /sys/kernel/mm/transparent_hugepage/enabled; do
    [ -r "$made" ] || continue
    run "$weft" concat "$made" one "$made" -o all
    expect status 0
    cat "$made" one "$made" | cmp - all || fail "$made came out otherwise"
done
rm -f all

it "sorts a file in its place"
printf 'b\na\n' >names
sort names | "$weft" concat - -o names
expect_file names $'a\nb'
rm names

it "takes the names from a list"
printf 'two\n\none' >list
run "$weft" concat one --files-from list -o all
expect status 0
expect_file all $'one\ntwo\none'
printf 'two\0one\0' | "$weft" concat -0 --files-from - -o all
expect_file all $'two\none'
: >list
run "$weft" concat --files-from list -o all
expect status 0
expect_file all ''
rm all

it "takes several lists in their order"
printf 'two\n' >list
printf 'one\n' >list2
run "$weft" concat --files-from list --files-from list2 --files-from list -o all
expect status 0
expect_file all $'two\none\ntwo'
printf 'one\n' | "$weft" concat --files-from list --files-from - -o all
expect_file all $'two\none'
printf 'one\n-\ntwo\n' >list
printf 'piped\n' | "$weft" concat --files-from list -o all
expect_file all $'one\npiped\ntwo'
rm all list list2

it "takes a long list"
for ((i = 0; i < 5000; i++)); do echo one; done >list
run "$weft" concat --files-from list -o all
expect status 0
[ "$(grep -cx one all)" = 5000 ] || fail "it is not all there"
rm all list

it "names the file that is at fault, and leaves everything alone"
fails() {
    local text=$1
    shift
    run "$weft" concat "$@"
    expect status 1
    expect stdout ""
    expect stderr "weft: $text"
    expect_file kept kept
    expect_files kept one two
}
fails "missing: no such file or directory" one missing two -o kept
fails "missing: no such file or directory" missing gone -o kept
fails "esc?[2J: no such file or directory" one $'esc\e[2J' -o kept
fails ".: illegal operation on a directory" one . -o kept
fails "kept: it is the same file as ./kept" one kept -o ./kept
fails ".: illegal operation on a directory" one -o .
fails "none/below: no such file or directory" one -o none/below
fails "/dev/null: it is not a file that could be replaced" one -o /dev/null
fails "kept: it would be larger than --max says" one two --max 7 -o kept
fails "kept: it would be larger than --max says" /dev/zero --max 1M -o kept
fails "none: no such file or directory" --files-from none -o kept
printf 'one\0two\0' >"$scratch/list"
fails "$scratch/list: there is a NUL in it; --null is for those" --files-from "$scratch/list" -o kept
printf 'one\n-\n' >"$scratch/list"
says=" there is a '-' in it, but standard input is the list already"
run bash -c '"$1" concat --files-from - -o kept <"$2"' _ "$weft" "$scratch/list"
expect status 1
expect stderr "weft: -:$says"
fails "$scratch/list:$says" --files-from "$scratch/list" --files-from - -o kept
truncate -s 256M "$scratch/list"
fails "$scratch/list: file too large" -0 --files-from "$scratch/list" -o kept
rm "$scratch/list"
run bash -c '"$1" concat one - -o kept <kept' _ "$weft"
expect status 1
expect stderr "weft: standard input: it is the same file as kept"
expect_file kept kept

it "does not replace what has no name, or a link that leads nowhere"
run bash -c '{ "$1" concat one -o /dev/stdout; } | cat; exit "${PIPESTATUS[0]}"' _ "$weft"
expect status 1
expect stdout ""
expect stderr "weft: /dev/stdout: it is not a file that could be replaced"
ln -s nothing link
run "$weft" concat one -o link
expect status 1
expect stderr "weft: link: it is a link to what is not there"
[ -L link ] || fail "the link is gone"
rm link
expect_files kept one two

it "says of standard input, too, that it would be larger than --max says"
run bash -c 'echo 123456789 | "$1" concat - -o kept --max 7' _ "$weft"
expect status 1
expect stderr "weft: kept: it would be larger than --max says"
expect_file kept kept

it "says that no file can be so large here, whatever --max says"
if truncate -s $((2 ** 44 - 4096)) "$scratch/huge" 2>/dev/null &&
    ! truncate -s $((2 ** 45)) "$scratch/huger" 2>/dev/null; then
    fails "kept: file too large" "$scratch/huge" "$scratch/huge" -o kept
    fails "kept: file too large" "$scratch/huge" "$scratch/huge" --max 100T -o kept
    fails "kept: it would be larger than --max says" "$scratch/huge" "$scratch/huge" --max 20T -o kept
else
    echo "  skipped: files can be larger here"
fi
rm -f "$scratch/huge" "$scratch/huger"

it "takes no other bad argument for the same file"
for odd in /proc/self/attr/current /proc/self/attr/exec /dev/loop-control; do
    if [[ $(LC_ALL=C cat "$odd" 2>&1 >/dev/null) == *'Invalid argument'* ]]; then
        fails "$odd: invalid argument" one "$odd" -o kept
        odd=
        break
    fi
done
[ -z "$odd" ] || echo "  skipped: nothing here has a bad argument"

it "says what is wrong with a command line"
misuse() {
    local text=$1
    shift
    run "$weft" concat "$@"
    expect status 2
    expect stdout ""
    expect stderr "weft: $text"$'\nsee weft help concat'
}
misuse "say where to: -o DEST" one
misuse "say which files" -o all
misuse "-o takes a file; for standard output there is cat" one -o -
misuse "the name of a source is empty" one "" -o all
misuse "standard input is the list already" - --files-from - -o all
misuse "standard input can be one list only" --files-from - --files-from - -o all
misuse "--null says how the names of --files-from end" -0 one -o all
misuse "unknown option '--sinc'; did you mean '--sync'?" --sinc one -o all
misuse "--max takes a value like 500M or 2G, not 'x'" --max x one -o all
misuse "--max takes a value like 500M or 2G, not '0'" --max 0 one -o all
expect_files kept one two

it "is on the disk with --sync"
run "$weft" concat one two --sync -q -o all
expect status 0
expect_file all $'one\ntwo'
rm all

for signal in INT TERM HUP; do
    it "removes its temporary file when SIG$signal comes"
    # A job of a script ignores SIGINT, unless it is a group of its own.
    set -m
    "$weft" concat one /dev/zero --max 4G -o kept 2>"$scratch/said" &
    pid=$!
    set +m
    until_temporary
    kill "-$signal" "$pid"
    run wait "$pid"
    expect status $((128 + $(kill -l "$signal")))
    stderr=$(<"$scratch/said")
    expect stderr ""
    expect_file kept kept
    expect_files kept one two
done

it "goes on after SIGHUP if that is ignored"
mkfifo pipe
(trap '' HUP && exec "$weft" concat one pipe -q -o all) &
pid=$!
exec 3>pipe
until_temporary
kill -HUP "$pid"
printf 'late' >&3
exec 3>&-
run wait "$pid"
expect status 0
expect_file all $'one\nlate'
rm pipe all

it "says that a file may not be so large, and leaves nothing of it"
# --max is far away: one hand reads ahead, and would come upon it while the other is still writing.
run bash -c 'ulimit -f 8; exec "$@"' - "$weft" concat one /dev/zero --max 64G -q -o kept
expect status 1
expect stderr "weft: kept: file too large"
expect_file kept kept
expect_files kept one two

it "can be interrupted while it waits for a pipe"
mkfifo pipe
set -m
"$weft" concat one pipe -o kept &
pid=$!
set +m
until_temporary
kill -INT "$pid"
run wait "$pid"
expect status 130
expect_file kept kept
rm pipe
expect_files kept one two

it "takes what comes at once for one signal, and removes its temporary file"
# Two threads may hear of them: either is the first one then.
mkfifo pipe
for signals in "INT INT" "INT TERM" "TERM TERM" "HUP TERM"; do
    for _ in 1 2 3 4 5; do
        set -m
        "$weft" concat one pipe -o kept &
        pid=$!
        set +m
        until_temporary
        for signal in $signals; do
            kill "-$signal" "$pid"
        done
        run wait "$pid"
        [[ " $signals " == *" $(kill -l "$status") "* ]] || fail "after SIG$signals it exits with $status"
        expect_files kept one pipe two
    done
done
rm pipe
expect_file kept kept

# A library between weft and the system: SLOW_UNLINK says for how many milliseconds a file is removed, and with
# SIGNAL it sends one when a file has its new name, and lets the loop hear it.
cat >"$scratch/between.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

int rename(const char *from, const char *to)
{
    int status = (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (getenv("SIGNAL")) {
        kill(getpid(), atoi(getenv("SIGNAL")));
        usleep(100 * 1000);
    }
    return status;
}

int unlink(const char *path)
{
    if (getenv("SLOW_UNLINK"))
        usleep(atoi(getenv("SLOW_UNLINK")) * 1000u);
    return (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}
END
between=(env LD_PRELOAD="$scratch/between.so" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0")
"${CC:-cc}" -w -shared -fPIC "$scratch/between.c" -o "$scratch/between.so"

it "says that all is well if the signal comes when DEST is the new file"
for signal in INT TERM HUP; do
    run "${between[@]}" SIGNAL="$(kill -l "$signal")" "$weft" concat one two -o all
    expect status 0
    expect stderr ""
    expect_file all $'one\ntwo'
    rm -f all
done
expect_files kept one two

# interrupt_slowly MS PAUSE: twice, with a pause, while removing a file takes so long.
interrupt_slowly() {
    mkfifo pipe
    set -m
    "${between[@]}" SLOW_UNLINK="$1" "$weft" concat one pipe -o kept &
    pid=$!
    set +m
    until_temporary
    kill -INT "$pid"
    sleep "$2"
    kill -HUP "$pid"
    run wait "$pid"
    rm pipe
    expect_file kept kept
}

it "hears nothing new in a signal that comes while it puts things away"
interrupt_slowly 200 0.02
expect status 130
expect_files kept one two

it "ends at once when a second signal comes later"
interrupt_slowly 60000 0.5
expect status 129
rm .weft-*
expect_files kept one two

it "leaves the destination alone when it is killed"
"$weft" concat one /dev/zero --max 4G -o kept &
pid=$!
until_temporary
kill -KILL "$pid"
run wait "$pid"
expect status 137
expect_file kept kept
rm .weft-*

it "shows how far it is on a terminal, and takes that away"
if command -v script >/dev/null; then
    mkfifo pipe
    script -qfec "$weft concat pipe -o all" "$scratch/typescript" >/dev/null </dev/null &
    pid=$!
    exec 3>pipe
    printf 'abc' >&3
    until grep -q 'copying 3 B' "$scratch/typescript" 2>/dev/null; do :; done
    exec 3>&-
    wait "$pid"
    ! grep -q '%' "$scratch/typescript" || fail "it knows how much will come"
    [[ $(<"$scratch/typescript") == *$'\r\033[K'* ]] || fail "it does not take its line away"
    expect_file all abc
    rm all
    # Below a shell timeout begins a job of its own, in the background.
    script -qfec "timeout 60 $weft concat pipe -o all; exit" "$scratch/typescript" >/dev/null </dev/null &
    pid=$!
    exec 3>pipe
    printf 'abc' >&3
    sleep 0.4 # that nothing is shown takes a while to be seen
    exec 3>&-
    wait "$pid"
    expect_file all abc
    ! grep -q 'copying' "$scratch/typescript" || fail "it writes into another job's terminal"
    rm pipe all
else
    echo "  skipped: there is no script(1)"
fi
expect_files kept one two

it "completes its options"
# shellcheck source=/dev/null
. "$WEFT_SOURCE/apps/completion/weft.bash"
COMP_WORDS=("$weft" concat one --f)
COMP_CWORD=3
_weft
[ "${COMPREPLY[*]}" = --files-from ] || fail "it offers: ${COMPREPLY[*]}"
