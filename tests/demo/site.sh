#!/usr/bin/env bash
# The generated site: what crawlers are tested with has to be what it says itself.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"

# site OPTION...: starts one; $pid, $url.
site() {
    : >"$scratch/out"
    "$WEFT_BUILD/demo/site" "$@" >>"$scratch/out" 2>"$scratch/err" </dev/null &
    pid=$!
    pids+=("$pid")
    soon grep -q '^listening on ' "$scratch/out"
    url=$(sed -n 's,^listening on \(http://.*\)/$,\1,p' "$scratch/out")
    [ -n "$url" ] || fail "the site did not start: $(<"$scratch/err")"
}

# expect_line FILE TEXT: one of its lines is exactly that.
expect_line() {
    grep -qxF -- "$2" "$1" || fail "$1 should have the line: $2"$'\n'"$(head -50 "$1")"
}

# stats: what the site has counted, in $scratch/stats.
stats() {
    curl -sS --max-time 10 "$url/_stats" >"$scratch/stats"
}

# get_all FILE: the URLs in it, in one go: all bodies in $scratch/bodies, lines "status URL" in
# $scratch/codes.
get_all() {
    sed 's/.*/url = "&"/' "$1" |
        curl -sS --globoff --max-time 20 -w '%{stderr}%{http_code} %{url}\n' -K - \
            >"$scratch/bodies" 2>"$scratch/codes"
}

# links PATH...: what the links of plain pages lead to.
links() {
    curl -sS --max-time 20 "${@/#/$url}" | grep -o 'href="[^"]*"' | sed 's/href="//; s/"$//' |
        sort -u
}

# ---- the site as it is -------------------------------------------------------------------------
site --log "$scratch/log"

it "prints where it listens, and nothing else"
[[ $(<"$scratch/out") =~ ^"listening on http://127.0.0.1:"[0-9]+/$ ]] || fail "$(<"$scratch/out")"

it "links from its front to the chapters and to all kinds"
get /
expect code 200
expect_part body '<a href="chapter/15/">'
expect_part body '<a href="kinds/">'

it "gives a page validators, and 304 to one who has it"
get /chapter/1/page-2.html
expect_part fields "Last-Modified: "
etag=$(sed -n 's/^ETag: //p' <<<"$fields")
get /chapter/1/page-2.html -H "If-None-Match: $etag"
expect code 304

it "has every page that its sitemap lists"
get /sitemap.xml
grep -o '<loc>[^<]*' <<<"$body" | grep -v slow | sed 's/<loc>//; s/&amp;/\&/g' >"$scratch/urls"
count=$(wc -l <"$scratch/urls")
[ "$count" -gt 320 ] || fail "only $count URLs"
grep -q only-in-sitemap "$scratch/urls" || fail "not the one that only it has"
get_all "$scratch/urls"
[ "$(grep -c '^200 ' "$scratch/codes")" = "$count" ] || fail "$(grep -v '^200 ' "$scratch/codes")"

it "writes links to pages in every way"
for one in '="../1/' '="/chapter/' "=\"$url/chapter/" "=\"//${url#http://}/chapter/" '#part"' \
    '="./../../chapter/./' 'page 10.html' 'page%2010.html' 'café-' 'caf%C3%A9-' '&view=full' \
    '&amp;view=full'; do
    grep -qF -- "$one" "$scratch/bodies" || fail "there is no link with $one"
done
get /chapter/1/
expect_part body '"?page=2&amp;sort=asc"'
expect_part body '"?page=1&sort=desc"'

it "sorts a chapter by its query"
get '/chapter/1/?page=2&sort=desc'
expect code 200
expect_part body 'page-1.html'
get '/chapter/1/?page=3&sort=asc'
expect code 404

it "answers each kind as it should"
cat >"$scratch/wanted" <<'END'
200 /kinds/
200 /kinds/images.html
200 /kinds/base.html
200 /leaf/deep/
200 /leaf/caf%C3%A9.html
200 /leaf/a%2Fb.html
404 /leaf/none.html
200 /both
200 /both/below.html
200 /Case
200 /case
200 /search?q=anything
404 /never/in-script.html
404 /missing.html
410 /gone.html
301 /redirect/301
302 /redirect/302
307 /redirect/307
302 /redirect/nowhere
200 /private/secret.html
200 /short/goal
404 /short/none
404 /hang
404 /chapter/0/
404 /chapter/16/
404 /chapter/01/
404 /chapter/1/page-21.html
404 /image/33.png
404 /image/.png
END
sed "s,^... ,$url," "$scratch/wanted" >"$scratch/urls"
get_all "$scratch/urls"
sed -i "s, $url, ," "$scratch/codes"
is_same=$(diff "$scratch/wanted" "$scratch/codes") || fail "$is_same"

