#!/usr/bin/env bash
# weft spider --log-json: every line is what docs/spider-log.md says, whatever happens; and every event
# that stands there happens here.
# ctest: timeout=180
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/pages.sh"
here=$WEFT_SOURCE/tests/spider/log
log=$scratch/log.jsonl
: >"$scratch/all"

# Every line of the log, against the document and against what `end` counts.
check() {
    local found
    found=$(python3 "$here/check.py" "$WEFT_SOURCE/docs/spider-log.md" "$log") ||
        fail "$(head -n 10 <<<"$found")"
    cat "$log" >>"$scratch/all"
}

events() {
    grep -c "^{\"event\":\"$1\"" "$log"
}

# Of the last event of this name, a number or a text.
of() {
    grep "^{\"event\":\"$1\"" "$log" | tail -n 1 | sed -n "s/.*\"$2\":\"\{0,1\}\([^,\"}]*\).*/\1/p"
}

it "tells a crawl of a site with everything on it"
site --pages 40
fresh
spider -q --log-json "$log" "$site/" inf 8
expect status 3
expect stdout ''
check
[ "$(of end saved)" -eq "$(saved)" ] || fail "$(of end saved) saved, but there are $(saved) files"
[ "$(events moved)" -ge 5 ] || fail "$(events moved) moved"
[ "$(events later)" -ge 1 ] || fail "nothing came later"
grep -q '"event":"skipped".*robots.txt forbids it' "$log" || fail "robots.txt forbids nothing"
grep -q "\"event\":\"failed\".*\"http\":404,.*\"from\":\"$site/" "$log" || fail "no 404 with who linked to it"
[ "$(events fetch)" -eq "$(total)" ] || fail "$(events fetch) requests, but $(total) were seen"

it "appends the next run, and tells that the rules of robots.txt were kept"
spider -q --log-json "$log" "$site/" inf 8
rm "$home/$host/index.html"
spider -q --log-json "$log" --include '*' "$site/" inf 8
check
[ "$(events begin)" -eq 3 ] || fail "$(events begin) runs"
[ "$(of robots what)" = kept ] || fail "robots: $(of robots what)"

it "tells what was there already"
rm "$log"
rm -r "$home/.weft"
spider -q --log-json "$log" "$site/" inf 8
check
[ "$(events there)" -gt 100 ] || fail "$(events there) were there"

it "tells what an update has found to be the same"
rm "$log"
spider -q --update --log-json "$log" "$site/" inf 8
check
[ "$(events same)" -gt 100 ] || fail "$(events same) are the same"
[ "$(of end there)" -eq 0 ] || fail "$(of end there) were there"

it "tells what was only looked at"
rm "$log"
fresh
spider -q --check --log-json "$log" "$site/" inf 8
check
! grep '"outcome":"error","http":2' "$log" || fail "what is there is called an error"

it "is standard output, and nothing else is"
fresh
run "$weft" spider -o "$home" --log-json - "$site/" 1 4
cp "$scratch/.stdout" "$log"
check
[ "$(of end why)" = "done" ] || fail "ended: $(of end why)"
for option in -v --list --dry-run; do
    run "$weft" spider -o "$home" $option --log-json - "$site/"
    expect status 2
done

it "tells of a limit"
rm "$log"
fresh
spider -q --max-pages 5 --log-json "$log" "$site/" inf 2
check
[ "$(of stop why)" = max-pages ] || fail "stop: $(of stop why)"
[ "$(of end why)" = max-pages ] || fail "end: $(of end why)"

it "tells of a dry run, and of what is cut"
spider --dry-run --log-json "$log" "$site/" inf 8
check
grep -q '"event":"begin".*"dry":true' "$log" || fail "it is not dry"
grep -q '"event":"fetch".*"outcome":"cut"' "$log" || fail "nothing was cut"

it "tells of a host that rests, and of one that is gone"
rm "$log"
site --no-extras --pages 20 --too-many 10 --retry-after 1
fresh
spider -q --log-json "$log" "$site/" inf 4
expect status 0
check
[ "$(events rest)" -ge 1 ] || fail "it never rested"
grep -q '"outcome":"busy"' "$log" || fail "nobody was busy"
end_site
fresh
spider -q --retries 1 --log-json "$log" "$site/" 1
expect status 1
check
[ "$(events gone)" -eq 1 ] || fail "$(events gone) are gone"
grep -q '"event":"robots".*"failure":"connect"' "$log" || fail "$(grep robots "$log")"

it "is JSON whatever bytes a server sends"
rm "$log"
fresh
end_site
python3 "$here/strange.py" >"$scratch/port" &
site_pid=$!
soon test -s "$scratch/port"
spider -q --log-json "$log" "http://127.0.0.1:$(<"$scratch/port")/" 1
expect status 0
check
[ "$(events saved)" -eq 3 ] || fail "$(cat "$log")"
grep -q 'ufffd' "$log" || fail "nothing was replaced: $(grep saved "$log")"

# table STATUS: how many requests the table at the end has of it.
table() {
    awk -v what="$1" '/^  by / { here = $2 == "status" } here && $1 == what { print $(NF) }' <<<"$stderr"
}

# logged CLASS: how many requests the log has.
logged() {
    grep '^{"event":"fetch"' "$log" | grep -c "\"http\":$1"
}

