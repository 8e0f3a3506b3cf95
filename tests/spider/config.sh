#!/usr/bin/env bash
# weft spider: settings from a file, and written to one.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
site --no-extras --pages 12
conf=$scratch/spider.conf

# config LINE...: the file with these lines.
config() {
    printf '%s\n' "$@" >"$conf"
}

# saved_settings ARGUMENT...: what --save-config makes of them.
saved_settings() {
    spider --save-config "$scratch/saved.conf" "$@"
    expect status 0
    grep -v '^\(#\|$\)' "$scratch/saved.conf"
}

it "takes settings from a file"
config '# a comment' '' '  max-pages=3  ' $'\tquiet\r' 'exclude = *.iso' 'exclude = /a#b/'
fresh
spider --config "$conf" "$site/" inf
expect status 0
expect stdout ""
[ "$(saved)" -eq 3 ] || fail "$(saved) files"

it "lets the command line win, and add to lists"
run saved_settings --config "$conf" --max-pages 5 --exclude last -o .
expect stdout "quiet
exclude = *.iso
exclude = /a#b/
exclude = last
max-pages = 5"

it "takes back a flag of the file"
run saved_settings --config "$conf" --quiet=no -o .
[[ $stdout != *quiet* ]] || fail "it is still there: $stdout"
config 'quiet = yes' 'requisites = no'
run saved_settings --config "$conf" -o .
expect stdout "quiet"
config '# a comment' '' '  max-pages=3  ' $'\tquiet\r' 'exclude = *.iso' 'exclude = /a#b/'

it "takes back what the file says of lists and texts, with nothing behind the ="
config 'scope = hosts' 'host = a.example' 'exclude = *.iso' 'warc = x.warc' 'user = me' 'password = hush'
spider --config "$conf" --scope host --save-config -
expect status 2
expect_part stderr "--host= takes back what a file says"
run saved_settings --config "$conf" --scope host --host= --exclude= --exclude /new/ --warc= --user= --password= -o .
expect stdout "exclude = /new/"
run saved_settings --config "$conf" --host= --host b.example -o .
expect_part stdout "host = b.example"
[[ $stdout != *a.example* ]] || fail "it is still there: $stdout"
config 'exclude = *.iso' 'exclude =' 'exclude = /b/'
run saved_settings --config "$conf" -o .
expect stdout "exclude = /b/"
spider --config "$conf" --exclude '' --save-config - # a variable that is empty
expect status 2
expect_part stderr "--exclude takes a value that is not empty"
config '# a comment' '' '  max-pages=3  ' $'\tquiet\r' 'exclude = *.iso' 'exclude = /a#b/'

it "takes the user's own file if it is there, unless it is told not to"
mkdir -p "$XDG_CONFIG_HOME/weft"
echo 'delay = 7s' >"$XDG_CONFIG_HOME/weft/spider.conf"
run saved_settings -o .
expect stdout "delay = 7s"
run saved_settings --no-config -o .
expect stdout ""
run saved_settings --config "$conf" -o .
[[ $stdout != *delay* ]] || fail "it takes both: $stdout"
rm "$XDG_CONFIG_HOME/weft/spider.conf"

it "looks below ~/.config if there is no other folder for that"
mkdir -p "$scratch/me/.config/weft"
echo 'retries = 9' >"$scratch/me/.config/weft/spider.conf"
for folder in '' relative; do
    XDG_CONFIG_HOME=$folder HOME=$scratch/me run saved_settings -o .
    expect stdout "retries = 9"
done

# as_nobody COMMAND...: by somebody whom modes of files hold back.
as_nobody() {
    if [ "$(id -u)" = 0 ]; then
        run setpriv --reuid 65534 --regid 65534 --clear-groups "$@"
    else
        run "$@"
    fi
}

it "takes a home that it may not look into for one without a file"
own=$scratch/closed/.config/weft/spider.conf
mkdir -p "${own%/*}"
echo 'retries = 9' >"$own"
chmod 755 "$scratch" # nobody has to get there
chmod 000 "$scratch/closed"
mine=(env -u XDG_CONFIG_HOME "HOME=$scratch/closed" "$weft" spider --save-config -)
as_nobody "${mine[@]}"
if [ "$status" = 126 ] || [ "$status" = 127 ]; then
    echo "  (nobody may not run $weft: skipped)"