it "says in a field where a redirect leads, in a chain and in a loop"
get /redirect/chain/3 -L
expect code 200
expect_part body "After three redirects"
get /redirect/loop/a -L --max-redirs 5
expect code 302

it "has links in the fields of the answer"
get /kinds/link-field.html
expect_part fields 'Link: </leaf/linked.html>; rel="next"'
get /kinds/refresh-field.html
expect_part fields "Refresh: 5; url=/leaf/refreshed-by-field.html"

it "has pages in other encodings, with a compressed one and one in chunks among them"
get /gzip.html
gzip -dc "$scratch/.body" | grep -q from-gzip.html || fail "it is no gzip file"
expect_part fields "Content-Encoding: gzip"
get /chunked.html
expect_part fields "Transfer-Encoding: chunked"
expect_part body "from-chunks.html"
get /latin1.html
expect_part fields "charset=ISO-8859-1"
expect_part body $'caf\xe9'
get /empty.html
expect code 200
expect_part fields "Content-Length: 0"

it "has pictures, a tone and style sheets that are what they say"
get /image/1.png
[ "$(head -c 8 "$scratch/.body" | od -An -tx1 | tr -d ' ')" = 89504e470d0a1a0a ] || fail "no PNG"
get /image/1.gif
expect_part body GIF89a
get /image/1.svg
expect_part fields "image/svg+xml"
get /media/tone.wav
expect_part body WAVEfmt
get /static/main.css
expect_part fields "Content-Type: text/css"
expect_part body '@import "more.css"'
get /static/theme/dark.css
expect code 200

it "has a big file"
get /big.bin
[ "$(wc -c <"$scratch/.body")" = 300000 ] || fail "$(wc -c <"$scratch/.body") bytes"

it "fails the first time only, for each URL"
get /flaky/1
expect code 500
get /flaky/1
expect code 200
get '/flaky/1?other'
expect code 500

it "takes its time for the slow page"
took=$(curl -sS -o /dev/null -w '%{time_total}' "$url/slow.html")
[[ $took != 0.[0-5]* ]] || fail "it took $took s"

it "forbids a folder in robots.txt, and names the sitemap as the client calls it"
get /robots.txt -H 'Host: demo.test:81'
expect_part body "Disallow: /private/"
expect_part body "Sitemap: http://demo.test:81/sitemap.xml"
get /robots.txt -H "Host: it's"
expect_part body "Sitemap: $url/sitemap.xml"

it "counts what it is asked for, query and all, but not the asking"
stats
first=$(head -1 "$scratch/stats")
[[ $first =~ ^"max 1 total "[0-9]+" connections "[0-9]+$ ]] || fail "$first"
expect_line "$scratch/stats" "2 /flaky/1"
expect_line "$scratch/stats" "1 /flaky/1?other"
expect_line "$scratch/stats" "2 /robots.txt"
! grep -q _stats "$scratch/stats" || fail "it counts itself"

it "logs what was answered completely"
grep -qE '^[0-9]+ 200 300000 /big.bin$' "$scratch/log" || fail "no line for the big file"
grep -qE '^[0-9]+ 404 [0-9]+ /missing.html$' "$scratch/log" || fail "no line for what is missing"

it "ends well when it is told to, and says what it has done"
stop
expect status 0
[[ $stderr =~ ^"site: "[0-9]+" requests, at most 1 at one time"$ ]] || fail "it says: $stderr"

# ---- options -----------------------------------------------------------------------------------
it "has only plain pages without extras, all within reach"
site --no-extras --pages 100 --quiet
[[ $(links /) == *$'/p/1.html\n/p/2.html\n/p/3.html'* ]] || fail "page 0 does not lead to 1, 2, 3"
echo / >"$scratch/known"
for _ in 1 2 3; do
    mapfile -t known <"$scratch/known"
    { links "${known[@]}"; echo /; } | sort -u >"$scratch/next"
    mv "$scratch/next" "$scratch/known"
done
[ "$(wc -l <"$scratch/known")" = 100 ] || fail "$(wc -l <"$scratch/known") pages are within reach"
mapfile -t known < <(links /p/99.html)
[ "${#known[@]}" -ge 8 ] || fail "page 99 has ${#known[@]} links"
size=$(curl -sS "$url/p/99.html" | wc -c)
((size >= 2000 && size <= 4096)) || fail "page 99 has $size bytes"
get /sitemap.xml
expect code 404
get /p/100.html
expect code 404
first=$(curl -sS "$url/p/42.html")
stop
expect stderr ""

