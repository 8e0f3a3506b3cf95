#!/usr/bin/env bash
# weft spider: servers that misbehave. Whatever they do, it ends in an error that is counted and told,
# in bounded time and memory, and the good page beside it is saved.
# ctest: timeout=120
# shellcheck disable=SC2119,SC2154  # site, host, took_ms and the like are set by what is sourced
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/hostile.sh"
hostile

# meets WAY WORDS [OPTION...]: by connections of our own, and by curl, side by side. The error of that
# page contains the words; two pages are saved, one failed, nothing is left behind.
meets() {
    local way=$1 words=$2
    shift 2
    fresh
    rm -rf "${scratch:?}/by-curl"
    (
        failures=0
        meets_by "$scratch/by-curl" "$@" --cookies
        [ "$failures" -eq 0 ]
    ) >"$scratch/by-curl.said" &
    local curl=$!
    meets_by "$home" "$@"
    wait "$curl" || fail "by curl: $(<"$scratch/by-curl.said")"
}

meets_by() {
    local home=$1
    shift
    measured --retries 0 "$@" "$site/from/$way" 1
    expect status 3
    expect_part stderr "$site/$way"
    expect_part stderr "$words"
    expect_part stdout "2 saved"
    expect_part stdout "1 failed"
    expect_file good.html
    [ -z "$(ls -A "$home/.weft/tmp")" ] || fail "leftovers: $(ls -A "$home/.weft/tmp")"
    expect_bounded 5000
}

# ---- bodies --------------------------------------------------------------------------------------

it "gives up a body without an end when its time is over"
meets endless_body "was not done" --max-file 0 --page-timeout 300ms

it "does not wait for the end of an answer that says no, or that leads elsewhere"
meets endless_no "404 Not Found"
fresh
measured --retries 0 "$site/from/endless_move" 1
expect status 0
expect_part stdout "2 saved"
expect_bounded 5000
fresh
measured --retries 0 --warc "$scratch/no.warc.gz" "$site/from/endless_no" 1
expect status 3
expect_bounded 5000
[ "$(zcat "$scratch/no.warc.gz" | grep -ac '^WARC-Truncated: length')" -eq 1 ] ||
    fail "the archive does not say that it has only a part"

it "leaves it out when it is larger than --max-file, whatever is in it"
for engine in '' --cookies; do
    for way in body page url tag depth style; do
        fresh
        measured ${engine:+"$engine"} --max-file 10M "$site/from/endless_$way" 1
        expect status 0
        expect_part stdout "2 saved"
        expect_part stdout "1 skipped"
        expect_bounded 10000
    done
done

it "counts all that comes against --max-bytes, not only what is good"
for engine in '' --cookies; do
    fresh
    measured ${engine:+"$engine"} --max-file 0 --max-bytes 3M "$site/from/endless_body" 1
    expect status 0
    expect_part stdout "stopped at the limit"
    expect_bounded 10000
    fresh
    measured ${engine:+"$engine"} --max-bytes 3M "$site/large_noes" 1
    expect_part stdout "stopped at the limit"
    failed=$(sed -n 's/.* \([0-9]*\) failed.*/\1/p' <<<"$stdout")
    ((failed >= 40 && failed <= 150)) || fail "$failed answers of 60 kB"
done

it "does not write a page anew if that would make it many times as large"
fresh
measured -k --max-pages 1 "$site/long_base" 1
expect_part stderr "its links stay as they came: they are too many, and would be too long"
[ "$(stat -c %s "$home/$host/long_base.html")" -lt 2000000 ] || fail "it is large"
grep -q '<a href=x39999>' "$home/$host/long_base.html" || fail "it is not as it came"
expect_bounded 10000

it "gives up a body that comes drop by drop"
meets drip "is too slow" --answer-timeout 1s

it "stops what unpacks to far more than what came"
memory_kb=128000 # what curl keeps for a consumer that pauses: up to 64 MB
meets bomb "unpacks to far more"

it "is not led astray by what is packed twice"
for engine in '' --cookies; do
    fresh
    measured ${engine:+"$engine"} --retries 0 "$site/from/bomb_in_bomb" 1
    expect status 3
    expect_part stderr "$site/bomb_in_bomb"
    expect_part stdout "1 failed"
    expect_bounded 10000
done
memory_kb=64000

it "counts what is not packed as it says"
meets no_gzip "cannot be unpacked"

it "counts chunks and trailers without an end"
meets endless_chunk "does not speak HTTP"
fresh
measured --retries 0 "$site/from/endless_trailer" 1
expect status 3
expect_bounded 5000