else
    expect status 0
    expect stderr ""
    [[ $stdout != *retries* ]] || fail "it was read: $stdout"

    it "takes one that is named there for an error all the same"
    as_nobody "${mine[@]}" --config "$own"
    expect status 2
    expect stderr "weft: cannot read '$own': Permission denied"

    it "takes one that is there and may not be read for an error, and says how to go without"
    chmod 755 "$scratch/closed"
    chmod 000 "$own"
    as_nobody "${mine[@]}"
    expect status 2
    expect stderr "weft: cannot read '$own': Permission denied (--no-config does without it)"
    as_nobody "${mine[@]}" --no-config
    expect status 0
fi
chmod 700 "$scratch/closed"

it "writes a file that says the same when it is read"
all=(--scope hosts --host a.example --host '*.b.example:8080' --include '*x' --include-regex '^a|b$'
    --exclude-regex '[#;"=]' --requisites --no-robots --max-pages 10 --max-bytes 1.5G --max-time 90s
    --max-file 1000 --delay 1.5s --per-host 3 --rate 5 --polite --retries 0 --connect-timeout 1500ms
    --answer-timeout 2m --page-timeout 1h --user-agent 'me/1.0 (a b)' -H 'X-A: b = c' --user me
    --password-file /none --proxy http://localhost:1 --no-proxy 'a,b' --cookies --insecure --http1
    --verbose --dry-run --list --progress plain --input /none)
spider "${all[@]}" --save-config "$scratch/one.conf"
expect status 0
run "$weft" spider --config "$scratch/one.conf" --save-config "$scratch/two.conf"
expect status 0
expect stderr ""
cmp "$scratch/one.conf" "$scratch/two.conf" || fail "$(diff "$scratch/one.conf" "$scratch/two.conf")"
for word in 'max-bytes = 1536M' 'max-time = 90s' 'delay = 1500ms' 'answer-timeout = 2m' \
    'retries = 0' 'header = X-A: b = c' 'scope = hosts' 'http1'; do
    grep -qxF "$word" "$scratch/one.conf" || fail "no line '$word': $(<"$scratch/one.conf")"
done

it "says in the file what its settings mean"
[ "$(grep -A 2 -F '# what is shown meanwhile' "$scratch/one.conf" | tail -n 1)" = 'progress = plain' ] ||
    fail "$(<"$scratch/one.conf")"
awk 'NR > 1 && NF && !/^#/ && before !~ /^#/ && $1 != last { print }
    { before = $0; last = $1 }' "$scratch/one.conf" >"$scratch/bare"
[ ! -s "$scratch/bare" ] || fail "not explained: $(<"$scratch/bare")"

it "writes no password, and nothing that others may read"
run saved_settings --user me --password hush -o .
expect stdout "user = me"
! grep -q hush "$scratch/saved.conf" || fail "there is the password"
[ "$(stat -c %a "$scratch/saved.conf")" = 600 ] || fail "its mode is $(stat -c %a "$scratch/saved.conf")"

it "does nothing else when it writes its settings"
fresh
before=$(total)
spider --save-config "$scratch/saved.conf" "$site/"
expect status 0
expect stdout ""
[ "$(total)" -eq "$before" ] || fail "it asked"
[ "$(saved)" -eq 0 ] || fail "it saved"

it "names the file, the line and the nearest name"
wrong() {
    config '' "$1"
    spider --config "$conf" "$site/" 0
    expect status 2
    expect stderr "weft: $conf:2: $2"
}
wrong 'max-page = 3' "unknown option 'max-page'; did you mean 'max-pages'?"
wrong 'xyzzy' "unknown option 'xyzzy'"
wrong 'max-pages' 'max-pages takes a value'
wrong 'max-pages =' 'max-pages takes a value that is not empty'
wrong 'max-pages = many' "max-pages takes a number from 0 to 4294967295, not 'many'"
wrong 'delay = soon' "delay takes a value like 500ms, 2s or 10m, not 'soon'"
wrong 'scope = all' "scope takes host, domain, path or hosts, not 'all'"
wrong 'quiet = maybe' "quiet takes nothing, or yes or no, not 'maybe'"
wrong 'quiet =' "quiet takes nothing, or yes or no, not ''"
wrong 'config = other' 'config belongs on the command line'
wrong '= 3' "unknown option ''"
wrong "$site/" "unknown option '$site/'"

