#!/usr/bin/env bash
# weft spider: how much is enough, and what happens when something is in the way.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/more.sh"
mounted=

finish_limits() {
    [ -z "$mounted" ] || umount -l "$mounted" 2>/dev/null
    finish_more
}
trap finish_limits EXIT

# mount_small SIZE: a file system of that size at $small, if we may have one.
mount_small() {
    small=$scratch/small
    mkdir -p "$small"
    mount -t tmpfs -o "size=$1" tmpfs "$small" 2>/dev/null || {
        echo "  (nothing can be mounted here: skipped)"
        return 1
    }
    mounted=$small
}

unmount_small() {
    umount -l "$small"
    mounted=
}

tree() {
    (cd "$1" && find . -name .weft -prune -o -type f -print | LC_ALL=C sort)
}

# ---- limits --------------------------------------------------------------------------------------

it "saves exactly as many pages as --max-pages says, and says how to go on"
site --no-extras --pages 60
fresh
spider --max-pages 7 "$site/" inf 4
expect status 0
expect_part stdout "stopped at the limit"
expect_part stdout "URLs wait: a larger --max-pages goes on"
[ "$(saved)" -eq 7 ] || fail "$(saved) files"
[ "$(total)" -eq 7 ] || fail "$(total) requests"

it "counts those of the runs before"
spider --max-pages 12 "$site/" inf 4
expect status 0
[ "$(saved)" -eq 12 ] || fail "$(saved) files"
spider --max-pages 12 "$site/" inf 4
expect status 0
[ "$(saved)" -eq 12 ] || fail "$(saved) files"
[ "$(total)" -eq 12 ] || fail "$(total) requests"

it "fetches the rest without the limit"
spider "$site/" inf 4
expect status 0
[ "$(saved)" -eq 60 ] || fail "$(saved) files"
[ "$(total)" -eq 60 ] || fail "$(total) requests"

it "counts only what is saved: redirects and errors are no pages"
site --pages 20
fresh
spider --max-pages 15 "$site/kinds/" inf 4 --retries 0
[ "$(saved)" -eq 15 ] || fail "$(saved) files"

it "stops soon after as many bytes as --max-bytes says"
site --no-extras --pages 100
fresh
spider --max-bytes 30k "$site/" inf 2
expect status 0
expect_part stdout "stopped at the limit"
bytes=$(find "$home/$host" -type f -printf '%s\n' | awk '{ sum += $1 } END { print sum + 0 }')
[ "$bytes" -ge 25000 ] || fail "only $bytes bytes"
[ "$bytes" -le 60000 ] || fail "$bytes bytes"

it "stops after as much time as --max-time says"
site --no-extras --pages 200 --delay 100
fresh
begun=$SECONDS
spider --max-time 500ms "$site/" inf 2
expect status 0
expect_part stdout "stopped at the limit"
[ $((SECONDS - begun)) -lt 8 ] || fail "it took $((SECONDS - begun)) s of 10"
[ "$(saved)" -ge 1 ] || fail "nothing was saved"
[ "$(saved)" -lt 150 ] || fail "$(saved) files"
[ "$(saved)" -eq "$(total)" ] || fail "$(saved) files after $(total) requests"

it "stops then even if a server has told it to wait"
site --no-extras --pages 50 --too-many 5 --retry-after 3000
fresh
begun=$SECONDS
spider --max-time 500ms "$site/" inf 2
expect status 0
[ $((SECONDS - begun)) -lt 20 ] || fail "it took $((SECONDS - begun)) s"

# ---- files ---------------------------------------------------------------------------------------

it "leaves out files that are larger than --max-file, whether their length is known or not"
site --pages 10 --big 400000
fresh
spider --max-file 100k "$site/big.bin" "$site/plain.txt" 0 2
expect status 1
expect_part stderr "$site/big.bin: it is larger than --max-file"
expect_no_file big.bin
expect_file plain.txt
long=$(curl -sS "$site/chunked.html" | wc -c)
spider --max-file $((long - 1)) "$site/chunked.html" 0
expect status 1
expect_no_file chunked.html
[ -z "$(ls -A "$home/.weft/tmp")" ] || fail "leftovers: $(ls -A "$home/.weft/tmp")"

it "fetches them when the limit is larger"
spider --max-file "$long" "$site/chunked.html" 0
expect status 0
expect_file chunked.html
spider "$site/big.bin" 0
expect status 0
expect_file big.bin

