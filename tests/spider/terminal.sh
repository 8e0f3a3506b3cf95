#!/usr/bin/env bash
# weft spider: what is shown while it runs: on a terminal (tmux is one that can be read and resized), and
# in a log.
# ctest: timeout=180
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
if ! command -v tmux >/dev/null; then
    echo "there is no tmux"
    exit 77
fi
unset TMUX NO_COLOR
export LC_ALL=C.UTF-8
opened=0

terminal() {
    tmux -u -S "$scratch/terminal.$opened" -f /dev/null "$@"
}

finish_terminal() {
    terminal kill-server 2>/dev/null
    finish_site
}
trap finish_terminal EXIT

# open COLUMNS ROWS LINES: a terminal with a shell, and so many lines in it.
open() {
    terminal kill-server 2>/dev/null
    opened=$((opened + 1)) # the one before may take its time to go
    terminal new-session -d -x "$1" -y "$2" "env PS1='\$ ' bash --norc --noprofile"
    columns=$1 rows=$2
    type_line "clear; seq $3; echo rea''dy"
    soon shows ready || fail "there is no shell: $(shown)"
}

type_line() {
    terminal send-keys -l "$1"
    terminal send-keys Enter
}

shown() {
    terminal capture-pane -p
}

# The same with what has left the top of the screen, and lines as they were before they were broken.
ever_shown() {
    terminal capture-pane -p -J -S -
}

shows() {
    shown | grep -qE -- "$1"
}

shows_not() {
    ! shows "$1"
}

# crawl ARGUMENT...: begins one there, which takes its time.
crawl() {
    fresh
    type_line "$weft spider -o $home $site/ inf 8 $*"
}