it "passes over a byte order mark, but only at the beginning"
printf '\xef\xbb\xbfdelay = 3s\r\n# a comment\r\nquiet\r\n' >"$conf"
run saved_settings --config "$conf" -o .
expect stdout "quiet
delay = 3s"
printf '\xef\xbb\xbf# a comment\r\nrequisites\r\n' >"$conf"
run saved_settings --config "$conf" -o .
expect stdout "requisites"
printf '\xef\xbb\xbf' >"$conf"
run saved_settings --config "$conf" -o .
expect stdout ""
printf 'quiet\n\xef\xbb\xbfrequisites\n' >"$conf"
spider --config "$conf" "$site/" 0
expect status 2
expect_part stderr "$conf:2: unknown option"

it "says so when there is no such file, or it is none"
spider --config "$scratch/none" "$site/"
expect status 2
expect_part stderr "cannot read '$scratch/none': No such file"
spider --config "$scratch" "$site/"
expect status 2
expect_part stderr "Is a directory"
printf 'quiet\0\n' >"$conf"
spider --config "$conf" "$site/"
expect status 2
expect_part stderr "zero byte"
head -c 1100000 /dev/zero | tr '\0' '\n' >"$conf"
spider --config "$conf" "$site/"
expect status 2
expect_part stderr "too large"
spider --config "$conf" --no-config "$site/"
expect status 2

it "keeps the old file when the new one cannot be written"
echo old >"$scratch/saved.conf"
spider --save-config "$scratch/saved.conf" --exclude $'a\nb' "$site/"
expect status 2
expect_part stderr "cannot be the value of exclude"
spider --save-config "$scratch/none/saved.conf" "$site/"
expect status 5
expect_part stderr "cannot write '$scratch/none/saved.conf'"
[ "$(<"$scratch/saved.conf")" = old ] || fail "it is $(<"$scratch/saved.conf")"
[ -z "$(find "$scratch" -name 'saved.conf.*')" ] || fail "it left something behind"

it "writes to standard output, by each of its names"
mkdir "$scratch/here"
cd "$scratch/here" || exit 1
ln -s /proc/self/fd/1 stdout # as /dev/stdout is; but what might be replaced here is ours
for name in - stdout; do
    spider --save-config "$name" --delay 7s
    expect status 0
    expect_part stdout "delay = 7s"
    expect stderr ""
done
{
    echo "# before"
    "$weft" spider --save-config stdout --delay 7s
    echo "# behind"
} >all.conf
[ "$(head -n 1 all.conf; tail -n 1 all.conf)" = "# before
# behind" ] || fail "what was there before is gone: $(<all.conf)"
grep -qx 'delay = 7s' all.conf || fail "it is not there: $(<all.conf)"
"$weft" spider --save-config - --exclude $'a\nb' >part 2>"$scratch/.stderr"
[ ! -s part ] || fail "a part was printed: $(<part)"
run sh -c '"$1" spider --save-config - >/dev/full' sh "$weft"
expect status 5
expect stderr "weft: cannot write '-': no space left on device"
[ -L stdout ] || fail "the link is gone"
rm all.conf part stdout
[ -z "$(ls -A)" ] || fail "there is now $(ls -A)"

it "writes through a symbolic link, and leaves it one"
mkdir kept
echo old >kept/real.conf
ln -s kept/real.conf link.conf
ln -s link.conf further.conf
for name in link.conf further.conf; do
    spider --save-config "$name" --delay 7s
    expect status 0
    [ -L "$name" ] || fail "$name is no link any more"
    grep -qx 'delay = 7s' kept/real.conf || fail "$name: $(<kept/real.conf)"
    echo old >kept/real.conf
done
ln -s nowhere dangling.conf
spider --save-config dangling.conf
expect status 5
expect_part stderr "cannot write 'dangling.conf'"
[ -L dangling.conf ] || fail "the link is gone"
[ "$(ls -A kept)" = real.conf ] || fail "it left $(ls -A kept)"

it "writes into a pipe, and leaves it one"
mkfifo pipe.conf
timeout 10 cat pipe.conf >got &
spider --save-config pipe.conf --delay 7s
expect status 0
[ -p pipe.conf ] || fail "the pipe is gone"
wait $!
grep -qx 'delay = 7s' got || fail "it got: $(<got)"

it "writes to a device, and leaves it one"
if mknod null c 1 3 2>/dev/null && mknod full c 1 7 && (: >null) 2>/dev/null; then
    spider --save-config null
    expect status 0
    spider --save-config full
    expect status 5
    expect_part stderr "no space left"
    if [ ! -c null ] || [ ! -c full ]; then
        fail "they are not any more: $(ls -l null full)"
    fi
else
    echo "  (there can be no devices here: skipped)"
fi
