#!/usr/bin/env bash
# tools/demo, which is behind `make run`: with a stand-in for weft, which shows what it is called
# with, and at the end with weft itself.
. "$WEFT_SOURCE/tests/lib/shell.sh"
demo=$WEFT_SOURCE/tools/demo

# A build folder with a weft that exits with $STAND_IN, after it has looked at the site.
build=$scratch/build
mkdir -p "$build/demo" "$scratch/here"
ln -s "$WEFT_BUILD/demo/site" "$build/demo/site"
cat >"$build/weft" <<'END'
#!/usr/bin/env bash
printf '%s\n' "$@" >"$CALLED"
mkdir -p "$3/.weft" "$3/site"
echo state >"$3/.weft/data"
echo page >"$3/site/page.html"
case $4 in
*127.0.0.1*) curl -sS -o "$3/site/front.html" "$4" || exit 9 ;;
esac
exit "$STAND_IN"
END
chmod +x "$build/weft"
export CALLED=$scratch/called
cd "$scratch/here" || exit 1

# with STATUS ARGUMENT...: tools/demo, with a weft that exits with STATUS.
with() {
    STAND_IN=$1 run "$demo" "$build" "${@:2}"
    called=$(<"$CALLED")
}

it "serves a site, crawls all of it and shows what came"
mkdir "$build/demo-crawl"
touch "$build/demo-crawl/old"
with 0
expect status 0
expect stderr ""
url=$(grep -E '^http://127.0.0.1:[0-9]+/$' <<<"$called")
expect called "spider"$'\n'"-o"$'\n'"$build/demo-crawl"$'\n'"$url"$'\ninf\n4'
expect_part stdout "Files in $build/demo-crawl: 2"
expect_part stdout "  site/page.html"
expect_part stdout "weft serve $build/demo-crawl"
[[ $stdout != *.weft/* ]] || fail "it shows the state"
[ ! -e "$build/demo-crawl/old" ] || fail "what was there is left"

it "stops the site"
! curl -s -o /dev/null "$url" || fail "it still answers at $url"

it "takes pages that failed as they should for a success, and says so"
with 3
expect status 0
expect_part stdout "Some pages failed, as they should"

it "passes other exit statuses on"
with 5
expect status 5

it "takes another nesting and concurrency"
with 0 "" 2 7
expect_part called $'\n2\n7'

it "removes nothing but its own folder"
mkdir "$scratch/other"
touch "$scratch/other/file"
rm -r "$build/demo-crawl"
ln -s "$scratch/other" "$build/demo-crawl"
with 0
expect status 1
expect_part stderr "is not a folder of mine"
[ -e "$scratch/other/file" ] || fail "a file behind a link is gone"
rm "$build/demo-crawl"

it "crawls another site into crawl/, and passes every exit status on"
with 3 'http://other.invalid/?a=b c' "" ""
expect status 3
expect called $'spider\n-o\ncrawl\nhttp://other.invalid/?a=b c\n1'
expect_part stdout "Files in crawl: 1"
with 0 http://other.invalid/ 2 5
expect called $'spider\n-o\ncrawl\nhttp://other.invalid/\n2\n5'

it "gets URL, NESTING and CONCURRENCY from make as they are"
# shellcheck disable=SC2016  # make and the shell are to leave these alone
odd='http://other.invalid/?a=$(b)&c='"'"'d"e`f'
line=$(env -u MAKEFLAGS make -C "$WEFT_SOURCE" -n --no-print-directory run BUILD="$build" \
    URL="$odd" NESTING=2 CONCURRENCY=3 | tail -1)
(cd "$WEFT_SOURCE" && eval "printf '%s\n' $line") >"$scratch/words"
run cat "$scratch/words"
expect stdout "tools/demo"$'\n'"$build"$'\n'"$odd"$'\n2\n3'

it "says how it is used"
run "$demo"
[ "$status" -ne 0 ] || fail "it succeeds"
expect_part stderr "usage: tools/demo BUILD"

it "takes the whole generated site home with weft itself"
ln -sf "$WEFT_BUILD/weft" "$build/weft"
run timeout 50 "$demo" "$build"
expect status 0
expect_part stdout "Some pages failed, as they should"
home=("$build"/demo-crawl/*/)
count=$(find "$build/demo-crawl" -name .weft -prune -o -type f -print | wc -l)
[ "$count" -ge 470 ] || fail "there are only $count files: $stdout $stderr"
for leaf in area iframe refreshed linked deep/one from-gzip from-chunks from-slow chained; do
    [ -s "${home[0]}leaf/$leaf.html" ] || fail "leaf/$leaf.html is not there"
done
[ ! -e "${home[0]}private/secret.html" ] || fail "it has what robots.txt forbids"
[ ! -e "${home[0]}never" ] || fail "it has taken for a link what is none"
