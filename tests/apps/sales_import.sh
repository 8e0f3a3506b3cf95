#!/usr/bin/env bash
# weft sales import: what it reads, what it refuses, and that nothing is half imported.
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
db=$scratch/db

total() {
    run "$weft" sales total --json --db "$db"
}

it "reads CSV"
printf 'item,amount,time\r\nbook,5,2024-01-31T12:00:00Z\r\n"a ""b"", c",7,\r\n' >"$scratch/a.csv"
run "$weft" sales import --db "$db" "$scratch/a.csv"
expect status 0
expect stdout "imported 2 sales"
run "$weft" sales total --db "$db" 'a "b", c'
expect stdout 'Total sales for item a "b", c is 7'

it "reads JSON Lines"
printf '{"item":"book","amount":10}\n{"amount":-1,"item":"game","time":5}\n' >"$scratch/a.jsonl"
run "$weft" sales import --db "$db" "$scratch/a.jsonl"
expect stdout "imported 2 sales"
run "$weft" sales total --db "$db" book
expect stdout "Total sales for item book is 15"

it "reads standard input"
printf 'amount,item\n3,book\n' | "$weft" sales import --format csv --db "$db" - >"$scratch/out"
[ "$(<"$scratch/out")" = "imported 1 sale" ] || fail "it says: $(<"$scratch/out")"
total
expect stdout '{"total":24,"sales":5,"records_scanned":5}'

it "imports nothing of a file with a bad line, and tells which lines they are"
printf 'item,amount\nbook,1\nbook,x\ngame,2\n"song,3\n' >"$scratch/bad.csv"
run "$weft" sales import --db "$db" "$scratch/bad.csv"
expect status 1
expect stdout ""
expect stderr "weft: $scratch/bad.csv:3: an amount is a whole number from -10^12 to 10^12, but not 0
weft: $scratch/bad.csv:5: a quote is not closed
weft: 2 bad lines; --bad skip leaves them out
weft: nothing was imported"
total
expect_part stdout '"records_scanned":5}'

it "leaves bad lines out if it is told to"
run "$weft" sales import --bad skip --db "$db" "$scratch/bad.csv"
expect status 0
expect stdout "imported 2 sales, left out 2 bad lines"
total
expect_part stdout '"records_scanned":7}'

it "prints some bad lines and counts all"
{
    echo "item,amount"
    seq 1 100
} >"$scratch/many.csv"
run "$weft" sales import --db "$db" "$scratch/many.csv"
expect status 1
expect_part stderr "many.csv:21: "
expect_part stderr "weft: and 80 more"
expect_part stderr "weft: 100 bad lines"
[[ $stderr != *":22: "* ]] || fail "it printed too many"

it "does not import a CSV without names, also if bad lines are left out"
printf 'book,1\n' >"$scratch/nameless.csv"
run "$weft" sales import --bad skip --db "$db" "$scratch/nameless.csv"
expect status 1
expect_part stderr "nameless.csv:1: the names in the first line can only be item, amount and time"

it "says that a file is not there, or is none"
run "$weft" sales import --db "$db" "$scratch/none.csv"
expect status 1
expect_part stderr "none.csv: "
mkdir "$scratch/folder.csv"
run "$weft" sales import --db "$db" "$scratch/folder.csv"
expect status 1
expect_part stderr "folder.csv: "

it "wants to know what a file is"
cp "$scratch/a.csv" "$scratch/a.txt"
run "$weft" sales import --db "$db" "$scratch/a.txt"
expect status 2
expect_part stderr "--format csv"
run "$weft" sales import --db "$db"
expect status 2
run "$weft" sales import --bad maybe --db "$db" "$scratch/a.csv"
expect status 2

it "reads a large file without much memory"
{
    echo "item,amount,time"
    seq 1 300000 | sed 's/.*/book,&,&/'
} >"$scratch/large.csv"
run bash -c "ulimit -v 400000; '$weft' sales import --db '$scratch/large' '$scratch/large.csv'"
case $status:$stderr in
0:*) expect stdout "imported 300000 sales" ;;
*:*[Ss]anitizer*) "$weft" sales import --db "$scratch/large" "$scratch/large.csv" >/dev/null ;;
*) fail "status $status: $stderr" ;;
esac
run "$weft" sales total --db "$scratch/large"
expect stdout "Total sales is 45000150000"

it "does not keep others from adding while it reads"
mkfifo "$scratch/slow"
"$weft" sales import --format csv --db "$db" "$scratch/slow" >"$scratch/out" 2>&1 </dev/null &
pid=$!
exec 9>"$scratch/slow"
printf 'item,amount\nslow,1\n' >&9
run timeout 10 "$weft" sales add --db "$db" quick 1
expect status 0
printf 'slow,2\n' >&9
exec 9>&-
wait "$pid"
run "$weft" sales total --db "$db" slow
expect stdout "Total sales for item slow is 3"

it "imports nothing if it is killed"
total
before=$stdout
mkfifo "$scratch/never"
"$weft" sales import --format csv --db "$db" "$scratch/never" >/dev/null 2>&1 </dev/null &
pid=$!
exec 9>"$scratch/never"
printf 'item,amount\nnever,1\n' >&9
kill -KILL "$pid"
wait "$pid" 2>/dev/null
exec 9>&-
total
expect stdout "$before"
