#!/usr/bin/env bash
# weft spider --warc: archives that another program reads (npm's warcio), whatever happened while they
# were written. WEFT_KILLS: how often one is killed (5).
# ctest: timeout=600
# shellcheck disable=SC2034  # status, stdout and stderr are read by expect
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"
here=$WEFT_SOURCE/tests/spider/warc
kills=${WEFT_KILLS:-5}
RANDOM=${WEFT_SEED:-$$}
echo "WEFT_SEED=${WEFT_SEED:-$$}"

cannot() {
    echo "$*: archives are not looked at"
    exit 77
}
command -v node >/dev/null || cannot "there is no node"
command -v npm >/dev/null || cannot "there is no npm"

# Who reads them is fetched once for all builds, and again only when another version is wanted.
library=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/weft/warcio
fetch_library() {
    mkdir -p "$library" && cd "$library" && cp "$here/package.json" . &&
        npm install --no-audit --no-fund --no-package-lock --loglevel=error --fetch-retries=1
}
if ! cmp -s "$here/package.json" "$library/package.json" || [ ! -d "$library/node_modules" ]; then
    if ! (fetch_library) >"$scratch/npm.log" 2>&1; then
        rm -f "$library/package.json"
        cannot "npm has no warcio here ($(tail -n 1 "$scratch/npm.log"))"
    fi
fi

# check FILE [killed]: it is a good archive with a good index; what is in it is in $seen.
check() {
    local stem=${1%.gz}
    seen=
    [ -f "$1" ] || fail "there is no $1"
    NODE_PATH=$library/node_modules run timeout 100 node "$here/check.js" "$1" "${stem%.warc}.cdxj" \
        ${2:+"$2"}
    [ "$status" -eq 0 ] || fail "$1: $stderr"
    seen=$stdout
}

of() {
    sed -n "s/^$1 \([0-9]*\)\$/\1/p" <<<"$seen"
}

# has TYPE STATUS PATH
has() {
    grep -q "^$1 $2 $site$3\$" <<<"$seen" || fail "there is no $1 $2 of $3"
}

hasnt() {
    ! grep -q " $site$1\$" <<<"$seen" || fail "there is $1"
}

# Which pages are there, by their addresses.
archived() {
    sed -n "s,^\(response\|revisit\) 200 $site,,p" <<<"$seen" | grep -v robots.txt | sort -u
}

# Their bytes: which of two gets the better name depends on who comes first.
tree() {
    find "$home" -name .weft -prune -o -type f -exec sha256sum {} + | cut -d ' ' -f 1 | sort
}

# ---- beside the files --------------------------------------------------------------------------

site --pages 20
fresh
spider -q "$site/" inf 4 --retries 1
files=$(tree)

for name in site.warc site.warc.gz; do
    it "archives every answer in $name, beside the files"
    fresh
    rm -f "$scratch"/site.*
    spider "$site/" inf 4 --retries 1 --warc "$scratch/$name"
    expect status 3
    [ "$(tree)" = "$files" ] || fail "the files are others: $(diff <(tree) - <<<"$files")"
    check "$scratch/$name"
    [ "$(of warcinfo)" = 1 ] || fail "$(of warcinfo) warcinfo"
    [ "$(of request)" = "$(of lines)" ] || fail "$(of request) requests, $(of lines) lines"
    [ "$(of revisit)" -ge 3 ] || fail "$(of revisit) revisits of pages that are the same"
    has response 200 /robots.txt
    has response 200 /big.bin
    has response 404 /missing.html
    grep -q "^response 30[0-9] $site/redirect" <<<"$seen" || fail "no redirect"
    left=("$scratch/$name".* "$scratch"/site.cdxj.*)
    if [ -e "${left[0]}" ] || [ -e "${left[1]}" ]; then
        fail "leftovers: ${left[*]}"
    fi

    it "has nothing to add to it when there is nothing to do"
    before=$(cat "$scratch"/site.* | sha256sum)
    spider "$site/big.bin" 0 --warc "$scratch/$name"
    expect status 3
    expect_part stdout "nothing to do"
    [ "$(cat "$scratch"/site.* | sha256sum)" = "$before" ] || fail "it has changed"
