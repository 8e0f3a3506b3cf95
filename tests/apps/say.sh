#!/usr/bin/env bash
# weft say: a server whose module is not ready at first, and the same with its calls wrapped.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
weft=$WEFT_BUILD/weft
sentence_of_the_time='^I say Current time is: [A-Z][a-z]{2} [A-Z][a-z]{2} [0-9]{2} [0-9]{4} '
sentence_of_the_time+='[0-9]{2}:[0-9]{2}:[0-9]{2} GMT[+-][0-9]{4} \([^)]+\)$'

says_the_time() {
    expect code 200
    [[ $body =~ $sentence_of_the_time ]] || fail "it says: $body"
}

is_initialized() {
    grep -q '^Async module initialized$' "$scratch/out"
}

# In the background: one client, and it has taken the one place in the line before anybody else
# asks. What it got is in $scratch/waited.
wait_for_an_answer() {
    : >"$scratch/.waits"
    curl -sSv --max-time 20 -w '%{http_code}' "$url/say" >"$scratch/waited" 2>"$scratch/.waits" &
    client=$!
    soon grep -q '^> GET' "$scratch/.waits" || fail "it cannot ask: $(<"$scratch/.waits")"
}

line_is_free() {
    get /say --max-time 0.2
    [ "$code" = 000 ]
}

start "$weft" say serve -p 0 --quiet --delay 1h --metrics

it "prints where it serves"
[[ $(<"$scratch/out") =~ ^"saying the time at http://127.0.0.1:"[0-9]+/$ ]] ||
    fail "it prints: $(<"$scratch/out")"

it "answers with the module's whole message before that is initialised"
get /say
expect code 500
expect body "Error: I don't have anything to say right now"
expect_part fields "Content-Type: text/plain"
expect_part fields "Content-Length: 46"

it "answers HEAD as GET, without the body"
get /say --head
expect code 500
expect_part fields "Content-Length: 46"

it "finds nothing elsewhere, by whatever method"
for path in / /say/ /sa /says /Say; do
    get "$path"
    expect code 404
    expect body "Not found"
done
get /say -X POST
expect code 404
get /else -X PUT
expect code 404

it "has figures with --metrics"
get /-/healthz
expect body ok

it "ends although its module is not initialised yet"
stop
expect status 0
expect stderr ""
[[ $stdout != *initialized* ]] || fail "it says that it is initialised"

it "tells the time once the module is initialised, and says when that is"
start "$weft" say serve -p 0 --quiet --delay 10ms
soon is_initialized || fail "it is never initialised: $(<"$scratch/out")"
get /say
says_the_time
get /say --head
expect code 200
get /say?x=y
says_the_time
stop
expect status 0
expect stderr ""

it "takes a delay of nothing"
start "$weft" say serve -p0 -q --delay 0
soon is_initialized || fail "it is never initialised"
get /say
says_the_time
stop

it "answers as soon as the module is up when it is wrapped"
start "$weft" say serve -p0 -q --wrapped --delay 400ms
get /say
says_the_time
is_initialized || fail "it has answered before: $(<"$scratch/out")"
get /say
says_the_time
get /else
expect code 404
stop
expect status 0
expect stderr ""

it "turns away who finds the line full"
start "$weft" say serve -p0 -q --wrapped --delay 1h --waiting 1
wait_for_an_answer
get /say
expect code 503
expect body "Error: too many are waiting"

it "lets a client go that leaves"
kill -KILL "$client"
wait "$client" 2>/dev/null
soon line_is_free || fail "it still waits: $code $body"
stop
expect status 0

it "finishes those who wait when it is stopped"
start "$weft" say serve -p0 --wrapped --delay 1s --log "$scratch/log"
wait_for_an_answer
get /else # its request is under way by now
stop
expect status 0
wait "$client" || fail "the client got nothing: $(<"$scratch/.waits")"
expect_part stdout "Async module initialized"
body=$(<"$scratch/waited")
code=${body##*$'\n'}
body=${body%$'\n'*}
says_the_time

it "ends at once when it is told twice"
start "$weft" say serve -p0 -q --wrapped --delay 1h
wait_for_an_answer
get /else
kill -INT "$pid"
refuses() {
    ! curl -s --max-time 1 -o /dev/null "$url/else" 2>/dev/null
}
soon refuses || fail "it does not stop"
kill -0 "$pid" || fail "it has not waited for the client"
kill -INT "$pid"
over
expect status 130
! wait "$client" || fail "the client got: $(<"$scratch/waited")"

refused() {
    local text=$1
    shift
    run "$weft" say "$@"
    expect status 2
    expect stdout ""
    expect stderr "weft: $text
see weft help say"
}

it "refuses what makes no sense"
refused "say what to do: serve"
refused "'served' is not serve; did you mean 'serve'?" served
refused "unexpected 'more'" serve more
refused "--delay takes a value like 10s, 500ms or 0, not 'soon'" serve --delay soon
refused "--delay takes a value like 10s, 500ms or 0, not '-1'" serve --delay=-1
refused "--waiting takes a number from 1 to 1000000, not '0'" serve --waiting 0
refused "unknown option '--wraped'; did you mean '--wrapped'?" serve --wraped
refused "unknown option '--threads'" serve --threads 2

it "has every option in its help, its manual and the completion"
for option in $("$weft" help say | grep -oE -- '^ +(-., )?--[a-z-]+' | grep -oE -- '--.*'); do
    grep -q -- "^\.It.* Fl Fl ${option#--}\b" "$WEFT_SOURCE/docs/man/weft-say.1" ||
        fail "weft-say.1 lacks $option"
done
run bash --norc -c '. "$0"; COMP_WORDS=("$1" say se); COMP_CWORD=2; _weft
    printf "%s\n" "${COMPREPLY[@]}"' "$WEFT_SOURCE/apps/completion/weft.bash" "$weft"
expect stdout "serve"
