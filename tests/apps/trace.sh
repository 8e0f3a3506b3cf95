#!/usr/bin/env bash
# weft trace: record runs a command, summary and report read what came of it.
# ctest: timeout=120 needs=hooks
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1

synthetic() {
    awk "$@" -f "$WEFT_SOURCE/tests/lib/trace.awk"
}
synthetic -v pages=200 >crawl.json

# A program that records what it is told to.
cat >recorder <<'END'
#!/bin/sh
printf '{"otherData":{"events":1,"lost":%d},"traceEvents":[{"ph":"b","ts":1,"id":"0x1"}]}\n' \
    "${LOST:-0}" >"$WEFT_TRACE"
echo "events ${WEFT_TRACE_EVENTS-none}"
exit "${1:-0}"
END
chmod +x recorder

# ---- record

it "records a command and says where and how much"
run "$weft" trace record -o here.json -- ./recorder
expect status 0
expect stdout "events none"
expect stderr "weft: here.json: 1 events"
[ -s here.json ] || fail "there is no here.json"

it "records in trace.json unless told otherwise"
run "$weft" trace record -- ./recorder
expect status 0
[ -s trace.json ] || fail "there is no trace.json"

it "passes the size of the ring on, and no setting of its own environment"
WEFT_TRACE=elsewhere.json WEFT_TRACE_EVENTS=7 run "$weft" trace record --events 5000 -- ./recorder
expect stdout "events 5000"
WEFT_TRACE=elsewhere.json WEFT_TRACE_EVENTS=7 run "$weft" trace record -- ./recorder
expect stdout "events none"
grep -q '"id":"0x1"' trace.json || fail "the trace is not in trace.json"

it "names the file from the root, for a command that goes elsewhere"
mkdir -p folder
run "$weft" trace record -o folder/a.json -- sh -c 'cd / && exec "$0"' "$scratch/recorder"
expect status 0
[ -s folder/a.json ] || fail "there is no folder/a.json"

it "knows the names that the library makes"
run "$weft" trace record -o "of-%p.json" -- ./recorder
expect status 1 # this recorder does not know them
expect_part stderr "recorded nothing in 'of-"
run "$weft" trace record -o "of-%p.json" -- sh -c 'WEFT_TRACE=of-$$.json exec ./recorder'
expect status 0
expect_part stderr ".json: 1 events"
run "$weft" trace record -o stacks.folded -- ./recorder
expect status 0
expect stderr "weft: stacks.folded: folded stacks"

it "tells of events that were lost"
LOST=12 run "$weft" trace record -- ./recorder
expect status 0
expect stderr "weft: trace.json: 1 events, and 12 older ones lost; --events keeps more"

it "ends as the command does"
run "$weft" trace record -- ./recorder 7
expect status 7
expect stderr "weft: trace.json: 1 events"
run "$weft" trace record -- sh -c './recorder; kill -TERM $$'
expect status 143

it "leaves the command's input and options to it"
run bash -c 'echo hello | "$1" trace record -- sh -c "./recorder >&2; cat; echo \$#" a --help -x' - "$weft"
expect status 0
expect stdout "hello
2"

it "says when a command has recorded nothing"
cp crawl.json trace.json
run "$weft" trace record -- true
expect status 1
expect stderr "weft: 'true' recorded nothing in 'trace.json': is it a program built on libweft, and did it end by itself?"
cmp -s crawl.json trace.json || fail "the trace that was there has changed"
run "$weft" trace record -- sh -c 'exit 9'
expect status 9
expect_part stderr "recorded nothing"

it "says when what was recorded cannot be read"
run "$weft" trace record -- sh -c 'echo "{" >"$WEFT_TRACE"'
expect status 1
expect stderr "weft: trace.json:2:1: it ends too early: the file is cut off (byte 2)"

it "says when a command cannot be run"
run "$weft" trace record -- ./no-such-command
expect status 127
expect stderr "weft: cannot run './no-such-command': no such file or directory"
run "$weft" trace record -- ./crawl.json
expect status 126
expect stderr "weft: cannot run './crawl.json': permission denied"

it "passes signals on, and waits for what the command makes of them"
cat >polite <<'END'
#!/bin/sh
trap './recorder >/dev/null; exit 5' TERM
: >ready
i=0
while [ $((i += 1)) -lt 200 ]; do sleep 0.05; done
END
chmod +x polite
"$weft" trace record -- ./polite 2>err.txt &
pid=$!
for ((i = 0; i < 500; i++)); do
    [ ! -e ready ] || break
    sleep 0.02