done
[ "$(head -c 2 "$scratch/site.warc.gz" | od -An -tx1)" = " 1f 8b" ] || fail "it is not packed"

it "packs as hard as it is told"
for level in 1 9; do
    fresh
    rm -f "$scratch"/level$level.*
    spider -q "$site/" inf 1 --retries 0 --warc "$scratch/level$level.warc.gz" --warc-level $level
    check "$scratch/level$level.warc.gz"
done
[ "$(stat -c %s "$scratch/level9.warc.gz")" -lt "$(stat -c %s "$scratch/level1.warc.gz")" ] ||
    fail "9 is not smaller than 1"

it "records what curl has sent, too"
fresh
spider -q "$site/" 1 4 --cookies --warc "$scratch/cookies.warc.gz"
check "$scratch/cookies.warc.gz"
has response 200 /

# ---- without files -----------------------------------------------------------------------------

it "saves no files with --warc-only, and follows links all the same"
fresh
spider "$site/" inf 4 --retries 1 --warc "$scratch/only.warc" --warc-only
expect status 3
expect_part stdout "in the archive"
[ "$(ls -A "$home")" = .weft ] || fail "there is $(ls -A "$home")"
check "$scratch/only.warc"
[ "$(archived | wc -l)" -ge "$(wc -l <<<"$files")" ] || fail "$(archived | wc -l) pages"

for name in deeper.warc deeper.warc.gz; do
    it "reads pages from $name to go deeper, and asks for none again"
    site --no-extras --pages 60
    fresh
    rm -f "$scratch"/deeper.*
    spider -q "$site/" 1 4 --warc "$scratch/$name" --warc-only
    spider -q "$site/" inf 4 --warc "$scratch/$name" --warc-only
    expect status 0
    check "$scratch/$name"
    [ "$(archived | wc -l)" -eq 60 ] || fail "$(archived | wc -l) pages"
    [ "$(total)" -eq 60 ] || fail "$(total) requests for 60 pages"
done

it "asks again for a page that has to be looked through, when its archive is gone"
rm "$scratch"/deeper.*
spider -q "$site/" inf 4 --include '*' --warc "$scratch/deeper.warc" --warc-only
expect status 0
check "$scratch/deeper.warc"
[ "$(archived | wc -l)" -eq 60 ] || fail "$(archived | wc -l) pages"

it "fetches files when they are wanted, too"
site --no-extras --pages 30
fresh
rm -f "$scratch"/only.*
spider -q "$site/" inf 4 --warc "$scratch/only.warc" --warc-only
[ "$(saved)" -eq 0 ] || fail "$(saved) files"
spider -q -k --exclude '/p/2*' "$site/" inf 4
! grep -rq '\.warc/' "$home/$host" || fail "a link leads into the archive"
spider -q -k "$site/" inf 4
expect status 0
[ "$(saved)" -eq 30 ] || fail "$(saved) files"
! grep -rq '\.warc/' "$home/$host" || fail "a link leads into the archive"
spider "$site/" inf 4 --warc "$scratch/only.warc" --warc-only
expect_part stdout "nothing to do: 30 pages"

for name in update.warc update.warc.gz; do
    it "says in $name what has not changed, and has what has"
    pages
    links /a /b /c | page /
    page /a <<<a
    page /b <<<b
    page /c 200 'ETag: none' <<<c
    fresh
    spider -q -k "$site/" inf 4 --warc "$scratch/$name"
    links / | page /b
    spider -q -k --update "$site/" inf 4 --warc "$scratch/$name"
    expect status 0
    check "$scratch/$name"
    has revisit 304 /
    has revisit 304 /a
    has revisit 200 /c
    [ "$(grep -c "^response 200 $site/b$" <<<"$seen")" -eq 2 ] || fail "what has changed is not there"
    rm -f "$scratch"/update.*
done

