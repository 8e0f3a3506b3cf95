#!/usr/bin/env bash
# weft spider: what it writes is what it should be, wherever it goes: '-' is standard output where that can
# be, and is never a file; and whatever bytes a server sends, reports and logs can be read.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"
here=$WEFT_SOURCE/tests/spider/output
mkdir "$scratch/here"
cd "$scratch/here" || exit 1

nothing_here() {
    [ -z "$(ls -A)" ] || fail "there is now $(ls -A)"
}

# is_page TEXT: from its first line to its last.
is_page() {
    [ "$(head -n 1 <<<"$1")" = "<!doctype html>" ] || fail "it begins with: $(head -n 3 <<<"$1")"
    [ "$(tail -n 1 <<<"$1")" = "</html>" ] || fail "it ends with: $(tail -n 3 <<<"$1")"
}

# is_log TEXT
is_log() {
    [ -n "$1" ] || fail "there is nothing"
    ! grep -qv '^{"event":' <<<"$1" || fail "it has: $(grep -v '^{"event":' <<<"$1")"
}

site --no-extras --pages 10

it "writes a report to standard output, and nothing else there"
fresh
spider --report - "$site/" inf 4
expect status 0
expect stderr ""
is_page "$stdout"
nothing_here
spider --report - "$site/" inf 4
expect status 0
is_page "$stdout"

it "exits with 5 if standard output does not take the report"
status=0
timeout 60 "$weft" spider -o "$home" --report - "$site/" >/dev/full 2>"$scratch/.stderr" || status=$?
stderr=$(<"$scratch/.stderr")
expect status 5
expect stderr "weft: cannot write the report '-': no space left on device"

it "exits with 5 if standard output does not take anything else, whatever has failed"
pages
links /there /missing | page /
page /there <<<there
for option in '--quiet --verbose' --check --list '--verbose'; do
    fresh
    status=0
    # shellcheck disable=SC2086  # options
    timeout 60 "$weft" spider -o "$home" $option "$site/" 1 >/dev/full 2>"$scratch/.stderr" || status=$?
    expect status 5
    grep -q "cannot write to standard output" "$scratch/.stderr" || fail "$option: $(<"$scratch/.stderr")"
done
fresh
status=0
timeout 60 "$weft" spider -o "$home" "$site/" 1 >&- 2>"$scratch/.stderr" || status=$?
expect status 5
site --no-extras --pages 10

it "keeps what else would be printed away from it"
for option in -v --check --list --dry-run; do
    spider $option --report - "$site/"
    expect status 2
    expect_part stderr "standard output is the report's"
done
spider --report - --log-json - "$site/"
expect status 2
expect_part stderr "cannot be the same file"
pages
page / <<<one
fresh
spider -q "$site/" 0
page / <<<two
spider --update --report - "$site/" 0
expect status 0
is_page "$stdout"
page / <<<three
spider --update --log-json - "$site/" 0
expect status 0
is_log "$stdout"
nothing_here

it "refuses standard output for what is read again"
spider --warc - "$site/"
expect status 2
expect_part stderr "--warc: "
spider --cookie-file - "$site/"
expect status 2
expect_part stderr "--cookie-file: "
nothing_here

it "refuses a report that would replace what is no file, before anything is fetched"
mkfifo pipe
requests >/dev/null
spider --report pipe "$site/"
expect status 2
expect_part stderr "'pipe' is no file; '-' is standard output"
[ -z "$(requests)" ] || fail "it asked all the same"
[ -p pipe ] || fail "the pipe is gone"
rm pipe

it "writes reports and logs that can be read, whatever bytes a server sends"
end_site
python3 "$here/bytes.py" >"$scratch/port" &
site_pid=$!
soon test -s "$scratch/port"
fresh
spider -q --report "$scratch/page.html" --log-json "$scratch/log" "http://127.0.0.1:$(<"$scratch/port")/" inf
expect status 0
run python3 "$here/check.py" "$scratch/page.html" "$scratch/log"
expect status 0
for type in 'te\ufffdxt/\ufffd' 'text/\u202eevil\u2066' 'text/\x9b31m' '\ufffd\ufffd\ufffd/\ufffd' 'text/\u20ac'; do
    grep -qxF "$type" <<<"$stdout" || fail "there is no $type: $stdout"
done
