#!/usr/bin/env bash
# weft find: its options, what it prints, and how it ends.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/interrupt.sh"
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1

mkdir -p tree/.git tree/sub
printf 'one\nTwo here\nthree\n' >tree/a.txt
printf 'nothing\n' >tree/b.txt
printf 'two\r\none two\n' >tree/sub/c.md
printf 'one in a hidden place' >tree/.git/config
printf 'one\0two' >tree/binary
printf 'STRA\xe1\xba\x9eE \xe2\x84\xaa\n' >tree/unicode
ln -s ../a.txt tree/sub/link

find_() {
    run "$weft" find "$@"
}

it "prints the files that hold a keyword"
find_ -s tree one
expect status 0
expect stderr ""
expect stdout "tree/.git/config
tree/a.txt
tree/sub/c.md"
find_ tree missing
expect status 0
expect stdout ""
find_ -sl tree two three
expect stdout "tree/a.txt
tree/sub/c.md"

it "wants all keywords with --all"
find_ -s --all tree one two
expect stdout "tree/sub/c.md"
find_ -sai tree ONE TWO
expect stdout "tree/a.txt
tree/sub/c.md"

it "ignores case as Unicode does"
find_ -s -i tree TWO
expect stdout "tree/a.txt
tree/sub/c.md"
find_ --ignore-case tree straße
expect stdout "tree/unicode"
find_ -i tree ' k'
expect stdout "tree/unicode"
find_ -i tree strasse
expect stdout ""

it "prints lines with their numbers"
find_ -in -s tree two
expect stdout $'tree/a.txt:2:Two here\ntree/sub/c.md:1:two\r\ntree/sub/c.md:2:one two'
find_ -n --all -s tree one two
expect stdout $'tree/sub/c.md:1:two\r\ntree/sub/c.md:2:one two'

it "counts lines"
find_ -cs tree one two
expect stdout "tree/.git/config:1
tree/a.txt:1
tree/sub/c.md:2"

it "takes a keyword for text, not for a pattern"
find_ tree 'o.e'
expect stdout ""
find_ tree '.*'
expect stdout ""
find_ -s tree -- one -x
expect status 0
expect_part stdout tree/a.txt
find_ tree -- -x
expect status 0
expect stdout ""

it "chooses files as weft list does"
find_ -s --no-hidden -g '*.txt' tree one
expect stdout "tree/a.txt"
find_ -s -x sub -x .git tree one
expect stdout "tree/a.txt"
find_ -s -x sub/ -x /.git tree one
expect stdout "tree/a.txt"
find_ -g sub/ tree one
expect status 2
expect_part stderr "'sub/' is for folders"
find_ -s -d 1 tree one
expect stdout "tree/a.txt"
find_ -s -L --exclude '.*' -j 1 tree one
expect stdout "tree/a.txt
tree/sub/c.md
tree/sub/link"

it "ends paths with a NUL with -0"
"$weft" find -0s tree one | tr '\0' '|' >shown
[ "$(<shown)" = "tree/.git/config|tree/a.txt|tree/sub/c.md|" ] || fail "it prints $(<shown)"
"$weft" find -0sn tree three | tr '\0' '|' >shown
[ "$(<shown)" = "tree/a.txt|3:three" ] || fail "it prints $(<shown)"
"$weft" find -0sc tree three | tr '\0' '|' >shown
[ "$(<shown)" = "tree/a.txt|1" ] || fail "it prints $(<shown)"

it "prints JSON"
find_ --json -s tree three
expect stdout '{"path":"tree/a.txt"}'
find_ --json -c tree three
expect stdout '{"path":"tree/a.txt","count":1}'
find_ --json -n tree three
expect stdout '{"path":"tree/a.txt","line":3,"offset":13,"text":"three","at":0,"cut":false}'
mkdir odd
printf 'a\xff key\n\x1b[2J key\ttab\n' >odd/$'\xfe\n'
"$weft" find --json -n odd key >odd.json || fail "it ends with $?"
cat >check.py <<'END'
import base64, json
lines = [json.loads(line) for line in open("odd.json", encoding="utf-8")]
assert [base64.b64decode(line["path_base64"]) for line in lines] == [b"odd/\xfe\n"] * 2, lines
assert base64.b64decode(lines[0]["text_base64"]) == b"a\xff key", lines
assert lines[1]["text"] == "\x1b[2J key\ttab", lines
assert [(line["line"], line["offset"], line["at"]) for line in lines] == [(1, 0, 3), (2, 7, 5)], lines
print("same")
END
run python3 check.py
expect stdout same