# is_clean COLUMNS: there is one block, and it is as wide as it should be: a margin is left free.
is_clean() {
    local width=$(($1 - 1 - $1 / 12))
    [ "$width" -le 72 ] || width=72
    rules=$(shown | awk '/^──/' | while read -r line; do [ ${#line} -ne "$width" ] || echo; done | wc -l)
    figures=$(shown | grep -c '^ [0-9]* saved  ')
    speeds=$(shown | grep -c ' pages/s  ')
    [ "$rules $figures $speeds" = '1 1 1' ]
}

# expect_clean COLUMNS WHEN
expect_clean() {
    soon is_clean "$1" || fail "$2: $rules rules, $figures figures, $speeds speeds:
$(ever_shown | tail -n 40)"
}

# resize COLUMNS ROWS
resize() {
    terminal resize-window -x "$1" -y "$2"
    columns=$1 rows=$2
}

# drag COLUMNS ROWS: the same as by a hand at the corner of a window, in many small steps.
drag() {
    local steps=12 from_columns=$columns from_rows=$rows i
    for ((i = 1; i <= steps; i++)); do
        resize $((from_columns + ($1 - from_columns) * i / steps)) \
            $((from_rows + ($2 - from_rows) * i / steps))
    done
}

# expect_rest: of the display nothing is left anywhere, and everything else is there.
expect_rest() {
    ever_shown >"$scratch/rest"
    ! grep -E '^──| under way  |^ +[0-9.]+ s  ' "$scratch/rest" >"$scratch/left" ||
        fail "left behind: $(<"$scratch/left")"
    [ "$(grep -cx '[1-9][0-9]*' "$scratch/rest")" -eq 60 ] || fail "lost: $(<"$scratch/rest")"
    grep -qx "weft: $site/gone.html: 410 Gone (linked from $site/kinds/)" "$scratch/rest" ||
        fail "the complaint is gone: $(<"$scratch/rest")"
}

site --pages 2000 --delay 150
open 100 30 60

it "shows figures, rates, hosts and what is under way, and lets complaints stand above"
crawl
soon shows ' [1-9][0-9]* saved  .*B  [0-9]+ waiting  8 under way' || fail "$(shown)"
soon shows '[0-9.]+ pages/s  [0-9.]+ .?B/s' || fail "$(shown)"
soon shows " $site .* under way .* waiting" || fail "$(shown)"
soon shows "^ +[0-9.]+ s .* $site/" || fail "$(shown)"
soon shows '▇|█' || fail "there are no bars: $(shown)"
soon shows "weft: $site/gone.html: 410 Gone" || fail "$(shown)"
expect_clean 100 "after a complaint"

it "shows one block when the terminal is resized, and touches nothing else"
for size in '60 30' '100 30' '50 30' '120 30' '100 40' '100 26' '80 40' '100 30'; do
    # shellcheck disable=SC2086  # two words
    resize $size
    expect_clean "${size% *}" "at $size"
done
[[ $(ever_shown) == *"/gone.html: 410 Gone (linked from $site/kinds/)"* ]] ||
    fail "the complaint is gone: $(ever_shown)"
[ "$(ever_shown | grep -cx '[1-9][0-9]*')" -eq 60 ] || fail "what was there before is gone: $(ever_shown)"

it "shows one block, also where the one before did not fit"
for size in '50 12' '100 12' '80 10'; do
    # shellcheck disable=SC2086  # two words
    resize $size
    expect_clean "${size% *}" "at $size"
done

it "shows nothing where there is no room, and comes back"
resize 100 1
soon shows_not ' saved ' || fail "$(shown)"
resize 3 3
resize 100 30
soon shows ' saved  .*8 under way' || fail "$(shown)"

it "does not draw over what a shell has written meanwhile"
terminal send-keys C-z
soon shows 'Stopped' || fail "it was not stopped: $(shown)"
shows_not ' under way  ' || fail "it left the display to the shell: $(shown)"
type_line "echo in be''tween; fg"
soon shows 'in between' || fail "$(shown)"
soon shows ' saved  .*8 under way' || fail "it did not go on: $(shown)"
shows 'in between' || fail "it was drawn over: $(shown)"

it "goes on while the terminal is held with Ctrl-S, and draws on after Ctrl-Q"
files() { find "$home" -name '*.html' | wc -l; }
is_held() { # what comes is not shown any more, for as long as forty more pages take
    terminal send-keys C-s
    held=$(shown) before=$(files)
    soon have_more 40 && [ "$(shown)" = "$held" ]
}
have_more() { [ "$(files)" -ge $((before + $1)) ]; }
is_held || is_held || fail "nothing goes on, or everything is shown: $(files) files, $before before"
terminal send-keys C-q
draws_on() { [ "$(shown)" != "$held" ]; }
soon draws_on || fail "it does not draw on: $(shown)"
expect_clean 100 "after it was held"

it "stops at Ctrl-C, and leaves a summary and a terminal as it was"
terminal send-keys C-c
soon shows '^interrupted: all below' || fail "$(shown)"
soon shows '^\$' || fail "there is no prompt: $(shown)"
shown >"$scratch/end"
grep -q 'finishing what is under way; once more' "$scratch/end" || fail "$(<"$scratch/end")"
grep -Eq '^  saved +[0-9]+ +[0-9.]+ [kM]?B$' "$scratch/end" || fail "$(<"$scratch/end")"
grep -Eq '^  text/html +[0-9]+' "$scratch/end" || fail "$(<"$scratch/end")"
grep -Eq '^  4xx +[0-9]+' "$scratch/end" || fail "$(<"$scratch/end")"
grep -A 1 '^  failed at' "$scratch/end" | grep -q "  $site " || fail "$(<"$scratch/end")"
! grep -q '^──' "$scratch/end" || fail "the display is still there"
[ "$(terminal display-message -p '#{cursor_flag} #{wrap_flag}')" = '1 1' ] ||
    fail "cursor or line wrap is not as it was"

it "leaves nothing behind when the terminal is dragged narrower, lower, or both, and back again"
for size in '60 30' '100 16' '66 20'; do
    open 100 30 60
    crawl
    soon shows "weft: $site/gone.html: 410 Gone" || fail "$(shown)"
    # shellcheck disable=SC2086  # two words
    drag $size
    drag 100 30
    expect_clean 100 "after $size"
    terminal send-keys C-c
    soon shows '^interrupted: all below' || fail "$(shown)"
    expect_rest
done

it "leaves at once at the second Ctrl-C"
open 80 24 3
crawl
soon shows ' saved  ' || fail "$(shown)"
terminal send-keys C-c C-c
soon shows '^interrupted: all below' || fail "$(shown)"

it "leaves a usable terminal when it is killed"
open 80 24 3
crawl
soon shows ' saved  ' || fail "$(shown)"
kill -KILL "$(pgrep -f "^$weft spider -o $home")"
soon shows '^\$' || fail "the prompt is not at the beginning of a line: $(shown)"

it "has no colours if that is asked for, and no block characters where they cannot be read"
open 80 24 3
type_line "export NO_COLOR=1 LC_ALL=C"
crawl
soon shows ' saved  ' || fail "$(shown)"
shows '^--  [0-9.]+ s  -+$' || fail "$(shown)"
! terminal capture-pane -p -e | grep -q $'\033' || fail "there is an escape"

it "says everything above the display with --verbose"
open 90 24 3
crawl --verbose
soon shows "^saved    $site/" || fail "$(shown)"
soon shows ' saved  .*under way' || fail "$(shown)"

it "shows nothing on a dumb terminal, with --quiet and with --progress=none"
for how in 'TERM=dumb' '--quiet' '--progress=none'; do
    open 80 24 3
    case $how in
    TERM*) type_line "export $how" && crawl ;;
    *) crawl "$how" ;;
    esac
    soon test -f "$home/$host/index.html"
    shows_not ' waiting' || fail "$how: $(shown)"
done
terminal kill-server

it "shows nothing where there is no terminal"
site --no-extras --pages 30
for how in auto live none; do
    fresh
    spider --progress "$how" "$site/" inf 8
    expect status 0
    expect stderr ""
    expect_part stdout "done: 30 saved ("
done

it "writes lines to a log with --progress=plain, and a table at the end"
fresh
site --no-extras --pages 60 --delay 100
spider --progress=plain "$site/" inf 4
expect status 0
[[ $stderr =~ ^weft:\ [0-9.]+\ s:\ [0-9]+\ saved\ \([^\)]*\),\ [0-9]+\ waiting,\ [0-9]+\ under\ way ]] ||
    fail "$stderr"
expect_part stderr "  saved                                    60"
expect_part stderr "  text/html"
! grep -q $'\033' "$scratch/.stderr" || fail "there are escapes in the log"
expect_part stdout "done: 60 saved ("
[ "$(grep -c . <<<"$stdout")" -eq 2 ] || fail "there is more on stdout: $stdout"