it "counts every request once, as the table at the end does, and as they came"
rm "$log"
fresh
end_site
: >"$scratch/uneven"
: >"$scratch/site.out"
python3 "$here/uneven.py" "$scratch/uneven" >>"$scratch/site.out" &
site_pid=$!
soon site_is_ready
site=$(sed -n 's,^listening on \(.*\)/$,\1,p' "$scratch/site.out")
spider --progress plain --retries 1 --log-json "$log" "$site/" inf 2
expect status 3
check
for class in 2 3 4 5; do
    seen=$(grep -c "^${class}xx" "$scratch/uneven")
    [ "$seen" -gt 0 ] || fail "no ${class}xx"
    [ "$(logged $class)" -eq "$seen" ] || fail "${class}xx in the log: $(logged $class) instead of $seen"
    [ "$(table ${class}xx)" = "$seen" ] || fail "${class}xx in the table: $(table ${class}xx) instead of $seen: $stderr"
done
[ "$(table others)" = "$(logged 9)" ] || fail "999 in the table: $(table others)"
answers=$(wc -l <"$scratch/uneven") # one without an answer may have been made over a stale connection: again
[ "$(of end answers)" -eq "$answers" ] || fail "$(of end answers) answers instead of $answers"
silent=$(($(events fetch) - answers))
[ "$silent" -gt 0 ] || fail "$(events fetch) requests, but $answers answers"
[ "$(table no)" = "$silent" ] || fail "no answer in the table: $(table no) instead of $silent: $stderr"

it "has whole lines after a kill, at ten moments"
rm "$log"
site --no-extras --pages 2000 --delay 25
fresh
for ((i = 0; i < 10; i++)); do
    "$weft" spider -q -o "$home" --log-json "$log" "$site/" inf 16 2>/dev/null &
    pid=$!
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
    kill -KILL "$pid" 2>/dev/null || fail "it was over before kill $i"
    wait "$pid" 2>/dev/null
done
check
[ "$(events begin)" -ge 5 ] || fail "$(events begin) runs"
[ "$(events end)" -eq 0 ] || fail "$(events end) ends"
[ "$(events saved)" -ge 10 ] || fail "only $(events saved) saved"

it "cuts off what the last run has left of a line"
printf '{"event":"sav' >>"$log"
spider -q --max-pages 1 --log-json "$log" "$site/" inf 16
check
printf '{"eve' >"$log"
spider -q --max-pages 1 --log-json "$log" "$site/" inf 16
check

it "leaves a file alone that is no log"
mine=$scratch/mine
for text in 'no line end' $'a line\n' $'{"event":"begin"}\nand no more of it'; do
    printf '%s' "$text" >"$mine"
    spider -q --max-pages 1 --log-json "$mine" "$site/" inf 16
    expect status 5
    expect stderr "weft: '$mine' is there already, and is no log of weft spider: it is left alone"
    cmp -s "$mine" <(printf '%s' "$text") || fail "it was written: $(<"$mine")"
done

# became TARGET: the last event of it, its status, and how often it was asked for.
became() {
    grep "\"url\":\"$site$1\"" "$log" | tail -n 1 |
        sed -n 's/^{"event":"\([a-z]*\)".*"attempts":\([0-9]*\),"http":\([0-9]*\).*/\1 \3 \2/p'
}
expect_became() {
    [ "$(became "$1")" = "$2" ] || fail "$1 became: $(became "$1")"
}

it "tells of an update, also of what cannot be had and stays as it was"
pages
links /same /silent /changed /gone /broken /large | page /
for i in same changed gone broken large; do
    page "/$i" <<<"$i"
done
page /silent 200 'ETag: none' <<<silent
fresh
spider -q "$site/" inf 4
rm "$log"
page /changed <<<otherwise
no_page /gone
page /broken 500 <<<broken
printf '%5000s' large | page /large
spider -q --update --max-file 2k --retries 0 --log-json "$log" "$site/" inf 4
expect status 3
check
expect_became / "same 304 1"
expect_became /same "same 304 1"
expect_became /silent "same 200 1"
expect_became /changed "saved 200 1"
expect_became /gone "failed 404 1"
expect_became /broken "failed 500 1"
expect_became /large "skipped 200 1"
[ "$(grep -c '"outcome":"same"' "$log")" -eq 2 ] || fail "$(grep -c '"outcome":"same"' "$log") were the same"
for i in broken large; do
    [ "$(<"$home/$host/$i.html")" = "$i" ] || fail "$i is not as it was"
    spider --why "$site/$i"
    expect status 0
done

it "tells of links that are checked, and of errors that are archived"
rm "$log"
page / <<<"$(links /changed /missing "http://localhost:${site##*:}/same" "http://localhost:${site##*:}/none")"
spider -q --check --log-json "$log" "$site/" inf 4
expect status 3
check
[ "$(grep -c '"outcome":"good"' "$log")" -eq 3 ] || fail "$(grep -c '"outcome":"good"' "$log") were good"
grep -q '"event":"later".*HEAD was refused' "$log" || fail "it does not tell why it asked twice"
fresh
spider -q --warc "$scratch/some.warc" --log-json "$log" "$site/" inf 4
expect status 3
check
grep -q '"outcome":"good","http":404' "$log" && fail "what is missing is called good"

it "ends a crawl whose log cannot be written"
spider -q --log-json /nonexistent/log "$site/"
expect status 5
expect stderr "weft: cannot write the log '/nonexistent/log': no such file or directory"
fresh
spider -q --log-json /dev/full "$site/" inf
expect status 5
expect stderr "weft: cannot write the log '/dev/full': no space left on device"

it "has told everything that is described"
cp "$scratch/all" "$log"
found=$(python3 "$here/check.py" "$WEFT_SOURCE/docs/spider-log.md" "$log" | grep ' 0$')
[ -z "$found" ] || fail "never happened: $found"
