# shellcheck shell=bash
# A `weft sales serve` over a ledger of 2,000 sales, for scripts that look at it from outside. After
# server.sh.
# shellcheck disable=SC2154  # scratch and url are those of shell.sh and server.sh
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1
db=$scratch/sales.db

"$weft" sales load --count 2000 --db "$db" >/dev/null || fail "there is no ledger"

total_of() {
    "$weft" sales total --db "$db" "$@" | sed 's/.* is //'
}

# serve OPTION...
serve() {
    start "$weft" sales serve -q -p0 --db "$db" "$@"
}

# figure NAME: what /metrics says.
figure() {
    curl -sS --max-time 10 "$url/metrics" | awk -v name="$1" '$1 == name { print $2 }'
}

# add ITEM AMOUNT
add() {
    get /sales --data-urlencode "item=$1" --data-urlencode "amount=$2"
}
