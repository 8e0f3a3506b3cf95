#!/usr/bin/env bash
# weft sales serve: totals in four modes, their forms, adding, what fails, the figures, the end.
# shellcheck disable=SC2154  # code, fields and body are those of server.sh
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
. "$WEFT_SOURCE/tests/lib/sales.sh"
json=(-H 'Accept: application/json')
modes=(plain batch cache promise)

# member NAME: of the JSON in the body.
member() {
    sed -nE "s/.*\"$1\":\"?([^\",}]*).*/\1/p" <<<"$body"
}

# members NAME FILE...: of the JSON in files, in one line, sorted.
members() {
    local name=$1
    shift
    sed -nE "s/.*\"$name\":\"?([^\",}]*).*/\1/p" "$@" | sort | xargs
}

# ask FILE PATH [CURL OPTION...]: in the background; the answer and its status go into FILE.
asked=()
ask() {
    local file=$1 path=$2
    shift 2
    curl -sS --max-time 10 -w '%{http_code}\n' "$@" "$url$path" >"$file" 2>"$file.err" &
    asked+=($!)
}
answered() {
    wait "${asked[@]}"
    asked=()
}

# ask_all COUNT QUERY [CURL OPTION...]: so many in each mode at the same time; into MODE.NUMBER, their
# statuses into codes.
ask_all() {
    local count=$1 query=$2 mode i urls=()
    shift 2
    rm -f {plain,batch,cache,promise}.[0-9]
    for mode in "${modes[@]}"; do
        for ((i = 1; i <= count; i++)); do
            urls+=(-o "$mode.$i" "$url/?$query&mode=$mode")
        done
    done
    curl -sS --max-time 10 -w '%{http_code}\n' -Z --parallel-immediate "$@" "${urls[@]}" \
        >codes 2>/dev/null &
    asked+=($!)
}