done
kill -TERM "$pid"
run wait "$pid"
stderr=$(<err.txt)
expect status 5
expect stderr "weft: trace.json: 1 events"

it "does not pass on what was sent to the whole group"
cat >impatient <<'END'
#!/usr/bin/env bash
# The first signal is a request, the second one ends it.
trap 'count=$((count + 1)); [ $count -lt 2 ] || kill -KILL $$' TERM
: >ready
for ((i = 0; i < 400 && count == 0; i++)); do sleep 0.05; done
for ((i = 0; i < 12; i++)); do sleep 0.05; done
./recorder >/dev/null
exit 5
END
chmod +x impatient
rm -f ready trace.json
run timeout --preserve-status 1 "$weft" trace record ./impatient
expect status 5
expect_part stderr "weft: trace.json: 1 events"

it "passes on what was sent to it alone, once"
rm -f ready trace.json
"$weft" trace record -- ./impatient 2>err.txt &
pid=$!
for ((i = 0; i < 500; i++)); do
    [ ! -e ready ] || break
    sleep 0.02
done
kill -TERM "$pid"
run wait "$pid"
stderr=$(<err.txt)
expect status 5
expect stderr "weft: trace.json: 1 events"

it "passes on one of a row of signals while the row goes on"
cat >row <<'END'
#!/usr/bin/env bash
trap ': >got; ./recorder >/dev/null; exit 5' TERM
: >ready
for ((i = 0; i < 400; i++)); do sleep 0.05; done
END
chmod +x row
rm -f ready trace.json
"$weft" trace record -- ./row 2>err.txt &
pid=$!
for ((i = 0; i < 500; i++)); do
    [ ! -e ready ] || break
    sleep 0.02
done
for ((i = 0; i < 100; i++)); do
    [ ! -e got ] || break
    kill -TERM "$pid"
    sleep 0.05
done
[ -e got ] || fail "none came"
run wait "$pid"
expect status 5

it "says when a command was killed before it could write"
rm -f trace.json
run "$weft" trace record -- sh -c 'kill -TERM $$'
expect status 143
expect stderr "weft: 'sh' was killed by SIGTERM before it could write its trace"

it "needs no '--' in front of the command, whose options are its own"
run "$weft" trace record -o plain.json --events 7 sh -c './recorder; echo "$@"' - -o other --events -- x
expect status 0
expect stdout "events 7
-o other --events -- x"
expect stderr "weft: plain.json: 1 events"
[ ! -e other ] || fail "it took the command's option"

it "says before the command runs that nothing can be recorded"
run "$weft" trace record -o no/such/folder.json -- sh -c 'echo ran'
expect status 1
expect stdout ""
expect stderr "weft: nothing can be recorded: 'no/such/folder.json': no such file or directory"
run "$weft" trace record -o /dev/full -- sh -c 'echo ran'
expect status 1
expect stdout ""
expect stderr "weft: nothing can be recorded: '/dev/full' is no regular file"
ln -s nowhere.json dangling.json
run "$weft" trace record -o dangling.json -- ./recorder
expect status 1
expect stderr "weft: nothing can be recorded: 'dangling.json' is a link that leads nowhere"

# ---- summary

it "tells what is in a trace"
run "$weft" trace summary crawl.json
expect status 0
expect stderr ""
expect_part stdout "crawl.json: weft spider http://example.org/
"
expect_part stdout ": 1,405 operations, 1,601 callbacks on 3 threads
"
expect_part stdout "
  dns_lookup (dns)                  200      0 "
expect_part stdout "
blocked the loop for more than 10 ms: 1 callback
  25.0 ms  page_parsed  of work  apps/spider/reader.c:140 reader_begin  at "