it "stops in the middle of one whose length was not known, and keeps nothing of it"
nginx_config() {
    echo "server { listen 127.0.0.1:${ports[0]}; root $www; gzip on; gzip_types text/plain;"
    echo "location /slow.png { limit_rate 1m; } }"
}
if nginx_up; then
    head -c 4000000 /dev/zero | tr '\0' 'x' >"$www/long.txt" # four kilobytes on the way
    fresh
    spider --max-file 3M "http://127.0.0.1:${ports[0]}/long.txt" 0
    expect status 1
    expect_part stdout "1 skipped"
    [ "$(saved)" -eq 0 ] || fail "$(saved) files"
    [ -z "$(ls -A "$home/.weft/tmp")" ] || fail "leftovers: $(ls -A "$home/.weft/tmp")"
    fresh
    echo '<a href=long.txt>long</a>' >"$www/index.html"
    spider --max-file 3M "http://127.0.0.1:${ports[0]}/" 1
    expect status 0
    expect_part stdout "1 saved"
    expect_part stdout "1 skipped"
    spider --max-file 4M "http://127.0.0.1:${ports[0]}/" 1
    expect status 0
    cmp -s "$www/long.txt" "$home/127.0.0.1:${ports[0]}/long.txt" || fail "it is not the same"

    it "keeps nothing of one that takes longer than --page-timeout"
    cp "$www/long.txt" "$www/slow.png" # four seconds
    fresh
    spider --page-timeout 700ms --retries 0 "http://127.0.0.1:${ports[0]}/slow.png" 0
    expect status 1
    expect_part stderr "slow.png: "
    [ "$(saved)" -eq 0 ] || fail "$(saved) files"
    [ -z "$(ls -A "$home/.weft/tmp")" ] || fail "leftovers: $(ls -A "$home/.weft/tmp")"

    it "fetches one again, from its beginning, that was cut off in the middle"
    fresh
    "$weft" spider -o "$home" "http://127.0.0.1:${ports[0]}/slow.png" 0 \
        >/dev/null 2>"$scratch/err" </dev/null &
    pid=$!
    # Where it can, it has no name yet.
    begun() { [ -n "$(find -L "/proc/$pid/fd" -type f -size +300k 2>/dev/null)" ]; }
    soon begun || fail "nothing came: $(ls -lL "/proc/$pid/fd")"
    kill -KILL "$nginx_pid"
    sed -i 's/limit_rate 1m;//' "$scratch/nginx/conf"
    nginx -p "$scratch/nginx" -c "$scratch/nginx/conf" >/dev/null 2>&1 </dev/null &
    others+=("$!")
    disown "$!"
    wait "$pid" || fail "status $?: $(<"$scratch/err")"
    cmp -s "$www/slow.png" "$home/127.0.0.1:${ports[0]}/slow.png" || fail "it is not the same"
fi

it "streams a large file: its bytes are right and are never all in memory"
site --pages 10 --big 50000000
fresh
"$weft" spider -q -o "$home" "$site/big.bin" 0 >/dev/null 2>"$scratch/err" </dev/null &
pid=$!
peak=0
while kill -0 "$pid" 2>/dev/null; do
    now=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$pid/status" 2>/dev/null)
    [ "${now:-0}" -le "$peak" ] || peak=$now
done
wait "$pid" || fail "status $?: $(<"$scratch/err")"
curl -sS "$site/big.bin" | cmp -s - "$home/$host/big.bin" || fail "big.bin is not the same"
if grep -qE '__(asan|tsan)_init' "$weft"; then
    echo "  (memory is not measured: the sanitizer's counts, too)"
else
    [ "$peak" -gt 0 ] || fail "its memory was not measured"
    [ "$peak" -lt 40000 ] || fail "$peak kB of memory"
fi

# ---- the disk ------------------------------------------------------------------------------------

