#!/usr/bin/env bash
# weft trace on a real run: the crawl of the demo site is recorded, told and shown.
# ctest: timeout=120 needs=hooks
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
cd "$scratch" || exit 1
site --quiet

# of NAME: the first number with that name in the summary
of() {
    grep -oE "\"$1\":[0-9]+" <<<"$summary" | head -n 1 | cut -d : -f 2
}

it "records a crawl"
run timeout 60 "$weft" trace record -o crawl.json -- "$weft" spider -q -o "$home" "$site/" 2
expect status 3 # a few pages of the site are missing
expect_part stderr "weft: crawl.json: "
saved=$(find "$home" -name '*.html' | wc -l)
[ "$saved" -gt 20 ] || fail "only $saved pages were saved"

it "tells what the crawl did"
run "$weft" trace summary crawl.json
expect status 0
expect_part stdout "crawl.json: $weft spider -q -o $home $site/ 2"
expect_part stdout " fetch (http) "
expect_part stdout " crawl_begin  "
[[ $stdout != *"not understood"* ]] || fail "$stdout"
[[ $stdout != *"no weft operations"* ]] || fail "$stdout"

it "counts what the recorder counted"
summary=$("$weft" trace summary --json --top 0 crawl.json)
[ "$(of events)" = "$(grep -c '"ph":' crawl.json)" ] || fail "$(of events) events"
[ "$(of operations)" = "$(grep -c '"ph":"b"' crawl.json)" ] || fail "$(of operations) operations"
[ "$(of callbacks)" = "$(grep -c '"ph":"X"' crawl.json)" ] || fail "$(of callbacks) callbacks"
[ "$(of lost)" = 0 ] || fail "$(of lost) events were lost"
[ "$(of odd)" = 0 ] || fail "$(of odd) events were not understood"

it "begins with the longest chain, that of the whole crawl"
[[ $summary == *'"chains":['*'"type":"crawl_begin"'* ]] || fail "there is no such chain"

it "writes a page of it"
run "$weft" trace report crawl.json
expect status 0
expect stdout crawl.html
[ "$(stat -c %s crawl.html)" -lt "$(stat -c %s crawl.json)" ] || fail "it is larger than the trace"

it "keeps the end of what does not fit"
run timeout 60 "$weft" trace record --events 200 -o last.json -- "$weft" spider -q -o "$home.again" "$site/" 2
expect_part stderr "older ones lost; --events keeps more"
run "$weft" trace summary last.json
expect status 0
expect_part stdout " lost: the ring was full, and the oldest are gone"

it "records a server until it is stopped"
"$weft" trace record -o serve.json -- "$weft" serve -q -p0 "$home" >serve.out 2>serve.err &
pid=$!
soon grep -q ' at http://' serve.out
url=$(sed -n 's,^.* at \(http://.*\)/$,\1,p' serve.out)
curl -sS --max-time 10 -o /dev/null "$url/"
kill -TERM "$pid"
run wait "$pid"
expect status 0

grep -q '^weft: serve.json: [0-9]* events$' serve.err || fail "$(<serve.err)"
run "$weft" trace summary serve.json
expect status 0
expect_part stdout "(http)"