expect_part stdout "
never destroyed: 3
        3  stream  src/http/client/pool.c:77 pool_take  (the oldest "

it "shows the slowest of a type, which a percentile hides"
grep -qE '^ +p50 +p99 +max +total' "$scratch/.stdout" || fail "no such column"

it "shows what a slow page has waited for"
grep -A3 ' ms  crawl  apps/spider/spider.c:104 begin' "$scratch/.stdout" >chain.txt
grep -qE '^ +└ 30[0-9] ms  page  apps/spider/load.c:41 page_begin' chain.txt || fail "no page: $(<chain.txt)"
grep -qE '^ +└ 30[0-9] ms  dns_lookup  src/http/client/connect.c:120 client_resolve' chain.txt ||
    fail "no lookup: $(<chain.txt)"

it "reads standard input, and tells the same for machines"
run bash -c '"$1" trace summary --json - <crawl.json' - "$weft"
expect status 0
expect_part stdout '{"file":"-","weft":"0.1.0","command":"weft spider http://example.org/",'
expect_part stdout '"operations":1405,"callbacks":1601,"threads":3,'
expect_part stdout '"blocking":{"limit":10000000,"count":1,'
expect_part stdout '"open":{"count":3,'

it "blames no callback that is shorter than the limit"
run "$weft" trace summary --limit 26 crawl.json
expect_part stdout "blocked the loop for more than 26 ms: 0 callbacks"
run "$weft" trace summary --limit 0 --top 3 crawl.json
expect_part stdout "blocked the loop for more than 0 ms: 1,401 callbacks"
expect_part stdout "  and 1,398 more: --top 0 shows all"

it "shows as much as it was asked for"
run "$weft" trace summary --top 1 crawl.json
expect_part stdout "  and 9 more: --top 0 shows all"
run "$weft" trace summary --top 0 crawl.json
[[ $stdout != *"--top 0"* ]] || fail "something is left out: $stdout"

it "says what was lost"
synthetic -v pages=3 -v lost=12345 >lost.json
run "$weft" trace summary lost.json
expect_part stdout "12,345 events were lost: the ring was full, and the oldest are gone"

it "says how many loops were not recorded"
echo '{"otherData":{"unrecorded":3},"traceEvents":[]}' >loops.json
run "$weft" trace summary loops.json
expect_part stdout "3 loops were not recorded: there were too many at a time"
run "$weft" trace summary --json loops.json
expect_part stdout '"unrecorded":3'

it "reads a trace of somebody else"
echo '[{"ph":"X","ts":1,"dur":20000,"name":"Layout","cat":"blink"},{"ph":"B","ts":2},{"ph":"C"}]' >other.json
run "$weft" trace summary other.json
expect status 0
expect_part stdout "this trace has no weft operations"
expect_part stdout "  20.0 ms  (unknown)  of Layout"

it "counts what it does not understand"
echo '[{"ph":"X","dur":1},
{"ph":"b","ts":1e99,"id":1}]' >odd.json
run "$weft" trace summary odd.json
expect status 0
expect_part stdout "2 events were not understood; the first at line 1, column 19: an event without a time"

it "prints no control characters of a trace"
printf '[{"ph":"b","ts":1,"id":1,"name":"\\u001b[31mred\\u0007","args":{"site":"\xff\\u202e"}}]' >evil.json
run "$weft" trace summary evil.json
expect status 0
! grep -q $'[\e\a]' "$scratch/.stdout" || fail "there are controls in it"
run "$weft" trace summary --json evil.json
! grep -q $'[\e\a]' "$scratch/.stdout" || fail "there are controls in the JSON"

unreadable() {
    run "$weft" trace summary "$1"
    expect status 1
    expect stdout ""
    expect stderr "weft: $2"
    run "$weft" trace report -o none.html "$1"
    expect status 1
    expect stderr "weft: $2"
    [ ! -e none.html ] || fail "it wrote a page"
}

it "says where a file is wrong"
: >empty.json
unreadable empty.json "empty.json:1:1: an empty file (byte 0)"
echo "hello" >text.json
unreadable text.json "text.json:1:1: it is no JSON (byte 0)"
echo "loop;page 12" >stacks.folded
unreadable stacks.folded "'stacks.folded' holds folded stacks, which are for flame graphs; record a .json to look at it here"
head -c 5000 crawl.json >cut.json
run "$weft" trace summary cut.json
expect status 1
expect_part stderr ": it ends too early: the file is cut off (byte 5000)"
printf '{"traceEvents":[\n{"ph":"X",}\n]}' >comma.json
unreadable comma.json "comma.json:2:11: a name in quotes should stand here (byte 27)"
printf '{"traceEvents":[NaN]}' >nan.json
unreadable nan.json "nan.json:1:17: a value should stand here (byte 16)"
printf '{"a":\0}' >nul.json
unreadable nul.json "nul.json:1:6: a value should stand here (byte 5)"
printf '{"a":1}' >none.json
unreadable none.json "none.json:1:7: this is no trace: it holds no traceEvents (byte 6)"
{
    printf '{"a":'
    head -c 300000 /dev/zero | tr '\0' '['
} >deep.json
unreadable deep.json "deep.json:1:261: it is nested too deeply (byte 260)"
head -c 100000 /dev/urandom >noise.json
run "$weft" trace summary noise.json
expect status 1
unreadable no-such.json "cannot read 'no-such.json': no such file or directory"
unreadable folder "cannot read 'folder': illegal operation on a directory"