# dated TARGET [BODY [TARGET]]: the last 304 of it says of which answer it is; or says nothing, without a BODY.
dated() {
    local is expected=
    is=$(grep "^dated $site$1 " <<<"$seen" | tail -n 1)
    [ $# -eq 1 ] || expected="dated $site$1 sha1:$(printf '%s\n' "$2" | sha1sum | cut -d ' ' -f 1 | base32_of) $site${3:-$1}"
    [ "$is" = "$expected" ] || fail "$1 should be '$expected' but is '$is'"
}

base32_of() {
    python3 -c 'import base64; print(base64.b32encode(bytes.fromhex(input())).decode())'
}

for name in since.warc since.warc.gz; do
    it "says in $name since when nothing has changed, and of which bytes"
    pages
    links /a /b /c | page /
    page /a <<<same
    page /b <<<same
    page /c <<<before
    fresh
    rm -f "$scratch"/since.*
    spider -q "$site/" inf 1 --warc "$scratch/$name"
    spider -q --update "$site/" inf 1 --warc "$scratch/$name"
    expect status 0
    check "$scratch/$name"
    dated /a same
    dated /b same /a
    dated /c before
    page /c <<<after
    spider -q --update "$site/" inf 1 --warc "$scratch/$name"
    spider -q --update "$site/" inf 1 --warc "$scratch/$name"
    check "$scratch/$name"
    dated /c after
    dated /a same

    it "says nothing in $name about an answer that is not there"
    page /a <<<unarchived
    spider -q --update "$site/" inf 1
    page /new <<<unarchived
    links /a /new | page /
    spider -q --update "$site/" inf 1
    spider -q --update "$site/" inf 1 --warc "$scratch/$name"
    expect status 0
    check "$scratch/$name"
    has revisit 304 /new
    dated /new
    [ "$(grep -c "^revisit 304 $site/a$" <<<"$seen")" -eq 4 ] || fail "$(grep "304 $site/a$" <<<"$seen")"
    [ "$(grep -c "^dated $site/a " <<<"$seen")" -eq 3 ] || fail "it is said to be an older one"
done

# ---- large bodies, odd ones --------------------------------------------------------------------

for name in large.warc large.warc.gz; do
    it "archives what is spilled to the disk in $name"
    site --pages 3 --big 20000000
    fresh
    spider -q "$site/big.bin" 0 --warc "$scratch/$name"
    expect status 0
    check "$scratch/$name"
    has response 200 /big.bin
    expect_file big.bin
    spider -q "$site/big.bin" 0 --warc "$scratch/$name" --warc-only
    [ -z "$(ls -A "$home/.weft/tmp")" ] || fail "leftovers: $(ls -A "$home/.weft/tmp")"
    rm -f "$scratch"/large.*
done

end_site
: >"$scratch/site.out"
node "$here/server.js" >>"$scratch/site.out" 2>"$scratch/site.err" </dev/null &
site_pid=$!
soon site_is_ready
site=$(sed -n 's,^listening on \(.*\)/$,\1,p' "$scratch/site.out")
host=${site#http://}

it "keeps heads that fit the bodies, and what they were under another name"
fresh
spider -q "$site/" inf 2 --warc "$scratch/odd.warc"
check "$scratch/odd.warc"
for one in "200 /chunks" "200 /packed" "200 /within" "204 /behind" "302 /robots.txt" "200 /rules.txt" \
    "404 /large" "301 /moved"; do
    has response "${one% *}" "${one#* }"
done
grep -aq '^X-Archive-Orig-Transfer-Encoding: chunked' "$scratch/odd.warc" || fail "no chunks"
grep -aq '^X-Archive-Orig-Content-Encoding: gzip' "$scratch/odd.warc" || fail "nothing was packed"
grep -aq 'within what is packed' "$scratch/odd.warc" || fail "it is still packed"
[ "$(grep -ac 'no such page, at length' "$scratch/odd.warc")" -eq 30000 ] || fail "a large error is not whole"
[ -z "$(ls -A "$home/.weft/tmp")" ] || fail "leftovers: $(ls -A "$home/.weft/tmp")"
expect_no_file nowhere

it "says so where it has kept only a part"
fresh
spider -q "$site/" inf 2 --warc "$scratch/part.warc.gz" --max-file 100k
check "$scratch/part.warc.gz"
has response 404 /large
grep -aq '^WARC-Truncated: length' <(zcat "$scratch/part.warc.gz") || fail "it does not say so"

# ---- whose archive it is -----------------------------------------------------------------------

it "leaves alone what it did not write"
site --no-extras --pages 5
fresh
echo mine >"$scratch/mine.warc"
spider "$site/" inf 2 --warc "$scratch/mine.warc"
expect status 5
expect_part stderr "left alone"
[ "$(<"$scratch/mine.warc")" = mine ] || fail "it was written to"
[ "$(total)" -eq 0 ] || fail "it fetched all the same"
spider -q "$site/" inf 2 --warc "$scratch/ours.warc"
cp "$scratch/ours.warc" "$scratch/kept.warc"
fresh
spider "$site/" inf 2 --warc "$scratch/ours.warc"
expect status 5
cmp -s "$scratch/ours.warc" "$scratch/kept.warc" || fail "the archive of another crawl was written to"
echo mine >"$scratch/index.cdxj"
spider "$site/" inf 2 --warc "$scratch/index.warc"
expect status 5
[ ! -e "$scratch/index.warc" ] || fail "there is an archive for somebody else's index"
fresh
for beside in warc.part cdxj.runs cdxj.sorted; do
    echo mine >"$scratch/beside.$beside"
done
spider -q "$site/" inf 2 --warc "$scratch/beside.warc"
expect status 0
check "$scratch/beside.warc"
[ "$(cat "$scratch"/beside.{warc.part,cdxj.runs,cdxj.sorted})" = $'mine\nmine\nmine' ] ||
    fail "what lay beside it was written to"
ln -s nowhere "$scratch/link.warc"
fresh
spider "$site/" inf 2 --warc "$scratch/link.warc"
expect status 5
[ -L "$scratch/link.warc" ] || fail "a link was replaced"
rm "$scratch/link.warc" "$scratch"/beside.*
[ -z "$(find "$scratch" -name '*.part' -o -name '*.runs' -o -name '*.sorted')" ] ||
    fail "left behind: $(ls "$scratch")"

it "goes on with each archive that a crawl has written to"
fresh
rm -f "$scratch"/{first,second}.*
spider -q "$site/" 0 --warc "$scratch/first.warc"
spider -q "$site/" 1 1 --max-pages 2 --warc "$scratch/second.warc.gz"
spider "$site/" 1 1 --max-pages 3 --warc "$scratch/first.warc"
expect status 0
spider "$site/" inf 1 --warc "$scratch/second.warc.gz"
expect status 0
check "$scratch/first.warc"
[ "$(archived | wc -l)" -eq 2 ] || fail "$(archived | wc -l) pages in the first"
check "$scratch/second.warc.gz"
[ "$(archived | wc -l)" -eq 3 ] || fail "$(archived | wc -l) pages in the second"

it "says that its index is gone, and makes no other one"
fresh
spider -q "$site/" 1 2 --warc "$scratch/gone.warc"
mv "$scratch/gone.cdxj" "$scratch/kept.cdxj"
spider "$site/" inf 2 --warc "$scratch/gone.warc"
expect status 5
expect_part stderr "or gone"
[ ! -e "$scratch/gone.cdxj" ] || fail "there is an index now"
mv "$scratch/kept.cdxj" "$scratch/gone.cdxj"
spider -q "$site/" inf 2 --warc "$scratch/gone.warc"
expect status 0
check "$scratch/gone.warc"

it "belongs to one crawl at a time"
site --no-extras --pages 30 --delay 30
for round in 1 2 3 4; do
    rm -rf "$scratch"/{one,other}-home "$scratch"/both.*
    "$weft" spider -q -o "$scratch/one-home" --warc "$scratch/both.warc" "$site/" 1 2 2>"$scratch/one" &
    pid=$!
    other=0
    "$weft" spider -q -o "$scratch/other-home" --warc "$scratch/both.warc" "$site/" 1 2 \
        2>"$scratch/other" || other=$?
    one=0
    wait "$pid" || one=$?
    case $one$other in
    05) grep -Eq "being written by another crawl|left alone" "$scratch/other" || fail "$(<"$scratch/other")" ;;
    50) grep -Eq "being written by another crawl|left alone" "$scratch/one" || fail "$(<"$scratch/one")" ;;
    *) fail "round $round: status $one and $other: $(cat "$scratch/one" "$scratch/other")" ;;
    esac
    check "$scratch/both.warc"
