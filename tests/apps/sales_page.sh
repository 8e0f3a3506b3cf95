#!/usr/bin/env bash
# The page of weft sales serve in a real browser: it loads without an error or a request to anywhere
# else, shows the figures of the JSON, draws them, and is readable without JavaScript and on a phone.
# ctest: labels=browser timeout=120
# shellcheck disable=SC2154  # url and body are those of server.sh
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
here=$WEFT_SOURCE/tests/apps/sales_page
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1

. "$WEFT_SOURCE/tests/lib/browser.sh"

of() {
    sed -n "s/^$1 //p" <<<"$seen"
}

# is NAME VALUE
is() {
    [ "$(of "$1")" = "$2" ] || fail "$1 should be $2 but is $(of "$1")"
}

# json JAVASCRIPT: of the figures, s.
json() {
    node -p "const s = JSON.parse(require('fs').readFileSync('stats.json')); $1"
}

hostile='</script><img src=x onerror=alert(1)>&"'
"$weft" sales load --count 2000 --db sales.db >/dev/null || fail "there is no ledger"
start "$weft" sales serve -q -p0 --db sales.db --scan-delay 5
get /sales --data-urlencode "item=$hostile" -d amount=7
get '/?item=book'
# More than JavaScript's numbers are exact for.
yes '{"item":"yacht","amount":999999999999}' | head -n 9100 >yachts.jsonl
"$weft" sales import --db sales.db yachts.jsonl >/dev/null || fail "there are no yachts"

[ -z "${WEFT_PICTURES-}" ] || mkdir -p "$WEFT_PICTURES"
browse "$here/look.js" "$url" \
    ${WEFT_PICTURES:+"$WEFT_PICTURES"}
seen=$stdout
it "loads, and needs nobody else"
expect status 0
! grep -qE '^(console|error|dialog|request|failed) ' <<<"$seen" ||
    fail "$(grep -E '^(console|error|dialog|request|failed) ' <<<"$seen")"

it "shows the figures of the JSON"
get /stats.json
cp .body stats.json
total=$("$weft" sales total --db sales.db | sed 's/.* is //')
is figure-total "$total"
is figure-total "$(json s.total_text)"
is figure-sales "$(json s.sales)"
is figure-requests "$(json 'Object.values(s.figures.requests_total).reduce((a, b) => a + b)')"
is figure-scans "$(json s.figures.scans_total)"
is figure-records "$(json s.figures.records_scanned_total)"
for name in total sales requests scans records; do
    is "shown-$name" "$(of "figure-$name")"
done

it "names the items and their totals, whatever they are called"
[ "$(of item | tr -d ,)" = "$(json 's.items.map(i => JSON.stringify(i.item) + " " + i.total).join("\n")')" ] ||
    fail "$(of item)"
[[ $(of item) == *'onerror=alert(1)>&\""'* ]] || fail "$(of item)"
is images 0

it "draws the latencies of each mode"
for mode in plain batch promise; do
    is "plot-$mode" "20 true"
done
is plot-cache "21 true"
is labels-on-bars 0

it "is live, light and dark, and no wider than the screen"
is live true
[ "$(of paper-light)" != "$(of paper-dark)" ] || fail "light and dark are the same"
is overflow-wide false
is overflow-narrow false

it "can be read without JavaScript"
[ "$(of plain-total | tr -d ,)" = "$total" ] || fail "$(of plain-total)"
is plain-rows "$(json s.items.length)"
stop
expect status 0