it "reads no more than it may"
run "$weft" trace summary --max-size 100k crawl.json
expect status 1
expect stderr "weft: 'crawl.json' is larger than 100 kB; --max-size allows more"
run bash -c '"$1" trace summary --max-size 1M - </dev/zero' - "$weft"
expect status 1
expect_part stderr "weft: standard input:1:1: it is no JSON"
run "$weft" trace summary --max-size 2M crawl.json
expect status 0

# ---- report

it "writes a page beside the trace, and says so"
run "$weft" trace report crawl.json
expect status 0
expect stdout crawl.html
expect stderr ""
grep -q '^<!doctype html>' crawl.html || fail "it is no page"
cp crawl.json crawl.trace
run "$weft" trace report crawl.trace
expect stdout crawl.trace.html

it "writes a page that loads nothing"
! grep -qE '(src|href)="?(https?:)?//' crawl.html || fail "it loads something"
! grep -qE '\{\{[a-z.]+\}\}' crawl.html || fail "a part is missing: $(grep -oE '\{\{[a-z.]+\}\}' crawl.html)"

it "keeps what is hostile in its place"
printf '[{"ph":"b","ts":1,"id":1,"name":"</script><script>alert(1)</script>"}]' >evil.json
run "$weft" trace report -o evil.html evil.json
expect status 0
[ "$(grep -c '</script>' evil.html)" = "$(grep -c '</script>' crawl.html)" ] || fail "a script got out"

it "reads standard input if it is told where the page goes"
run bash -c '"$1" trace report -o piped.html - <crawl.json' - "$weft"
expect status 0
expect stdout piped.html
run bash -c '"$1" trace report - <crawl.json' - "$weft"
expect status 2
expect_part stderr "weft: say where the page goes: -o PAGE"

it "does not put the page in the place of the trace"
cp crawl.json kept.html
run "$weft" trace report -o ./kept.html kept.html
expect status 2
expect_part stderr "weft: './kept.html' is the trace itself"
ln kept.html other-name.html
run "$weft" trace report -o other-name.html kept.html
expect status 2
cmp -s crawl.json kept.html || fail "the trace has changed"

it "says why it cannot write"
run "$weft" trace report -o no/such/folder.html crawl.json
expect status 1
expect stderr "weft: cannot write 'no/such/folder.html': no such file or directory"

# ---- the command line

refused() {
    local text=$1
    shift
    run "$weft" trace "$@"
    expect status 2
    expect stdout ""
    expect stderr "weft: $text
see weft help trace"
}

it "refuses what makes no sense"
refused "say what to do: record, summary or report"
refused "'sumary' is not record, summary or report; did you mean 'summary'?" sumary
refused "'xyzzy' is not record, summary or report" xyzzy
refused "name a trace file, or '-' for standard input" summary
refused "unexpected 'b': one trace can be read" summary a b
refused "name a command: weft trace record COMMAND" record
refused "name a command: weft trace record COMMAND" record --
refused "name a command: weft trace record COMMAND" record -o a.json
refused "--output takes a value" record -o
refused "a trace is recorded in a file, not in standard output" record -o - -- true
refused "--events takes a number from 1 to 16777216, not '0'" record --events 0 -- true
refused "--max-size takes a value like 512M, not '99T'" summary --max-size 99T a
refused "unknown option '--limt'; did you mean '--limit'?" summary --limt 3 a

it "has every option in its help, its manual and the completion"
for option in $("$weft" help trace | grep -oE '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*'); do
    grep -q -- "^\.It.* Fl Fl ${option#--}\b" "$WEFT_SOURCE/docs/man/weft-trace.1" ||
        fail "weft-trace.1 lacks $option"
done
run bash --norc -c '. "$0"; COMP_WORDS=("$1" trace s); COMP_CWORD=2; _weft
    printf "%s\n" "${COMPREPLY[@]}"' "$WEFT_SOURCE/apps/completion/weft.bash" "$weft"
expect stdout summary
run bash --norc -c '. "$0"; COMP_WORDS=("$1" trace summary --li); COMP_CWORD=3; _weft
    printf "%s\n" "${COMPREPLY[@]}"' "$WEFT_SOURCE/apps/completion/weft.bash" "$weft"
expect stdout --limit