done
fresh
"$weft" spider -q -o "$home" --warc "$scratch/busy.warc" "$site/" inf 2 &
pid=$!
soon test -f "$scratch/busy.warc"
cp -r "$home" "$scratch/copy" # with the mark of this archive
run "$weft" spider -o "$scratch/copy" --warc "$scratch/busy.warc" "$site/" inf 2
expect status 5
expect_part stderr "is being written by another crawl"
wait "$pid" || fail "status $?"
check "$scratch/busy.warc"

it "indexes a type that pretends to be a revisit as none"
pages
page /liar 200 'Content-Type: warc/revisit' <<<"no revisit"
links /liar | page /
fresh
spider -q "$site/" inf 2 --warc "$scratch/liar.warc"
expect status 0
check "$scratch/liar.warc"
has response 200 /liar
grep -q '/liar.*"mime": "unk"' "$scratch/liar.cdxj" || fail "$(<"$scratch/liar.cdxj")"

it "says what is wrong with its options"
run "$weft" spider --warc-only
expect status 2
run "$weft" spider --warc x.warc --list
expect status 2
run "$weft" spider --warc x.warc --warc-level 10
expect status 2
for name in $'line\nend.warc' $'no utf8 \xff.warc' $'\x7f'; do
    run "$weft" spider --warc "$scratch/$name" "$site/"
    expect status 2
    expect_part stderr "it has to be UTF-8"