it "stops when the disk is full, says so, and leaves nothing half-written"
if mount_small 6m; then
    rm -rf "$home"
    run timeout 60 "$weft" spider -o "$small/home" "$site/big.bin" 0
    expect status 5
    expect_part stderr "no space left"
    [ -z "$(tree "$small/home")" ] || fail "$(tree "$small/home")"
    [ -z "$(ls -A "$small/home/.weft/tmp")" ] || fail "$(ls -A "$small/home/.weft/tmp")"

    it "stops as well when it is the many small ones that fill it"
    site --no-extras --pages 3000
    run timeout 60 "$weft" spider -q -o "$small/many" "$site/" inf 4
    expect status 5
    expect_part stderr "no space left"
    files=$(tree "$small/many" | wc -l)
    [ "$files" -gt 100 ] || fail "$files files"
    cut=$(find "$small/many" -name '*.html' ! -size +1k | wc -l)
    [ "$cut" -eq 0 ] || fail "$cut files are cut off"

    it "goes on when there is room again"
    mount -o remount,size=64m "$small"
    before=$(total)
    run timeout 60 "$weft" spider -q -o "$small/many" "$site/" inf 4
    expect status 0
    [ "$(tree "$small/many" | wc -l)" -eq 3000 ] || fail "$(tree "$small/many" | wc -l) files"
    [ $(($(total) - before)) -le $((3000 - files + 100)) ] ||
        fail "$(($(total) - before)) requests for $((3000 - files)) files"

    it "says so when nothing can be written any more"
    mount -o remount,ro "$small"
    run timeout 60 "$weft" spider -o "$small/many" "$site/" inf 4
    expect status 5
    [ -n "$stderr" ] || fail "it says nothing"
    run timeout 60 "$weft" spider -o "$small/new/one" "$site/" inf 4
    expect status 5
    expect_part stderr "cannot make '$small/new/one'"
    unmount_small
fi

it "says so when it may not write into its folder"
site --no-extras --pages 10
if [ "$(id -u)" -eq 0 ]; then
    echo "  (root may: skipped)"
else
    fresh
    chmod 555 "$home"
    spider "$site/" 0
    expect status 5
    [ -n "$stderr" ] || fail "it says nothing"
    chmod 755 "$home"
fi

it "makes the folders that -o names"
fresh
run "$weft" spider -o "$home/a/b/c/" "$site/p/1.html" 0
expect status 0
[ -f "$home/a/b/c/$host/p/1.html" ] || fail "$(find "$home" -type f)"

it "says so when -o names a file"
: >"$home/file"
run "$weft" spider -o "$home/file" "$site/" 0
expect status 5
[ -n "$stderr" ] || fail "it says nothing"

it "follows no symbolic link out of its folder"
fresh
spider "$site/" 0
mkdir "$scratch/outside"
ln -s "$scratch/outside" "$home/$host/p"
spider "$site/" 1 4
expect status 3
expect_part stderr "cannot be saved as $host/p/1.html"
expect_file index.html
[ -z "$(ls -A "$scratch/outside")" ] || fail "it wrote $(ls "$scratch/outside")"

it "saves the rest when the link is gone"
rm "$home/$host/p"
spider "$site/" 1 4
expect status 0
expect_file p/1.html

it "writes through no link that has a page's name"
fresh
spider "$site/p/2.html" 0
echo mine >"$scratch/mine"
ln -s "$scratch/mine" "$home/$host/p/1.html"
spider "$site/p/1.html" 0
[ "$(<"$scratch/mine")" = mine ] || fail "it wrote to $scratch/mine"

it "counts as an error what cannot be saved because something is in its way"
fresh
mkdir -p "$home/$host/p/1.html" # a folder where a file should be
: >"$home/$host/p/1.html/keep"
spider "$site/" 1 4
expect status 3
expect_part stderr "cannot be saved as $host/p/1.html"
expect_file p/2.html
fresh
mkdir -p "$home/$host"
echo mine >"$home/$host/p" # a file where a folder should be
spider "$site/" 1 4
expect status 3
expect_file index.html
[ "$(<"$home/$host/p")" = mine ] || fail "it is overwritten"

# ---- what would it be? ---------------------------------------------------------------------------

it "lists with --list what it would save"
site --pages 20
fresh
spider --list "$site/" inf 4 --retries 1
LC_ALL=C sort "$scratch/.stdout" >"$scratch/listed"
[ -z "$(ls -A "$home")" ] || fail "it left $(ls -A "$home")"
spider -v "$site/" inf 4 --retries 1
sed -n 's,^saved *\([^ ]*\) as .*,\1,p' "$scratch/.stdout" | LC_ALL=C sort >"$scratch/fetched"
[ "$(wc -l <"$scratch/fetched")" -gt 50 ] || fail "only $(wc -l <"$scratch/fetched") were saved"
cmp -s "$scratch/listed" "$scratch/fetched" ||
    fail "it is not the same: $(diff "$scratch/listed" "$scratch/fetched")"
