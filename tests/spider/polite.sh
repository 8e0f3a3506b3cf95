#!/usr/bin/env bash
# weft spider: its manners. When it asks is compared with bounds only: on a busy machine everything
# may take longer than it has to, but nothing may come earlier.
# ctest: timeout=120
# shellcheck disable=SC2034  # status, stdout and stderr are read by expect
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/more.sh"
log=$scratch/log

now_ms() {
    echo $(($(date +%s%N) / 1000000))
}

# timed ARGUMENT...: the spider; $took, in milliseconds.
timed() {
    local begun
    begun=$(now_ms)
    spider "$@"
    took=$(($(now_ms) - begun))
}

expect_took() {
    [ "$took" -ge "$1" ] || fail "it took only $took ms instead of $1"
}

# The log: MS STATUS BYTES PATH. How long nothing was asked for behind the first 429.
rest_ms() {
    awk '$2 == 429 && !at { at = $1; next } at && !after { after = $1; print after - at }' "$1"
}

# From the first request behind that rest to the last one of all; and how many there are.
behind_ms() {
    awk '$2 == 429 && !at { at = 1; next } at && !n++ { first = $1 } at { last = $1 }
         END { print last - first, n + 0 }' "$1"
}

# ---- those that take long ------------------------------------------------------------------------

# beside NAME ARGUMENT...: a crawl of $other into $scratch/NAME, beside all others.
declare -A beside
beside() {
    local name=$1
    shift
    timeout 60 "$weft" spider -o "$scratch/$name" "$other/" inf "$@" >"$scratch/$name.out" \
        2>"$scratch/$name.err" </dev/null &
    beside[$name]=$!
}

# expect_beside NAME PAGES: it has ended well, and saved so many.
expect_beside() {
    local count
    status=0
    wait "${beside[$1]}" || status=$?
    stderr=$(<"$scratch/$1.err")
    expect status 0
    count=$(find "$scratch/$1" -name '*.html' | wc -l)
    [ "$count" -eq "$2" ] || fail "$count files"
}

# With one download at a time nothing is under way when it is told to wait.
another --no-extras --pages 25 --too-many 20 --retry-after 2 --log "$log.seconds"
beside seconds 1
another --no-extras --pages 22 --too-many 20 --retry-after date:3 --log "$log.date"
dated=$other
beside date 1 --polite --delay 1ms
another --no-extras --pages 30 --drop-after 10 --down-ms 1500 --log "$log.down"
beside down 4 --polite --delay 1ms

# ---- how fast ------------------------------------------------------------------------------------

it "leaves 100 ms between two requests to a host"
site --no-extras --pages 9
fresh
timed --polite "$site/" inf
expect status 0
[ "$(saved)" -eq 9 ] || fail "$(saved) files"
expect_took 900 # nine gaps: robots.txt is one more request

it "has two at a time"
site --no-extras --pages 10 --delay 60
fresh
spider --polite --delay 1ms "$site/" inf
expect status 0
[ "$(most)" -le 2 ] || fail "$(most) at a time"

it "leaves as much time between them as --delay says"
site --no-extras --pages 3
fresh
timed --polite --delay 300ms "$site/" inf
expect status 0
expect_took 900

it "has no more downloads from a host than --per-host says"
site --no-extras --pages 20 --delay 60
fresh
spider --polite --delay 1ms --per-host 3 "$site/" inf 8
expect status 0
[ "$(most)" -le 3 ] || fail "$(most) at a time"

it "has as many as it is told, if it is told"
site --no-extras --pages 20 --delay 60
fresh
spider --polite --delay 1ms "$site/" inf 6
expect status 0
[ "$(most)" -le 6 ] || fail "$(most) at a time"
[ "$(most)" -gt 2 ] || fail "only $(most) at a time"

it "does not spare the machine itself without --polite, but never has more than it is told"
site --no-extras --pages 150 --delay 5
fresh
timed "$site/" inf 4
expect status 0
[ "$(saved)" -eq 150 ] || fail "$(saved) files"
[ "$took" -lt 10000 ] || fail "$took ms: 150 pages a 100 ms would be 15 s"
[ "$(most)" -le 4 ] || fail "$(most) at a time"

it "asks no more often than --rate says"
site --no-extras --pages 10
fresh
timed --rate 20 "$site/" inf 4
expect status 0
expect_took 500 # ten gaps of 50 ms

# ---- robots.txt ----------------------------------------------------------------------------------

it "keeps the Crawl-delay of robots.txt, even with --fast"
site --no-extras --pages 4 --robots 'User-agent: *\nCrawl-delay: 0.3'
fresh
timed --fast "$site/" inf 4
expect status 0
expect_took 900
[ "$(most)" -eq 1 ] || fail "$(most) at a time"

# All but the first page would have to wait for as long as that.
it "says so when a Crawl-delay is long, and takes no more than an hour for it"
site --no-extras --pages 4 --robots 'User-agent: *\nCrawl-delay: 86400000'
fresh
spider --max-time 3s "$site/" inf 4
expect stderr "weft: $site is asked every 1 h 0 min only, because its robots.txt says so (Crawl-delay; \
--no-robots does not heed it)"
[ "$(total)" -le 1 ] || fail "$(total) requests"

it "says so again in a run that does not ask for it again"
spider --max-time 3s "$site/" inf 4
expect_part stderr "every 1 h 0 min only"
[ "$(asked /robots.txt)" -eq 1 ] || fail "$(asked /robots.txt) times"