it "is the same again, and another one by another seed"
site --no-extras --pages 100 --quiet
[ "$(curl -sS "$url/p/42.html")" = "$first" ] || fail "it is not the same"
stop
site --no-extras --pages 100 --seed 7 --quiet
[ "$(curl -sS "$url/p/42.html")" != "$first" ] || fail "it is the same"
stop

it "counts how many are under way at a time, robots.txt aside"
site --delay 50 --hang --big 200001 --quiet --log "$scratch/log"
has_most() {
    stats
    head -1 "$scratch/stats" | grep -q "^max $1 "
}
waiting=()
for n in 1 2 3; do
    curl -s --max-time 10 "$url/hang?$n" &
    waiting+=($!)
done
get /robots.txt
expect code 200
soon has_most 3 || fail "$(head -1 "$scratch/stats")"

it "hangs, if it is to, until the client leaves, and logs that"
kill -TERM "${waiting[@]}"
wait "${waiting[@]}"
soon grep -qxF 'cut /hang?3' "$scratch/log" || fail "$(<"$scratch/log")"
has_most 3 || fail "$(head -1 "$scratch/stats")"

it "takes its time for each page by --delay"
took=$(curl -sS -o /dev/null -w '%{time_total}' "$url/")
[[ $took != 0.0[0-3]* ]] || fail "it took $took s"

it "makes the big file as big as it is told"
get /big.bin
[ "$(wc -c <"$scratch/.body")" = 200001 ] || fail "$(wc -c <"$scratch/.body") bytes"
stop

it "answers every N-th page with 429 and Retry-After"
site --too-many 3 --retry-after 7 --quiet
answers=$(curl -sS -o /dev/null -w '%{http_code} ' "$url/?[1-6]")
[ "$answers" = "200 200 429 200 200 429 " ] || fail "$answers"
get /robots.txt
expect code 200
get /
get /
get /
expect_part fields "Retry-After: 7"
stop
site --too-many 1 --retry-after date:60 --quiet
get /
date=$(sed -n 's/^Retry-After: //p' <<<"$fields")
ahead=$(($(date -d "$date" +%s) - $(date +%s)))
((ahead >= 55 && ahead <= 60)) || fail "'$date' is $ahead s ahead"
stop

it "has the robots.txt that it is given"
site --robots 'User-agent: *\nDisallow: /chapter/' --robots-status 503 --quiet
get /robots.txt
expect code 503
expect body $'User-agent: *\nDisallow: /chapter/'
stop

it "cuts and refuses connections after N pages, and comes back on the same port"
site --drop-after 2 --down-ms 300
answers=$(curl -sS -o /dev/null -w '%{http_code} ' "$url/?[1-3]" 2>/dev/null)
[ "$answers" = "200 200 000 " ] || fail "$answers"
soon curl -s -o /dev/null "$url/"
get /
expect code 200
stats
expect_line "$scratch/stats" "1 /?3"
stop
expect status 0
expect_part stderr "refusing connections"

it "refuses connections for ever, if it is to, and can be ended then"
site --drop-after 1 --down-ms 0 --quiet
curl -s -o /dev/null "$url/?[1-2]"
curl -s "$url/"
[ $? = 7 ] || fail "it is not refused"
stop
expect status 0

it "leaves SIGINT to others if it was ignored, and ends by it otherwise"
site --quiet
kill -INT "$pid"
get /
expect code 200
stop
: >"$scratch/out"
env --default-signal=INT "$WEFT_BUILD/demo/site" --quiet >"$scratch/out" 2>"$scratch/err" &
pid=$!
pids+=("$pid")
soon grep -q listening "$scratch/out"
kill -INT "$pid"
over
expect status 0

it "says what is wrong with its options"
for wrong in "--pages 0" "--pages -1" "--pages 1x" "--retry-after soon" "--port 65536" "--bad" \
    "--address nowhere" "word"; do
    # shellcheck disable=SC2086  # two words
    run timeout 5 "$WEFT_BUILD/demo/site" $wrong
    expect status 2
    [ -n "$stderr" ] || fail "nothing is said of $wrong"
done
run timeout 5 "$WEFT_BUILD/demo/site" --log "$scratch/none/log"
expect status 1
expect_part stderr "cannot write"
run "$WEFT_BUILD/demo/site" --help
expect status 0
expect_part stdout "usage: site"

it "says when its port is taken"
site --quiet
run timeout 5 "$WEFT_BUILD/demo/site" --port "${url##*:}"
expect status 1
expect_part stderr "address already in use"
stop
