#!/usr/bin/env bash
# A page that is slow because a name is: the trace says so in one command.
# ctest: needs=hooks
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
example=$WEFT_BUILD/examples/slow_page
if [ ! -x "$example" ]; then
    echo "skipped: the examples are not built"
    exit 77
fi
cd "$scratch" || exit 1

it "records the page"
run "$weft" trace record -o page.json -- "$example"
expect status 0
expect stdout "$(<"$WEFT_SOURCE/examples/slow_page.out")"

it "names the lookup as what the slowest chain waited for"
run "$weft" trace summary page.json
expect status 0
chain=$(sed -n '/^slowest chains/,/^$/p' <<<"$stdout" | sed -n '2,4p' | sed 's/└//' | awk '{ print $3 }')
[ "$chain" = $'page_begin\nfetch\nhttp_resolve' ] || fail "$stdout"

it "says where it was begun"
expect_part stdout " http_resolve  src/http/client/"

it "says that it took nearly all of the time"
summary=$("$weft" trace summary --json page.json)
chain=${summary#*\"chains\":}
lookup=$(grep -oE '"type":"http_resolve"[^}]*"length":[0-9]+' <<<"${chain%%]*}" | grep -oE '[0-9]+$')
[ "${lookup:-0}" -ge 290000000 ] || fail "$lookup ns"