it "does not say so with --quiet, nor if the user wants to wait as long, or need not heed it"
fresh
spider -q --max-time 3s "$site/" inf 4
expect stderr ""
[ "$(asked /robots.txt)" -eq 2 ] || fail "$(asked /robots.txt) times"
fresh
spider --polite --delay 1h --max-time 3s "$site/" inf 4
expect stderr ""
[ "$(asked /robots.txt)" -eq 3 ] || fail "$(asked /robots.txt) times"
fresh
spider --no-robots "$site/" inf 4
expect status 0
expect stderr ""

it "says so from ten seconds on"
for seconds in 10 11; do
    site --no-extras --pages 4 --robots "User-agent: *\nCrawl-delay: $seconds"
    fresh
    spider --max-time 3s "$site/" inf 4
    [ "$(asked /robots.txt)" -eq 1 ] || fail "$(asked /robots.txt) times"
    if [ "$seconds" = 10 ]; then
        expect stderr ""
    else
        expect_part stderr "$site is asked every 11.0 s only"
    fi
done

it "takes a robots.txt that is not there for a yes, and asks for it once"
site --no-extras --pages 20 --robots-status 404
fresh
spider --polite --delay 1ms --max-pages 5 "$site/" inf 4
expect status 0
spider --polite --delay 1ms "$site/" inf 4
expect status 0
[ "$(saved)" -eq 20 ] || fail "$(saved) files"
[ "$(asked /robots.txt)" -eq 1 ] || fail "$(asked /robots.txt) times"

it "takes a robots.txt that cannot be had for a no, and says so"
site --no-extras --pages 5 --robots-status 503
port=${site##*:}
fresh
spider --polite --retries 0 "$site/" inf 4
expect status 1
expect_part stderr "$site/: robots.txt of this host cannot be had"
[ "$(total)" -eq 0 ] || fail "$(total) requests"

it "asks for it again the next time"
site --no-extras --pages 5 --port "$port"
spider --polite --retries 0 --delay 1ms "$site/" inf 4
expect status 0
[ "$(saved)" -eq 5 ] || fail "$(saved) files"
[ "$(asked /robots.txt)" -eq 1 ] || fail "$(asked /robots.txt) times"

it "fetches nothing if robots.txt says no, and says so"
site --no-extras --pages 5 --robots 'User-agent: *\nDisallow: /'
fresh
spider --polite "$site/" inf 4
expect status 1
expect_part stderr "$site/: robots.txt forbids it"
[ "$(total)" -eq 0 ] || fail "$(total) requests"

it "does not ask for it with --no-robots, and does not obey what it knows of it"
spider --polite --delay 1ms --no-robots "$site/" inf 4
expect status 0
[ "$(saved)" -eq 5 ] || fail "$(saved) files"
fresh
spider --polite --delay 1ms --no-robots "$site/" inf 4
expect status 0
[ "$(saved)" -eq 5 ] || fail "$(saved) files"
[ "$(asked /robots.txt)" -eq 1 ] || fail "$(asked /robots.txt) times"

# ---- trouble -------------------------------------------------------------------------------------

it "gives up a server that stays away, and says so"
site --no-extras --pages 30
port=${site##*:}
fresh
spider --polite --delay 1ms --max-pages 10 "$site/" inf 2
expect status 0
end_site
timed --polite --retries 1 --delay 1ms "$site/" inf 2
expect status 3
expect_part stderr "onnection refused"
[ "$took" -lt 15000 ] || fail "it took $took ms"
[ "$(saved)" -eq 10 ] || fail "$(saved) files"

it "fetches the rest when it is back"
site --no-extras --pages 30 --port "$port"
spider --polite --retries 1 --delay 1ms "$site/" inf 2
expect status 0
[ "$(saved)" -eq 30 ] || fail "$(saved) files"
[ "$(total)" -eq 20 ] || fail "$(total) requests for 20 pages"

it "does not wait for ever for a page that hangs, and saves the others"
nginx_config() {
    echo "server { listen 127.0.0.1:${ports[0]}; root $www;"
    echo "location /hang { proxy_pass $other; proxy_buffering off; } }"
}
another --hang --pages 10
if nginx_up; then
    for i in 1 2 3; do
        echo "$i" >"$www/$i.html"
    done
    echo '<a href=/hang>h</a> <a href=/1.html>1</a> <a href=/2.html>2</a> <a href=/3.html>3</a>' \
        >"$www/index.html"
    fresh
    site=http://127.0.0.1:${ports[0]}
    timed --polite --delay 1ms --answer-timeout 1s --retries 0 "$site/" 1 2
    expect status 3
    expect_part stderr "$site/hang: "
    expect_part stdout "4 saved"
    expect_part stdout "1 failed"
    [ "$(saved)" -eq 4 ] || fail "$(saved) files"
    [ "$took" -lt 10000 ] || fail "it took $took ms"
fi

# ---- what became of those that take long ---------------------------------------------------------

it "asks for nothing while Retry-After says so, and fetches everything afterwards"
expect_beside seconds 25
expect stderr ""
rested=$(rest_ms "$log.seconds")
[ "$rested" -ge 1950 ] || fail "it rested for $rested ms instead of 2000"

it "goes on more slowly after it was told that it asks too much"
read -r ms count <<<"$(behind_ms "$log.seconds")"
[ "$count" -eq 6 ] || fail "$count requests behind the rest"
[ "$ms" -ge $(((count - 3) * 250)) ] || fail "$count requests in $ms ms"

it "takes a date in Retry-After, too"
expect_beside date 22
rested=$(rest_ms "$log.date")
[ "$rested" -ge 1950 ] || fail "it rested for $rested ms"

it "says so when that takes a while"
[ "$rested" -lt 3000 ] || expect_part stderr "$dated is left alone for "

it "gives a server time that begins to refuse connections, and goes on by itself"
expect_beside down 30