done
run "$weft" spider -o "$home" --warc "$scratch/no/such/folder/x.warc" "$site/"
expect status 5
expect_part stderr "cannot open the archive"

# ---- killed ------------------------------------------------------------------------------------

answered() {
    [ "$(wc -l <"$scratch/log")" -ge "$1" ] || ! kill -0 "$pid" 2>/dev/null
}

for name in killed.warc killed.warc.gz; do
    it "leaves a readable $name when it is killed, $kills times, and goes on with it"
    site --no-extras --pages $((kills * 100)) --delay 10 --log "$scratch/log"
    fresh
    rm -f "$scratch"/killed.*
    for ((killed = 1; killed <= kills; killed++)); do
        begun=$(wc -l <"$scratch/log")
        "$weft" spider -q -o "$home" --warc "$scratch/$name" "$site/" inf 8 >/dev/null \
            2>"$scratch/err" &
        pid=$!
        soon answered $((begun + RANDOM % 40))
        sleep "0.00$((RANDOM % 10))"
        kill -KILL "$pid" 2>/dev/null || fail "it was over before kill number $killed"
        wait "$pid" 2>/dev/null
        [ ! -s "$scratch/err" ] || fail "before kill number $killed it says: $(<"$scratch/err")"
        [ ! -f "$scratch/$name" ] || check "$scratch/$name" killed
        "$WEFT_BUILD/demo/state" "$home" | sed -n "s,^done [0-9]* $site,,p" | sort >"$scratch/done"
        lost=$(comm -23 "$scratch/done" <(archived))
        [ -z "$lost" ] || fail "called done, and not in the archive: $lost"
    done
    spider -q "$site/" inf 8 --warc "$scratch/$name"
    expect status 0
    check "$scratch/$name"
    [ "$(archived | wc -l)" -eq $((kills * 100)) ] || fail "$(archived | wc -l) pages"
    rm "$scratch/log"
done

# ---- a full disk -------------------------------------------------------------------------------

it "stops when the disk is full, and goes on when it is not"
disk=$scratch/disk
mkdir "$disk"
if mount -t tmpfs -o size=200k tmpfs "$disk" 2>/dev/null; then
    site --no-extras --pages 200
    fresh
    spider "$site/" inf 8 --warc "$disk/full.warc"
    expect status 5
    expect_part stderr "cannot write the archive"
    check "$disk/full.warc" killed
    mount -o remount,size=20m "$disk"
    spider -q "$site/" inf 8 --warc "$disk/full.warc"
    expect status 0
    check "$disk/full.warc"
    [ "$(archived | wc -l)" -eq 200 ] || fail "$(archived | wc -l) pages"
    umount "$disk"
else
    echo "  (nothing can be mounted here: skipped)"
fi
