#!/usr/bin/env bash
# weft list: its options, what it prints, and how it ends.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/interrupt.sh"
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1

mkdir -p tree/.git tree/a/b tree/ab
touch tree/.git/config tree/a/b/deep.c tree/a/one.c tree/a.txt tree/ab/two.h tree/-dash
ln -s a tree/link
ln -s missing tree/nowhere
mkfifo tree/pipe

list() {
    run "$weft" list "$@"
}

it "lists everything but folders"
list tree
expect status 0
expect stderr ""
expect_part stdout tree/a/b/deep.c
[ "$(sort <<<"$stdout")" = "$(find tree ! -type d | sort)" ] || fail "it lists: $stdout"

it "lists the current folder if none is given, with any number of jobs"
for jobs in 1 2 64; do
    (cd tree && "$weft" list -j "$jobs") | sort >one
    (cd tree && find . ! -type d) | sort >other
    cmp one other || fail "with $jobs jobs it lists $(<one)"
done

it "sorts by names, and what is in a folder comes right behind it"
list --sort --type a tree
expect stdout "tree/-dash
tree/.git
tree/.git/config
tree/a
tree/a/b
tree/a/b/deep.c
tree/a/one.c
tree/a.txt
tree/ab
tree/ab/two.h
tree/link
tree/nowhere
tree/pipe"

it "lists some types only"
list -s -t d tree
expect stdout "tree/.git
tree/a
tree/a/b
tree/ab"
list -st lp tree
expect stdout "tree/link
tree/nowhere
tree/pipe"
list -s --type=p,l tree
expect stdout "tree/link
tree/nowhere
tree/pipe"
list -t s tree
expect stdout ""
expect status 0

it "takes names and paths that are like a glob"
list -s -g '*.c' tree
expect stdout "tree/a/b/deep.c
tree/a/one.c"
list -s -g '*.[ch]' --include 'a.*' tree
expect stdout "tree/a/b/deep.c
tree/a/one.c
tree/a.txt
tree/ab/two.h"
list -s -g 'a/*' tree
expect stdout "tree/a/b/deep.c
tree/a/one.c"

it "leaves out what is like a glob, and all that is below it"
list -s -x a -x '.*' -x '-*' -x pipe tree
expect stdout "tree/a.txt
tree/ab/two.h
tree/link
tree/nowhere"
list -s --exclude='a/b' -g '*.c' tree
expect stdout "tree/a/one.c"

it "takes a glob with a slash at its end for folders, and one at its beginning from the folder on"
mkdir -p slash/build/build slash/a/build slash/b
touch slash/build/file slash/a/build/file slash/b/build slash/file
list -s -x build/ slash
expect stdout "slash/b/build
slash/file"
list -s -x /build slash
expect stdout "slash/a/build/file
slash/b/build
slash/file"
list -s -x ./a/build/ -x /b slash
expect stdout "slash/build/file
slash/file"
list -s -g ./file -g '/b/*' slash
expect stdout "slash/b/build
slash/file"
list -s -t d -g build/ slash
expect stdout "slash/a/build
slash/build
slash/build/build"

it "refuses a glob that nothing is like"
for glob in / ./ . .. ../a a/../b a//b a/./b; do
    list -x "$glob" slash
    expect status 2
    expect_part stderr "is ever like"
done
list -g build/ slash
expect status 2
expect_part stderr "'build/' is for folders, which are not asked for"

it "takes a character of UTF-8 for one"
mkdir characters
touch characters/{é,ë,xy}
list -s -g '?' characters
expect stdout "characters/é
characters/ë"
list -g '[é-ê]' characters
expect stdout "characters/é"

it "leaves out what is hidden"
list --no-hidden -s -g '*o*' tree
expect stdout "tree/a/one.c
tree/ab/two.h
tree/nowhere"

it "goes only so deep"
list -s -d 1 -t fd tree
expect stdout "tree/-dash
tree/.git
tree/a
tree/a.txt
tree/ab"
list -s -d2 -g '*.c' tree
expect stdout "tree/a/one.c"

it "follows links if it is told to, and tells of loops"
list -s -L -g '*.c' tree
expect stdout "tree/a/b/deep.c
tree/a/one.c
tree/link/b/deep.c
tree/link/one.c"
expect status 0
ln -s .. tree/a/up
list -s --follow -g '*.c' tree
expect status 1
expect_part stderr "weft: tree/a/up: it leads back to a folder that it lies in"
rm tree/a/up
ln -s round tree/round
list tree/round
expect status 1
expect stderr "weft: tree/round: too many symbolic links encountered"
list -Ls -g round tree
expect status 0
expect stdout tree/round
rm tree/round

it "does not leave the file system if it is told not to"
mkdir -p mounted/in
touch mounted/file
cat >mounts.sh <<'END'
mount -t tmpfs -o size=64k none mounted/in 2>/dev/null || exit 77
touch mounted/in/other
"$1" list -s -t a mounted && "$1" list -s -t a --one-file-system mounted
END
run unshare -m bash mounts.sh "$weft"
if [ "$status" = 0 ]; then
    expect stdout "mounted/file