# until_asked N: so many requests for totals have come in.
asked_are() {
    [ "$(curl -sS --max-time 10 "$url/metrics" | awk '/^weft_sales_requests_total/ { n += $2 }
        END { print n }')" -ge "$1" ]
}
until_asked() {
    soon asked_are "$1" || fail "$1 requests did not come in"
}

# ---- the command line ---------------------------------------------------------------------------

it "says what is wrong with its options"
while IFS='|' read -r options text; do
    # shellcheck disable=SC2086  # several words
    run "$weft" sales serve --db nowhere.db $options
    expect status 2
    expect stdout ""
    expect_part stderr "$text"
done <<'END'
--mode fast|--mode takes plain, batch, cache or promise, not 'fast'
--ttl 0|--ttl takes a value like 30, 0.5 or 500ms, not '0'
--ttl soon|--ttl takes a value like
--ttl 9999d|--ttl takes a value like
--scan-delay -1|--scan-delay takes a number from 0 to 3600000, not '-1'
--mode plain --redis redis://127.0.0.1|--redis is for --mode cache: only what that keeps can be shared
--mode promise --redis redis://127.0.0.1|--redis is for --mode cache: only what that keeps can be shared
--redis http://127.0.0.1|--redis 'http://127.0.0.1': 
--redis 127.0.0.1|--redis '127.0.0.1': 
--redis rediss://:secret@127.0.0.1|--redis '...@127.0.0.1': 
--threads 2|unknown option '--threads'
folder|serve takes options only, not 'folder'
END
[ ! -e nowhere.db ] || fail "it made a ledger"

it "says so when there can be no ledger"
run "$weft" sales serve -q -p0 --db "$scratch/no/such/folder"
expect status 1
expect stdout ""
expect_part stderr "weft: "
expect_part stderr "no/such/folder"
echo no ledger >file
run "$weft" sales serve -q -p0 --db file
expect status 1
expect_part stderr "weft: "

# ---- totals -------------------------------------------------------------------------------------

all=$(total_of)
book=$(total_of book)
serve
it "says where it is"
[[ $(<"$scratch/out") =~ ^'total sales at http://127.0.0.1:'[0-9]+/$ ]] || fail "$(<"$scratch/out")"

it "tells the total of all, and of an item"
get /
expect code 200
expect body "Total sales is $all"
expect_part fields "Content-Type: text/plain; charset=utf-8"
expect_part fields "X-Content-Type-Options: nosniff"
expect_part fields "Cache-Control: no-store"
[ "$(tail -c 1 .body | od -An -tx1)" = " 0a" ] || fail "the line has no end"
get '/?item=book'
expect body "Total sales for item book is $book"
get '/?item=&x=1'
expect body "Total sales is $all"
get '/?item=book&item=game'
expect body "Total sales for item book is $book"
get '/?mode=%63ache&mode=no&x=%zz&%69tem=book'
expect body "Total sales for item book is $book"
get '/?item=book' -I
expect code 200
expect_part fields "Content-Length: $((${#book} + 30))"

it "keeps a total of 0 of what nobody sold"
for how in miss hit hit; do
    get '/?item=nothing' "${json[@]}"
    [[ $body =~ ^\{\"item\":\"nothing\",\"total\":0,\"mode\":\"cache\",\"how\":\"$how\",\"took_us\":[0-9]+\}$ ]] ||
        fail "$body"
done

it "answers in the form that is liked best"
get '/?item=book' -H 'Accept: text/html;q=0.1, application/*;q=0.5'
expect_part fields "Content-Type: application/json"
get '/?item=book' -H 'Accept: text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
expect_part fields "Content-Type: text/html; charset=utf-8"
expect_part fields "Content-Security-Policy: default-src 'none'; script-src 'nonce-"
get / -H 'Accept: image/png, text/html;q=0'
expect code 406
expect body "there are text/plain, application/json and text/html"

it "shows names that are hostile without harm"
get '/?item=a%0d%0aSet-Cookie:%20x%1b%5b2Jb%00c%ff'
expect body $'Total sales for item a\xef\xbf\xbd\xef\xbf\xbdSet-Cookie: x\xef\xbf\xbd[2Jb\xef\xbf\xbdc\xef\xbf\xbd is 0'
[[ $fields != *Cookie* ]] || fail "$fields"
get '/?item=a%0a%22%5c%3C%00%ffz%f0%9f%98%80' "${json[@]}"
expect_part body $'{"item":"a\\u000a\\"\\\\\\u003c\\u0000\xef\xbf\xbdz\xf0\x9f\x98\x80","total":0,'
long=$(printf '%%e4%.0s' {1..255})
get "/?item=$long" "${json[@]}"
expect code 200
get "/?item=$long" -o /dev/null
get "/?item=${long}a" "${json[@]}"
expect code 400
expect body '{"error":"the name of an item has at most 255 bytes"}'
get '/?item=%zz'
expect code 400
expect body "there is a % without two hex digits"
get '/?mode=fast'
expect code 400
expect body "the mode is plain, batch, cache or promise"

it "has nothing else"
get /other
expect code 404
get / -X DELETE
expect code 405
stop
expect status 0
expect stderr ""

# ---- modes --------------------------------------------------------------------------------------

# hows PATH: where three answers, one after the other, are from.
hows() {
    local i every=()
    for i in 1 2 3; do
        get "$1" "${json[@]}"
        every+=("$(member how)")
    done
    echo "${every[*]}"
}

it "scans, or keeps, as the mode says; each request can choose"
serve --mode plain
while read -r mode scans records how; do
    before=$(figure weft_sales_scans_total) read_before=$(figure weft_sales_records_scanned_total)
    is=$(hows "/?item=book&mode=$mode")
    [ "$is" = "$how" ] || fail "in mode $mode: $is"
    is=$(($(figure weft_sales_scans_total) - before))
    [ "$is" = "$scans" ] || fail "in mode $mode: $is scans"
    is=$(($(figure weft_sales_records_scanned_total) - read_before))
    [ "$is" = "$records" ] || fail "in mode $mode: $is records"
    is=$(figure "weft_sales_requests_total{mode=\"$mode\"}")
    [ "$is" = 3 ] || fail "in mode $mode: $is requests"
done <<'END'
plain 3 6000 scan scan scan
batch 3 6000 scan scan scan
cache 1 2000 miss hit hit
promise 1 2000 miss hit hit
END
get / "${json[@]}"
expect_part body '"mode":"plain","how":"scan"'
stop

it "has those who ask at the same time share a scan, but for mode plain"
game=$(total_of game)
serve --scan-delay 400
ask_all 3 item=game "${json[@]}"
answered
for mode in "${modes[@]}"; do
    is=$(members how "$mode".[123])
    case $mode in
    plain) should="scan scan scan" ;;
    batch) should="joined joined scan" ;;
    *) should="joined joined miss" ;;
    esac
    [ "$is" = "$should" ] || fail "in mode $mode: $is"
    [ "$(members total "$mode".[123])" = "$game $game $game" ] ||
        fail "in mode $mode they differ: $(cat "$mode".[123])"
done
[ "$(figure weft_sales_scans_total)" = 6 ] || fail "$(figure weft_sales_scans_total) scans"
[ "$(figure 'weft_sales_joined_total{mode="promise"}')" = 2 ] || fail "not counted"
stop

it "sees what another process adds when the time of an answer is over"
serve --ttl 0.2
for mode in cache promise; do
    before=$(total_of song)
    get "/?item=song&mode=$mode"
    run "$weft" sales add --db "$db" song 5
    soon eval 'get "/?item=song&mode=$mode"; [ "$body" = "Total sales for item song is $((before + 5))" ]' ||
        fail "in mode $mode it still says: $body"
done
stop

# ---- adding -------------------------------------------------------------------------------------

it "adds a sale, and all who ask after that know of it"
serve
for mode in "${modes[@]}"; do
    all=$(total_of) book=$(total_of book)
    get "/?item=book&mode=$mode"
    get "/?mode=$mode"
    get "/?item=movie&mode=$mode"
    get /sales -H 'Content-Type: application/json; charset=utf-8' -d ' { "amount" : 7 , "item" : "b\u006fok" } '
    expect code 201
    expect_part fields "Content-Type: application/json"
    [[ $body =~ ^\{\"id\":2[0-9]+\}$ ]] || fail "$body"
    get "/?item=book&mode=$mode"
    expect body "Total sales for item book is $((book + 7))"
    get "/?mode=$mode"
    expect body "Total sales is $((all + 7))"
done
[ "$(hows '/?item=movie&mode=cache' | cut -d ' ' -f 1)" = hit ] || fail "it forgot another item"
[ "$(figure weft_sales_added_total)" = 4 ] || fail "not counted"

it "takes names of any bytes by a form"
get /sales -d 'item=%00%ff+%26&amount=1000000000000'
expect code 201
get '/?item=%00%ff%20%26' "${json[@]}"
expect_part body '"total":1000000000000,'

it "says what is wrong with a sale"
while IFS='|' read -r type sale status text; do
    get /sales -H "Content-Type: $type" -d "$sale"
    [ "$code:$body" = "$status:$text" ] || fail "$sale: $code $body"
done <<'END'
application/json|{"item":"a"}|400|there is no amount
application/json|{"item":"a","amount":1.0}|400|an amount is a whole number from -10^12 to 10^12, but not 0
application/x-www-form-urlencoded|item=a&item=b&amount=1|400|there is more than one item
text/plain|item=a&amount=1|415|a sale is application/json or application/x-www-form-urlencoded
|item=a&amount=1|415|a sale is application/json or application/x-www-form-urlencoded
END
get /sales "${json[@]}" -H 'Content-Type: application/json' -d '{"item":"a","amount":1'
expect code 400
expect_part body '{"error":"this is no JSON: '
head -c 5000 /dev/zero | tr '\0' a >large
get /sales --data-binary @large
expect code 413
get /sales -H 'Transfer-Encoding: chunked' --data-binary @large
expect code 413
get /sales
expect code 405
expect_part fields "Allow: POST, OPTIONS"
[ "$(figure weft_sales_added_total)" = 5 ] || fail "some of these were added"

it "takes no sale from the page of another origin"
get /sales -H 'Origin: http://example.org' -d 'item=a&amount=1'
expect code 403
get /sales -H 'Origin: null' -d 'item=a&amount=1'
expect code 403
get /sales -H "Origin: http://evil.example:80" -H 'Host: evil.example:80' -d 'item=a&amount=1'
expect code 403
get /sales -H "Origin: http://localhost:80" -H 'Host: localhost:80' -d 'item=a&amount=1'
expect code 201
get /sales -H "Origin: http://[::1]:80" -H 'Host: [::1]:80' -d 'item=a&amount=1'
expect code 201
get /sales -H "Origin: $url" -d 'item=a&amount=1'
expect code 201
stop

it "does not tell those who ask after a sale what those before it waited for"
serve --scan-delay 600
app=$(total_of app)
for mode in batch cache promise; do
    ask "before.$mode" "/?item=app&mode=$mode" "${json[@]}"
done
until_asked 3
add app 3
expect code 201
for mode in batch cache promise; do
    ask "after.$mode" "/?item=app&mode=$mode" "${json[@]}"
done
answered
for mode in batch cache promise; do
    # The ledger is read behind the delay, so that the first one has seen the sale too.
    [[ $(<"before.$mode") =~ \"total\":($app|$((app + 3))), ]] || fail "$(<"before.$mode")"
    [[ $(<"after.$mode") =~ \"total\":$((app + 3)),.*\"how\":\"(miss|scan)\" ]] || fail "$(<"after.$mode")"
done
stop

# ---- what fails ---------------------------------------------------------------------------------

it "answers all who wait with 500 if a scan fails, and keeps nothing of it"
cp -r "$db" broken.db
start "$weft" sales serve -q -p0 --db broken.db --scan-delay 400
# The length of a name, somewhere in the middle, on the disk.
at=$(grep -abo book broken.db/sales.mdb | sed -n '200s/:.*//p')
cp broken.db/sales.mdb whole
printf '\377' | dd of=broken.db/sales.mdb bs=1 seek=$((at - 1)) conv=notrunc status=none
ask_all 2 ''
answered
[ "$(sort codes | uniq -c | tr -d ' \n')" = 8500 ] || fail "not all are told 500: $(<codes)"
for mode in "${modes[@]}"; do
    for i in 1 2; do
        is=$(<"$mode.$i")
        [[ $is == "the total cannot be found: "* ]] || fail "in mode $mode: $is"
    done
    [ "$mode" = plain ] || [ "$(figure "weft_sales_joined_total{mode=\"$mode\"}")" = 1 ] ||
        fail "in mode $mode nobody joined"
done
get '/?mode=plain'
expect code 500
get /stats.json
expect code 500
get / -H 'Accept: text/html'
expect code 500
it "fails no other way if the end of the ledger is missing, and goes on when it is back"
truncate -s 8192 broken.db/sales.mdb
for mode in "${modes[@]}"; do
    get "/?mode=$mode"
    expect code 500
done
add book 1
expect code 500
dd if=whole of=broken.db/sales.mdb conv=notrunc status=none
for mode in "${modes[@]}"; do
    get "/?mode=$mode"
    expect body "Total sales is $(total_of)"
done
stop
expect status 0

it "lets one who waits leave, and stops a scan when the last one has left"
serve --scan-delay 400
for mode in batch cache promise; do
    ask left "/?item=x&mode=$mode" --max-time 0.15
    ask "stayed.$mode" "/?item=x&mode=$mode"
done
answered
for mode in batch cache promise; do
    [[ $(<"stayed.$mode") == "Total sales for item x is 0"$'\n'200 ]] || fail "$(<"stayed.$mode")"
done
soon eval '[ "$(figure weft_sales_scans_total)" = 3 ]' || fail "$(figure weft_sales_scans_total) scans"
stop
serve --scan-delay 60000 --drain-seconds 30
for mode in "${modes[@]}"; do
    ask left "/?item=x&mode=$mode" --max-time 0.3
done
answered
before=$SECONDS
stop
expect status 0
[ $((SECONDS - before)) -lt 20 ] || fail "something was still under way"

it "finishes what is under way when it is stopped, and cuts it when it is told so again"
serve --scan-delay 200
ask stayed /
until_asked 1
stop
answered
expect status 0
[[ $(<stayed) == "Total sales is "*$'\n'200 ]] || fail "$(<stayed)"
serve --scan-delay 60000
for mode in "${modes[@]}"; do
    ask stayed "/?mode=$mode"
done
until_asked 4
kill -INT "$pid"
soon eval '! curl -s --max-time 1 "$url/healthz" >/dev/null'
kill -INT "$pid"
over
answered
expect status 130
expect stderr ""

# ---- a ledger that is not ours -------------------------------------------------------------------

# As root everything may be written to: the server runs as somebody else then.
as_other=()
[ "$(id -u)" != 0 ] || as_other=(setpriv --reuid 65534 --regid 65534 --clear-groups)
if "${as_other[@]}" true 2>/dev/null; then
    it "serves a ledger that it may only read, and takes no sales"
    "$weft" sales load --count 10 --db read.db >/dev/null
    cp "$weft" weft && chmod 755 "$scratch" weft
    chmod 444 read.db/sales.mdb && chmod 666 read.db/sales.mdb-lock && chmod 555 read.db
    start "${as_other[@]}" ./weft sales serve -p0 --db read.db
    get /
    expect body "$("$weft" sales total --db read.db)"
    add book 5
    expect code 403
    expect body "this server may only read its ledger: no sales are taken"
    get /sales "${json[@]}" -d 'item=a&amount=1'
    expect body '{"error":"this server may only read its ledger: no sales are taken"}'
    stop
    expect status 0
    expect_part stderr "weft: read.db can only be read: no sales are taken"
    chmod 755 read.db
    mkdir locked && chmod 555 locked
    run "${as_other[@]}" ./weft sales serve -p0 --db locked/new.db
    expect status 1
    expect_part stderr "weft: locked/new.db: permission denied"
else
    echo "  (nobody else can be: not tried with a ledger that may only be read)"
fi

# ---- nothing ------------------------------------------------------------------------------------

it "makes a ledger, and has an answer when nothing was sold"
start "$weft" sales serve -q -p0 --db new.db
get /
expect body "Total sales is 0"
get / -H 'Accept: text/html'
expect_part body "nothing was sold yet</th></tr>"
add pen 2
get / -H 'Accept: text/html'
[[ $body != *"nothing was sold yet</th></tr>"* ]] || fail "it still says so"
expect_part body '<th scope="row">pen</th>'
stop

# ---- figures ------------------------------------------------------------------------------------

it "shows its figures and how it is"
serve --mode promise --ttl 12.5 --scan-delay 5
get /
get '/?item=book'
get '/?item=book'
get /healthz
expect code 200
expect body ok
get /metrics
expect_part fields "Content-Type: text/plain; version=0.0.4"
for line in 'weft_sales_requests_total{mode="promise"} 3' 'weft_sales_hits_total{mode="promise"} 1' \
    'weft_sales_misses_total{mode="promise"} 2' 'weft_sales_scans_total 2' \
    'weft_sales_request_duration_seconds_count{mode="promise"} 3' \
    'weft_sales_request_duration_seconds_bucket{mode="promise",le="+Inf"} 3' \
    'weft_sales_cache_entries 0' 'weft_sales_cache_hits_total 0' 'weft_http_requests_total{code="200"} 4'; do
    [[ $'\n'$body$'\n' == *$'\n'"$line"$'\n'* ]] || fail "it does not say: $line"
done
[ "$(grep -c '^# TYPE weft_sales_requests_total ' <<<"$body")" = 1 ] || fail "a type is told twice"
get /stats.json
expect_part fields "Content-Type: application/json"
sum=$(total_of)
is=$(python3 -c 'import json, sys
s = json.load(sys.stdin)
f, l = s["figures"], s["latency"]["promise"]
print(s["mode"], s["ttl_ms"], s["scan_delay_ms"], s["total"], sum(i["total"] for i in s["items"]),
      sum(i["sales"] for i in s["items"]) == s["sales"], "book" in [i["item"] for i in s["items"]],
      f["requests_total"]["promise"], f["scans_total"], f["overview_scans_total"],
      l["count"], sum(l["buckets"]), 500 < l["p50_us"] <= l["p95_us"] <= 1.02 * l["sum_us"])' <<<"$body")
[ "$is" = "promise 12500 5 $sum $sum True True 3 2 1 3 3 True" ] || fail "$is"
stop
