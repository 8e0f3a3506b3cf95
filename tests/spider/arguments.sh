#!/usr/bin/env bash
# weft spider: its command line, and what it exits with.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
site --no-extras --pages 40

it "fetches a page and what it links to, one link far, if nothing else is said"
fresh
spider "$site/p/1.html"
expect status 0
expect_file p/1.html
expect_part stdout "downloaded: $home/$host/p/1.html"
links=$(curl -sS "$site/p/1.html" | grep -o 'href="[^"#]*"' | sort -u | wc -l)
[ "$(saved)" -gt 2 ] || fail "only $(saved) files"
[ "$(saved)" -le $((links + 1)) ] || fail "$(saved) files for $links links"

it "takes 0 as a nesting: the page alone"
fresh
spider "$site/p/1.html" 0
expect status 0
[ "$(saved)" -eq 1 ] || fail "$(saved) files"

it "takes inf as a nesting: everything"
fresh
spider "$site/" inf 4
expect status 0
[ "$(saved)" -eq 40 ] || fail "$(saved) files"

it "takes it in any letter case"
for word in Inf INF; do # what follows is a concurrency then; and nothing is asked, if not
    spider --save-config - "$site/" "$word" 0
    expect status 2
    expect_part stderr "a concurrency is a number from 1"
done

it "says so when it is there already, and fetches nothing"
before=$(total)
spider "$site/" inf 4
expect status 0
expect_part stdout "already there: $home/$host/index.html"
expect_part stdout "nothing to do"
[ "$(total)" -eq "$before" ] || fail "$(($(total) - before)) requests"

it "refuses a concurrency of 0"
fresh
spider "$site/" 1 0
expect status 2
expect_part stderr "a concurrency is a number from 1"
[ "$(saved)" -eq 0 ] || fail "it fetched all the same"

it "refuses what is no number behind a number"
spider "$site/" 1 2 3
expect status 2
expect_part stderr "unexpected '3'"
spider "$site/" 1 four
expect status 2

# None of them may ever be asked: some are addresses of somebody. So nothing is, if it is no error.
it "takes no mistyped nesting for a host"
for bad in 1.5 5x +3 -3 0x10 1e3 1,5 127.1 1.2.3.4.5 127.0.0.256 010.0.0.1 Infinity infinite; do
    for words in "$bad" "$bad 2" "$site/ $bad" "-- $bad"; do
        # shellcheck disable=SC2086  # several words
        spider --save-config - "$site/" $words
        expect status 2
        expect_part stderr "a nesting is a number from 0 to 60000, or 'inf', not '$bad'"
    done
done
spider --save-config - "$site/" 60001
expect status 2
expect_part stderr "not '60001'"

it "takes one for a host neither behind the URLs of a file, nor if it has a sign"
spider --save-config - -i /dev/null 1.5
expect status 2
for bad in -1 +1 '-- -1' -1.5; do
    # shellcheck disable=SC2086  # several words
    spider --save-config - $bad
    expect status 2
    expect_part stderr "a nesting is a number from 0 to 60000, or 'inf', not '${bad#-- }'"
done

it "asks nobody before it says so"
before=$(total)
fresh
spider "$site/" 127.1
expect status 2
expect_part stderr "if that is a host, write http://127.1/"
[ "$(total)" -eq "$before" ] || fail "$(($(total) - before)) requests"

it "takes hosts that begin with a digit, where they are meant"
for words in 127.1 "$site/ 127.0.0.1" "$site/ 127.0.0.1 2 3" "$site/ 5x/" "$site/ 1.5:80"; do
    # shellcheck disable=SC2086  # several words
    spider --save-config - $words
    expect status 0
done
fresh
spider -q --list "$site/" "$host" 0
expect status 0

it "refuses an option that it does not know, and names the nearest"
spider --max-page 3 "$site/"
expect status 2
expect_part stderr "did you mean '--max-pages'?"

it "refuses values that make no sense"
for bad in '--delay soon' '--max-file big' '--retries -1' '--scope all' '--max-pages -1' \
    '--include-regex (' '--fast --polite' '--host a' '--scope hosts' '--password x' \
    '-H novalue' '--netrc /none' '--cookie-file /none/x' '--user a:b' 'http://me:pw@localhost/'; do
    # shellcheck disable=SC2086  # options and their values
    spider $bad "$site/"
    [ "$status" -eq 2 ] || fail "$bad: status $status"
done