it "tries again what is reset in the middle, then counts it"
meets reset_in_the_middle "broke: connection reset"
meets reset_at_once "broke: connection reset"
fresh
measured -v --retries 1 "$site/from/reset_in_the_middle" 1
expect status 3
expect_part stdout "again later"
expect_part stderr "broke: connection reset"
expect_bounded 10000

it "takes 100,000 links of one page"
fresh
measured --max-pages 5 "$site/many_links" 1 2
expect status 0
expect_part stdout "stopped at the limit"
waiting=$(sed -n 's/^\([0-9]*\) URLs wait.*/\1/p' <<<"$stdout")
[ "${waiting:-0}" -ge 99990 ] || fail "only $waiting wait"
expect_bounded 8000

it "takes them all again, from the disk"
measured --max-pages 6 --max-url 2000 "$site/many_links" 1 2
expect status 0
expect_bounded 8000

# ---- heads ---------------------------------------------------------------------------------------

it "ends a head without an end"
meets endless_head "head of the answer"
meets endless_line "head of the answer"
meets endless_folds "head of the answer"
meets endless_continue "head of the answer"

it "gives up a head that comes drop by drop, and silence"
meets slow_head "is too slow" --answer-timeout 1s
meets slow_status "no answer" --answer-timeout 500ms
meets silence "no answer" --answer-timeout 500ms

it "refuses a NUL in a head, and what is no HTTP"
meets nul_in_value "does not speak HTTP"
meets nul_in_name "does not speak HTTP"
meets nul_in_location "does not speak HTTP"
meets no_http "does not speak HTTP"

it "refuses 10,000 cookies of one answer"
meets many_cookies "head of the answer"

it "bears 10,000 of many"
fresh
measured -q --cookies "$site/cookies/0" inf 4
expect status 0
[ "$(saved)" -eq 200 ] || fail "$(saved) files"
expect_bounded 15000

# ---- lengths -------------------------------------------------------------------------------------

it "refuses a length that is none, or that nobody can be sure of"
for way in negative plus huge two list none hex; do
    meets "length_$way" "does not speak HTTP"
done

it "counts an answer that is shorter than it says"
meets length_too_long "was cut short"
meets length_most "was cut short" --max-file 0

it "takes no more than it says of one that is longer"
for engine in '' --cookies; do
    fresh
    spider -q ${engine:+"$engine"} "$site/from/length_too_short" 1
    expect status 0
    [ "$(<"$home/$host/length_too_short.html")" = 01234 ] || fail "it is not what was announced"
done

# ---- names ---------------------------------------------------------------------------------------

it "makes names of files out of any bytes"
fresh
spider "$site/bad_names" 1 4
expect status 0
[ "$(saved)" -eq 9 ] || fail "$(saved) files: $(find "$home/$host")"
odd=$(find "$home" -name .weft -prune -o -print | LC_ALL=C grep -c '[^-A-Za-z0-9._=+,%:@~/]')
[ "$odd" -eq 0 ] || fail "$odd names have other bytes in them: $(find "$home/$host")"
[ -z "$(find "$scratch" -name 'up*' -not -path "$home/*")" ] || fail "a file is elsewhere"
spider "$site/from/bad_location" 1
expect status 0

# ---- redirects and frames ------------------------------------------------------------------------

it "ends a circle of redirects, and a way of redirects without an end"
meets loop "in a circle"
meets loop_of_two/a "in a circle"
fresh
measured "$site/from/endless_chain" 1
expect status 3
expect_part stderr "too many redirects"
expect_bounded 5000

it "ends a circle that leads over two hosts"
fresh
measured --scope hosts --host "localhost:${host#*:}" "$site/from/loop_of_hosts" 1 --retries 0
expect status 3
expect_part stderr "loop_of_hosts"
expect_bounded 8000

it "ends frames that contain each other, and frames without an end"
fresh
measured "$site/frames/a" 0
expect status 0
[ "$(saved)" -eq 2 ] || fail "$(saved) files"
fresh
measured "$site/endless_frames" 1
expect status 0
[ "$(saved)" -eq 10 ] || fail "$(saved) files"
expect_bounded 5000

# ---- robots.txt ----------------------------------------------------------------------------------

it "is not held up by a robots.txt without an end, or by one that never comes"
hostile --robots endless_body
fresh
measured "$site/good.html" 0
expect status 0
expect_bounded 5000
for way in endless_head bomb loop; do
    hostile --robots "$way"
    fresh
    measured --retries 0 "$site/good.html" 0
    expect_bounded 5000
done
for way in drip silence; do
    hostile --robots "$way"
    fresh
    measured --retries 0 --answer-timeout 500ms "$site/good.html" 0
    expect status 1
    expect_part stderr "robots.txt: "
    expect_bounded 5000
done
