#!/usr/bin/env bash
# weft sales load, add and total: the same sales for the same seed, all of them or none.
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
db=$scratch/db

it "makes the same sales for the same seed"
run "$weft" sales load --count 1000 --seed 7 --db "$db"
expect status 0
expect stdout "loaded 1000 sales"
run "$weft" sales total --db "$db"
expect stdout "Total sales is 51530"
run "$weft" sales total --db "$db" book
expect stdout "Total sales for item book is 10862"
run "$weft" sales total --db "$db" movie --json
expect stdout '{"item":"movie","total":9006,"sales":180,"records_scanned":1000}'

it "makes the 100000 of the documents, with amounts from 1 to 100"
run "$weft" sales load --db "$scratch/many"
expect stdout "loaded 100000 sales"
run "$weft" sales total --db "$scratch/many"
expect stdout "Total sales is 5029368"

it "adds to what is there"
run "$weft" sales load --count 1 --db "$db"
expect stdout "loaded 1 sale"
run "$weft" sales total --json --db "$db"
expect_part stdout '"records_scanned":1001}'

it "adds one sale and tells its id"
run "$weft" sales add --db "$db" "a strange \"item\"" 250
expect status 0
expect stdout "added sale 1002"
run "$weft" sales add --db "$db" --time 2024-01-31T12:00:00Z -- "a strange \"item\"" -50
expect stdout "added sale 1003"
run "$weft" sales total --db "$db" "a strange \"item\""
expect stdout "Total sales for item a strange \"item\" is 200"
run "$weft" sales total --json --db "$db" "a strange \"item\""
expect stdout '{"item":"a strange \"item\"","total":200,"sales":2,"records_scanned":1003}'

it "has a total of 0 for what nobody sold"
run "$weft" sales total --db "$db" nothing
expect status 0
expect stdout "Total sales for item nothing is 0"

it "makes JSON of any name"
run "$weft" sales total --json --db "$db" $'\xff<b>'
expect_part stdout $'{"item":"\xef\xbf\xbd'
expect_part stdout '"total":0,'

it "uses sales.db in the folder where it is"
cd "$scratch" || exit 1
run "$weft" sales add book 5
expect status 0
run "$weft" sales total
expect stdout "Total sales is 5"
[ -f "$scratch/sales.db/sales.mdb" ] || fail "there is no sales.db"

it "counts nothing where there is no ledger, and makes none"
run "$weft" sales total --db "$scratch/none"
expect status 1
expect stderr "weft: $scratch/none: there is no ledger here"
[ ! -e "$scratch/none" ] || fail "it was made"

it "tells a damaged ledger from a good one"
mkdir "$scratch/bad"
echo "this is not a database" >"$scratch/bad/sales.mdb"
for part in "total" "add book 1" "load"; do
    # shellcheck disable=SC2086
    run "$weft" sales $part --db "$scratch/bad"
    expect status 1
    expect_part stderr "$scratch/bad/sales.mdb: "
done

it "takes a refund, and says what an amount is"
run "$weft" sales add --db "$scratch/amounts" book 9
run "$weft" sales add --db "$scratch/amounts" book -5
expect stdout "added sale 2"
run "$weft" sales total --db "$scratch/amounts"
expect stdout "Total sales is 4"
for amount in 0 -0 1000000000001 -1000000000001 9223372036854775807 five -5x; do
    run "$weft" sales add --db "$scratch/amounts" book "$amount"
    expect status 2
    expect_part stderr "an amount is a whole number from -10^12 to 10^12, but not 0; '$amount' is none"
done

it "writes nothing for people into a ledger when the standard descriptors are closed"
run "$weft" sales load --count 1000 --db "$scratch/closed"
bash -c "trap '' XFSZ; ulimit -f 100; exec '$weft' sales load --db '$scratch/closed' <&- >&- 2>&-"
run "$weft" sales total --json --db "$scratch/closed"
expect status 0
expect_part stdout '"records_scanned":1000}'

it "refuses what it does not understand"
for words in "load 5" "load --count -1" "load --count x" "add book" "add book five" "add book 1 2" \
    "add --time noon book 1" "total a b" "lod" "" "total --jsn"; do
    # shellcheck disable=SC2086
    run "$weft" sales $words
    expect status 2
done
run "$weft" sales add "" 5
expect status 2
run "$weft" sales lod
expect_part stderr "did you mean 'load'?"

it "loads all or nothing if it is killed, wherever it is"
begun=$(date +%s%N)
run "$weft" sales load --count 300000 --db "$scratch/killed"
took=$((($(date +%s%N) - begun) / 1000))
loaded=300000
for i in 1 2 3 4 5 6 7 8 9; do
    "$weft" sales load --count 300000 --db "$scratch/killed" >/dev/null 2>&1 </dev/null &
    pid=$!
    us=$((took * i / 10))
    sleep "$((us / 1000000)).$(printf %06d $((us % 1000000)))"
    if [ $((i % 2)) -eq 0 ]; then
        kill -TERM "$pid" 2>/dev/null
    else
        kill -KILL "$pid" 2>/dev/null
    fi
    ! wait "$pid" 2>/dev/null || loaded=$((loaded + 300000))
    "$weft" sales total --json --db "$scratch/killed" >"$scratch/total"
    now=$(sed 's/.*"records_scanned":\([0-9]*\)}/\1/' "$scratch/total")
    # One that was killed when its sales were on the disk already has loaded them.
    if [ "$now" = $((loaded + 300000)) ]; then
        loaded=$now
    fi
    [ "$now" = "$loaded" ] || fail "$now sales are there, not $loaded"
done
[ "$(ls "$scratch/killed")" = $'sales.mdb\nsales.mdb-lock' ] || fail "something was left behind"