it "refuses to write two things to one file, and leaves that alone"
cd "$scratch" || exit 1
echo mine >one
ln -f one two
: >three
ln -f three four
for bad in '--report one --log-json ./one' '--report one --warc two' '--log-json one --warc one' \
    "--report $scratch/new --log-json new" '--warc z.warc --report z.cdxj' '--log-json z.cdxj --warc z.warc.gz' \
    '--input one --report two' '--log-json three --config four'; do
    # shellcheck disable=SC2086  # options and their values
    spider $bad "$site/"
    expect status 2
    expect_part stderr "cannot be the same file"
done
[ "$(<one)" = mine ] || fail "it was written: $(<one)"
spider --report "$scratch" "$site/"
expect status 2
expect_part stderr "is a folder"

it "takes no file for its cookies that holds something else"
spider --cookie-file one "$site/" 0
expect status 2
expect_part stderr "'one' is no file of cookies"
[ "$(<one)" = mine ] || fail "it was written: $(<one)"
: >cookies
for _ in 1 2; do # an empty one, then its own
    spider -q --cookie-file cookies "$site/" 0
    expect status 0
done
printf 'example.org\tFALSE\t/\tFALSE\t0\tname\tvalue\n' >cookies
spider -q --cookie-file cookies "$site/" 0
expect status 0

it "has no limit with 0, whatever a file of settings says"
printf 'max-pages = 1\nmax-bytes = 1\nmax-time = 1ms\n' >limits
fresh
spider -q --config limits --max-pages 0 --max-bytes 0 --max-time 0 "$site/" inf 4
expect status 0
[ "$(find "$home" -name '*.html' | wc -l)" -ge 5 ] || fail "$(find "$home" -name '*.html')"

it "names the options that contradict each other"
spider --check --warc "$scratch/x.warc" "$site/"
expect status 2
expect_part stderr "--check"
spider --check --log-json - "$site/"
expect status 2
expect_part stderr "--check"

it "refuses what is no URL"
spider 'http://[bad' 0
expect status 2
spider 'ftp://example.org/' 0
expect status 2
expect_part stderr "is no http or https URL"

it "takes a URL without its scheme"
fresh
spider "$host/p/2.html" 0
expect status 0
expect_file p/2.html

it "takes URLs from a file, and from standard input"
fresh
printf '# two\n%s/p/3.html\n\n  %s/p/4.html  \n' "$site" "$site" >"$scratch/urls"
spider -i "$scratch/urls" 0
expect status 0
expect_file p/3.html
expect_file p/4.html
[ "$(saved)" -eq 2 ] || fail "$(saved) files"
fresh
echo "$site/p/5.html" | timeout 60 "$weft" spider -q -o "$home" -i - 0
expect_file p/5.html
printf '\xef\xbb\xbf%s/p/6.html\r\n' "$site" >"$scratch/urls" # as some editors write it
spider -i "$scratch/urls" 0
expect status 0
expect_file p/6.html
for bad in "$scratch/none" "$scratch"; do
    spider -i "$bad" 0
    expect status 2
    expect_part stderr "cannot read '$bad'"
done
: >"$scratch/urls"
spider -i "$scratch/urls" 0
expect status 2

it "exits with 1 when a start URL fails, and says why on stderr"
fresh
spider "$site/nowhere" 1
expect status 1
expect_part stderr "$site/nowhere: 404 Not Found"
spider http://127.0.0.1:9/ 0 1 --retries 0
expect status 1
expect_part stderr "http://127.0.0.1:9/"

it "exits with 1 when a start URL fails, also if it was stopped by a limit"
fresh
spider -q --max-pages 3 "$site/nowhere" "$site/" inf 1
expect status 1
[ "$(saved)" -eq 3 ] || fail "it was not stopped: $(saved) files"
fresh
spider -q --max-pages 3 "$site/" inf 1
expect status 0

it "prints only errors with --quiet, and every URL with --verbose"
fresh
spider -q "$site/p/1.html" 0
expect stdout ""
fresh
spider -v "$site/p/1.html" 0
expect_part stdout "saved    $site/p/1.html as $host/p/1.html"

it "prints URLs and leaves nothing behind with --list and --dry-run"
fresh
export TMPDIR=$scratch
spider --list "$site/p/1.html" 0
expect status 0
expect stdout "$site/p/1.html"
spider --dry-run "$site/p/1.html" 0
expect stdout "$site/p/1.html -> $host/p/1.html"
[ -z "$(ls -A "$home")" ] || fail "it left $(ls -A "$home")"
[ -z "$(find "$scratch" -maxdepth 1 -name 'weft-spider-*')" ] ||
    fail "its temporary folder is still there"
unset TMPDIR

it "explains itself"
run "$weft" help spider
expect status 0
expect_part stdout "[URL...] [NESTING] [CONCURRENCY]"