it "lets no text drive a terminal"
run script -qec "'$weft' find -n odd key" /dev/null
stdout=${stdout//$'\r'/}
expect stdout $'odd/??:1:a? key\nodd/??:2:?[2J key\ttab'

it "shows a line of a CRLF file on a terminal without a mark at its end"
run script -qec "'$weft' find -ns tree/sub two" /dev/null
stdout=${stdout//$'\r'/}
expect stdout $'tree/sub/c.md:1:two\ntree/sub/c.md:2:one two'

it "only says whether there is one with --quiet"
find_ -q tree one
expect status 0
expect stdout ""
find_ --quiet tree missing
expect status 1
expect stdout ""
expect stderr ""

it "does not find what it has found itself"
mkdir own
for i in 1 2 3 4 5 6 7 8; do yes "needle $i" | head -n 20000 >"own/$i"; done
timeout 20 "$weft" find -n own needle >own/output || fail "it did not end by itself"
[ "$(wc -l <own/output)" -eq 160000 ] || fail "$(wc -l <own/output) lines"
timeout 20 "$weft" find -n own needle | cat >>own/output || fail "it did not end by itself"
[ "$(grep -vc '^own/output' own/output)" -eq 320000 ] || fail "$(grep -vc '^own/output' own/output) lines of the others"
rm -r own

it "tells of files that it may not read, and searches the rest"
mkdir locked locked/secret
printf 'key\n' >locked/open
printf 'key\n' >locked/closed
chmod 755 "$scratch" locked
chmod 000 locked/secret locked/closed
as_nobody=()
[ "$(id -u)" != 0 ] || as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
run "${as_nobody[@]}" "$weft" find locked key
if [ "$status" = 126 ] || [ "$status" = 127 ]; then
    echo "skipped: nobody may not run $weft"
else
    expect status 1
    expect stdout "locked/open"
    expect_part stderr "weft: locked/closed: permission denied"
    expect_part stderr "weft: locked/secret: permission denied"
    for _ in 1 2 3 4 5; do # whatever is met first
        run "${as_nobody[@]}" "$weft" find -qj1 locked key
        expect status 0
    done
    run "${as_nobody[@]}" "$weft" find -q locked missing
    expect status 1

    it "tells of links to what it may not look at"
    mkdir -p shut/in linked
    printf 'key\n' >shut/in/file
    ln -s ../shut/in linked/folder
    ln -s ../shut/in/file linked/file
    ln -s missing linked/nowhere
    chmod 700 shut
    run "${as_nobody[@]}" "$weft" find -L linked key
    expect status 1
    expect stdout ""
    expect_part stderr "weft: linked/file: permission denied"
    expect_part stderr "weft: linked/folder: permission denied"
    run "${as_nobody[@]}" "$weft" find linked key
    expect status 0
    expect stderr ""
fi
chmod 700 locked/secret

it "says what is wrong with a folder that is none"
find_ missing key
expect status 1
expect stderr "weft: missing: no such file or directory"
find_ tree/a.txt key
expect status 1
expect stderr "weft: tree/a.txt: not a directory"

it "says what is wrong with its options and words"
long=$(printf 'x%.0s' {1..4097})
for line in "" "tree" "tree ''" "tree one ''" "tree $long" "-nc tree one" "-lq tree one" \
    "--json -0 tree one" "-d 0 tree one" "-z tree one" "--nonsense tree one"; do
    eval "find_ $line"
    expect status 2
    expect_part stderr "see weft help find"
    expect stdout ""
done
find_ tree "${long:1}"
expect status 0
words=()
for i in {1..1000}; do
    words+=("w$i")
done
find_ tree "${words[@]}"
expect status 0
find_ tree "${words[@]}" more
expect status 2
words=()
for i in {1..64}; do
    words+=("${long:1}")
done
find_ tree "${words[@]}"
expect status 0
find_ tree "${words[@]}" more
expect status 2
expect_part stderr "all keywords together have 262144 bytes at most"

it "has help"
run "$weft" help find
expect status 0
expect_part stdout "files that are searched at the same time"
expect_part stdout "usage: weft find [OPTION...] DIR KEYWORD..."
for option in ignore-case all files lines count quiet include exclude no-hidden depth follow jobs \
    sort null json; do
    expect_part stdout "--$option"
done

it "says so if it cannot write"
run bash -c "'$weft' find tree one >/dev/full"
expect status 1
expect stderr "weft: cannot write to standard output: no space left on device"
run bash -c "'$weft' find tree one >&-"
expect status 1

mkdir many
for i in 1 2 3 4; do
    seq -f "key %0100.0f" 1 2000 >many/$i
done

it "ends quietly if nobody wants more"
run bash -c "'$weft' find -n many key | head -n 1 | wc -l"
expect stdout 1
expect stderr ""

it "ends at Ctrl-C also if nobody reads what it writes"
for options in -n -ns "-n --json"; do
    # shellcheck disable=SC2086
    interrupt_when_stuck stdout "$weft" find $options many key
    expect status 130
    expect stderr ""
done
interrupt_when_stuck terminal "$weft" find -n many key
expect status 130

it "prints all lines, those of a file in their order"
"$weft" find -n many key | grep '^many/3:' | cut -d : -f 2 >shown
seq 1 2000 | cmp - shown || fail "they are not in order"