mounted/in
mounted/in/other
mounted/file
mounted/in"
else
    echo "skipped: nothing can be mounted here"
fi

it "prints names as they are, with -0 between NULs"
mkdir odd
touch odd/$'new\nline' odd/$'\xff\xfe' odd/$'esc\e[2J' odd/'äö'
"$weft" list -0 odd | sort -z >one
find odd ! -type d -print0 | sort -z >other
cmp one other || fail "they are not the same bytes"

it "prints JSON, with base64 for what is no text"
"$weft" list --json -t a odd >odd.json || fail "it ends with $?"
cat >check.py <<'END'
import base64, json, os
names = set()
for line in open("odd.json", encoding="utf-8"):
    entry = json.loads(line)
    assert entry["type"] == "file", entry
    names.add(entry["path"].encode() if "path" in entry else base64.b64decode(entry["path_base64"]))
assert names == {b"odd/" + name for name in os.listdir(b"odd")}, names
print("same")
END
run python3 check.py
expect stdout same
list --json -st a tree
expect_part stdout '{"path":"tree/a","type":"folder"}'
expect_part stdout '{"path":"tree/link","type":"link"}'
expect_part stdout '{"path":"tree/pipe","type":"pipe"}'

it "lets no name drive a terminal"
touch odd/$'c1\xc2\x9b2J' odd/$'dir\xe2\x80\xaertl' odd/$'raw\x9b2J'
run script -qec "'$weft' list -s odd" /dev/null
stdout=${stdout//$'\r'/}
expect status 0
expect stdout "odd/c1?2J
odd/dir?rtl
odd/esc?[2J
odd/new?line
odd/raw?2J
odd/äö
odd/??"

it "tells of folders that it may not read, and lists the rest"
mkdir locked locked/out locked/secret
touch locked/out/file locked/secret/file
chmod 755 "$scratch" locked
chmod 000 locked/secret
as_nobody=()
[ "$(id -u)" != 0 ] || as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
run "${as_nobody[@]}" "$weft" list locked
if [ "$status" = 126 ] || [ "$status" = 127 ]; then
    echo "skipped: nobody may not run $weft"
else
    expect status 1
    expect stdout "locked/out/file"
    expect stderr "weft: locked/secret: permission denied"
    run "${as_nobody[@]}" "$weft" list locked/secret
    expect status 1
    expect stdout ""
    expect stderr "weft: locked/secret: permission denied"

    it "tells of links to what it may not look at"
    mkdir -p shut/in linked
    touch shut/in/file
    ln -s ../shut/in linked/folder
    ln -s ../shut/in/file linked/file
    ln -s missing linked/nowhere
    chmod 700 shut
    run "${as_nobody[@]}" "$weft" list -L --json -s linked
    expect status 1
    expect stdout '{"path":"linked/file","type":"unknown"}
{"path":"linked/folder","type":"unknown"}
{"path":"linked/nowhere","type":"link"}'
    expect_part stderr "weft: linked/file: permission denied"
    expect_part stderr "weft: linked/folder: permission denied"
    run "${as_nobody[@]}" "$weft" list -L -x 'f*' linked
    expect status 0
    expect stderr ""
    run "${as_nobody[@]}" "$weft" list -st l linked
    expect status 0
    expect stdout "linked/file
linked/folder
linked/nowhere"

    it "says why also where a path is longer than anything that it says"
    python3 - <<'END'
import os
os.chdir("locked/out")
for _ in range(60):
    os.mkdir("d" * 100)
    os.chdir("d" * 100)
os.mkdir("closed", 0)
END
    run "${as_nobody[@]}" "$weft" list locked/out
    expect status 1
    expect_part stderr "weft: locked/out/ddd"
    expect_part stderr "ddd/closed: permission denied"
fi
chmod 700 locked/secret

it "says what is wrong with a folder that is none"
list missing
expect status 1
expect stderr "weft: missing: no such file or directory"
list tree/a.txt
expect status 1
expect stderr "weft: tree/a.txt: not a directory"
list -- -dash
expect status 1
expect_part stderr "weft: -dash: "

it "says what is wrong with its options"
for options in "--type=x" "-t ''" "-t ," "--depth=0" "-d x" "-j 0" "--jobs=65" "--nonsense" "-y" "-sy" \
    "one two" "--json -0" "--sort=x" "-x" "--null=1"; do
    eval "list $options"
    expect status 2
    expect_part stderr "see weft help list"
    expect stdout ""
done
list --folow
expect_part stderr "did you mean '--follow'?"

it "has help"
run "$weft" help list
expect status 0
expect_part stdout "usage: weft list [OPTION...] [DIR]"
for option in type include exclude no-hidden depth follow one-file-system jobs sort null json; do
    expect_part stdout "--$option"
done

it "has help for each letter of a type"
says=${stdout//$'\n'/ }
"$weft" list -t x 2>letters
letters=$(sed -nE 's/.*takes letters of ([a-z]+),.*/\1/p' letters)
[ "${#letters}" = 9 ] || fail "the letters are: $letters"
meant='(files|folders|symbolic|pipes|sockets|and|devices|what|all)'
for ((i = 0; i < ${#letters}; i++)); do
    [[ $says =~ \ ${letters:i:1}\ $meant ]] || fail "help does not know the type ${letters:i:1}"
done
rm letters

it "says so if it cannot write"
run bash -c "'$weft' list tree >/dev/full"
expect status 1
expect stderr "weft: cannot write to standard output: no space left on device"
run bash -c "'$weft' list tree >&-"
expect status 1
expect_part stderr "weft: cannot write to standard output: "
run bash -c "'$weft' list -s tree >/dev/full"
expect status 1

mkdir many
(cd many && seq -f "%0200.0f" 1 3000 | xargs touch)

it "ends quietly if nobody wants more"
run bash -c "'$weft' list many | head -n 1 | wc -l"
expect stdout 1
expect stderr ""

it "ends at Ctrl-C also if nobody reads what it writes"
for options in "" --sort --json; do
    # shellcheck disable=SC2086
    interrupt_when_stuck stdout "$weft" list $options many
    expect status 130
    expect stderr ""
done
interrupt_when_stuck terminal "$weft" list many
expect status 130

mkdir loops
python3 -c 'import os; [os.symlink(".", "loops/%0200d" % i) for i in range(3000)]'

it "ends at Ctrl-C also if nobody reads what it complains of"
interrupt_when_stuck stderr "$weft" list -L loops
expect status 130

it "complains of everything to a slow reader, and goes on if there is none"
"$weft" list -L loops 2>&1 >/dev/null | (read -r _ && wc -l) >one
[ "$(tr -d ' ' <one)" = 2999 ] || fail "there are $(<one) complaints"
touch loops/file
run bash -c "'$weft' list -L loops 2>&-"
expect status 1
expect stdout loops/file
run bash -c "'$weft' list -L loops 2>/dev/full"
expect status 1
expect stdout loops/file

it "shows on a terminal what it has found so far"
(cd loops && seq -f "file%02.0f" 1 40 | xargs touch)
cat >show.py <<'END'
import os, pty, select, subprocess, sys

terminal, output = pty.openpty()
unread, complaints = os.pipe()
child = subprocess.Popen(sys.argv[1:], stdout=output, stderr=complaints)
shown = select.select([terminal], [], [], 10)[0] and os.read(terminal, 4096)
print("shown:", shown, child.poll()) # it cannot end, because nobody reads the complaints
child.kill()
child.wait()
END
run python3 show.py "$weft" list -L -j 1 loops
expect_part stdout "shown: b'loops/file"
expect_part stdout " None"

it "writes everything to a slow reader"
"$weft" list many | (read -r _ && wc -l) >one
[ "$(tr -d ' ' <one)" = 2999 ] || fail "there are $(<one) lines"

it "keeps fewer folders open where few descriptors may be"
for chain in {1..32}; do
    folder=chains/$chain
    for level in {1..20}; do
        folder+=/$level
    done
    mkdir -p "$folder"
done
for _ in {1..5}; do
    run bash -c "ulimit -n 100; '$weft' list -j 16 -t a chains"
    expect status 0
    [ "$(wc -l <<<"$stdout")" = 672 ] || fail "it lists $(wc -l <<<"$stdout") of 672"
    run bash -c "ulimit -n 24; '$weft' list -j 64 -t a chains"
    expect status 0
    [ "$(wc -l <<<"$stdout")" = 672 ] || fail "it lists $(wc -l <<<"$stdout") of 672 by very few"
done

it "ends within a second of Ctrl-C if a file system does not answer"
# Whoever opens what is named hung waits, as on a server that is gone.
mkdir -p waits/hung
cat >"$scratch/hung.c" <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

int openat(int folder, const char *name, int flags, ...)
{
    if (strcmp(name, "hung") == 0) {
        close(open(getenv("HUNG"), O_CREAT | O_WRONLY, 0600));
        for (unsigned left = 30; left > 0;)
            left = sleep(left);
        _exit(99); /* it was waited for */
    }
    return (int)syscall(SYS_openat, folder, name, flags, 0);
}
END
"${CC:-cc}" -w -shared -fPIC "$scratch/hung.c" -o "$scratch/hung.so"
for signal in INT TERM HUP; do
    rm -f "$scratch/hangs"
    set -m
    LD_PRELOAD="$scratch/hung.so" ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" \
        HUNG="$scratch/hangs" "$weft" list -L waits &
    pid=$!
    set +m
    until [ -e "$scratch/hangs" ] || ! kill -0 "$pid"; do :; done
    kill "-$signal" "$pid"
    run wait "$pid"
    expect status $((128 + $(kill -l "$signal")))
done
