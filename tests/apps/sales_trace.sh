#!/usr/bin/env bash
# A trace of weft sales serve leads from a request to the scan that it waited for.
# ctest: needs=hooks
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1
"$weft" sales load --count 500 --db sales.db >/dev/null || fail "there is no ledger"

# chain OF TYPES...: does each of them, in a chain of the summary, stand below the one before?
chain() {
    local pattern='' type
    for type in "$@"; do
        pattern+=" $type  [^"$'\n'"]*"$'\n[^\n]*'
    done
    [[ $summary =~ $pattern ]] || fail "no chain of $*: $summary"
}

it "shows what a request waited for, in each mode"
while read -r mode asks load; do
    start "$weft" trace record -o trace.json -- "$weft" sales serve -q -p0 --db sales.db --mode "$mode" \
        --scan-delay 20
    get '/?item=book'
    expect code 200
    stop
    expect status 0
    summary=$("$weft" trace summary trace.json)
    chain http_request totals_ask_begin "$asks" "${load//_/ }" scan_begin
    expect_part summary "never destroyed: 0"
done <<'END'
batch batch_ask batch_load
cache cache_get cache_load
promise memoize memoize
END
