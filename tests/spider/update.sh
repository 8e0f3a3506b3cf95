#!/usr/bin/env bash
# A crawl that is looked at again: what is new, changed or gone is told, and nothing else is downloaded.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
www=$scratch/www
mkdir -p "$www"

link_page() {
    local target
    for target in "$@"; do
        echo "<a href=$target>$target</a>"
    done
}
many=()
for i in $(seq 40); do
    many+=("p$i.html")
    echo "page $i" >"$www/p$i.html"
done
link_page "${many[@]}" style.css >"$www/index.html"
echo 'p { color: red }' >"$www/style.css"

serve() {
    : >"$scratch/log"
    : >"$scratch/serve.out"
    "$weft" serve --quiet --log "$scratch/log" --port "${port:-0}" "$www" >>"$scratch/serve.out" 2>/dev/null &
    server=$!
    soon grep -q ' at http' "$scratch/serve.out"
    url=$(sed -n 's,^.* at \(http://.*\)/$,\1,p' "$scratch/serve.out")
    port=${url##*:}
}
unserve() {
    kill "$server" 2>/dev/null
    wait "$server" 2>/dev/null
}
finish_update() {
    unserve
    finish_site
}
trap finish_update EXIT

# answers STATUS: how often it was given since serve; the server is over then, and has written its log.
answers() {
    unserve
    asked=$(grep -c "\" $1 " "$scratch/log")
}

inodes() {
    (cd "$home" && find . -path ./.weft -prune -o -type f -printf '%i %T@ %p\n' | sort)
}

serve
fresh
spider "$url/" inf 4
inodes >"$scratch/before"

# What the log of the last run says of each URL: "event update url", sorted; and it is as it is described.
log=$scratch/log.jsonl
told() {
    python3 "$WEFT_SOURCE/tests/spider/log/check.py" "$WEFT_SOURCE/docs/spider-log.md" "$log" >"$scratch/checked" ||
        fail "$(grep -v ' [0-9]*$' "$scratch/checked" | head -n 5)"
    sed -nE 's/^\{"event":"(saved|same|failed|there)".*"url":"([^"]*)".*/\1 \2 &/p' "$log" |
        sed -E 's/ \{.*"update":"([^"]*)".*/ \1/; s/ \{.*//' | sort
    rm "$log"
}

it "downloads nothing if nothing has changed"
unserve
serve
spider --update --log-json "$log" "$url/" inf 4
expect status 0
expect_part stdout "already there: "
[ "$(told | grep -c '^same ')" -eq 42 ] || fail "the log does not say so"
expect_part stdout "updated: 0 new, 0 changed, 0 gone, 42 the same"
inodes | cmp -s - "$scratch/before" || fail "files were written"
answers 304
[ "$asked" -eq 42 ] || fail "$asked of 42 were asked for with what is known of them"

it "counts what has not changed in its table, and as pages a second"
serve
spider --update --progress plain "$url/" inf 4
expect status 0
[[ $stderr =~ the\ same\ +42 ]] || fail "$stderr"
[[ $stderr =~ in\ .*:\ [0-9.]*[1-9][0-9.]*\ pages/s ]] || fail "$stderr"
unserve

it "tells what is new, what has changed and what is gone"
link_page "${many[@]}" style.css new.html >"$www/index.html"
echo fresh >"$www/new.html"
echo 'another page 7' >"$www/p7.html"
rm "$www/p9.html"
serve
spider --update --log-json "$log" --report "$scratch/report.html" "$url/" inf 4
expect status 3
expect_part stdout "downloaded: "
[ "$(told | grep -v ^same)" = "failed $url/p9.html gone
saved $url/ changed
saved $url/new.html new
saved $url/p7.html changed" ] || fail "the log says something else"
expect_part stdout "changed  $url/"
expect_part stdout "changed  $url/p7.html"
expect_part stdout "new      $url/new.html"
expect_part stdout "gone     $url/p9.html"
expect_part stdout "updated: 1 new, 2 changed, 1 gone, 39 the same"
[ "$(<"$home/${url#http://}/p7.html")" = 'another page 7' ] || fail "the change is not there"
[ -f "$home/${url#http://}/p9.html" ] || fail "what is gone was removed"

it "takes back what is there again"
echo 'page 9' >"$www/p9.html"
unserve
serve
spider --update "$url/" inf 4
expect status 0
expect_part stdout "new      $url/p9.html"

it "keeps what cannot be had for now"
unserve
spider --update --retries 0 --log-json "$log" "$url/" inf 4
[ "$status" -ne 0 ] || fail "it should not be content"
[ "$(told | cut -d ' ' -f 1 | uniq)" = failed ] || fail "the log says something else"
serve
spider "$url/" inf 4
expect_part stdout "nothing to do: 43 pages are there already"

it "asks for what was taken over from the disk, too"
rm -r "$home/.weft"
unserve
serve
spider "$url/" inf 4
expect_part stdout "43 were there"
spider --update --log-json "$log" "$url/" inf 4
expect_part stdout "updated: 0 new, 0 changed, 0 gone, 43 the same"
[ "$(told | grep -c '^same ')" -eq 43 ] || fail "the log does not say so"
answers 304
[ "$asked" -ge 40 ] || fail "$asked of 43 were asked for by the dates of their files"
echo 'one more page 7' >"$www/p7.html"
touch -d '1 day ago' "$home/${url#http://}/p7.html" # dates are exact to the second
serve
spider --update "$url/" inf 4
expect_part stdout "changed  $url/p7.html"
expect_part stdout "updated: 0 new, 1 changed, 0 gone, 42 the same"

it "goes on with an update that was killed"
unserve
serve
"$weft" spider -q --update --delay 20ms --polite -o "$home" "$url/" inf 1 >/dev/null 2>&1 &
killed=$!
soon test "$(wc -l <"$scratch/log")" -ge 0
until [ "$(wc -l <"$scratch/log")" -ge 15 ]; do :; done
kill -KILL "$killed"
wait "$killed" 2>/dev/null
spider --update "$url/" inf 4
expect status 0
answers 304
[ "$asked" -le 50 ] || fail "it began anew: $asked questions for 43 pages"

it "knows what has not changed also if the server does not say it"
cat >"$scratch/silent.py" <<'EOF'
import http.server, os, sys
class Silent(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'
    def do_GET(self):
        path = self.path if self.path != '/' else '/index.html'
        try:
            body = open(sys.argv[1] + path, 'rb').read()
        except OSError:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header('Content-Type', 'text/css' if path.endswith('.css') else 'text/html')
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
    def log_message(self, *args):
        pass
server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Silent)
print('silence at http://127.0.0.1:%d/' % server.server_port, flush=True)
server.serve_forever()
EOF
python3 "$scratch/silent.py" "$www" >"$scratch/silent.out" &
server=$!
soon grep -q ' at http' "$scratch/silent.out"
url=$(sed -n 's,^.* at \(http://.*\)/$,\1,p' "$scratch/silent.out")
fresh
spider -k "$url/" inf 4
inodes >"$scratch/before"
spider -k --update "$url/" inf 4
expect_part stdout "updated: 0 new, 0 changed, 0 gone, 43 the same"
inodes | cmp -s - "$scratch/before" || fail "files were written"

it "leads to the file of what is gone in a copy that works from the disk, for good"
rm "$www/p3.html"
for time in 1 2; do
    spider -k --update "$url/" inf 4
    expect_part stdout "$((2 - time)) gone, "
    grep -q "href=p3.html" "$home/${url#http://}/index.html" || fail "the link is not as it was"
    [ -f "$home/${url#http://}/p3.html" ] || fail "the file is gone, too"
done
rm "$home/${url#http://}/p3.html"
spider -k --update "$url/" inf 4
grep -q "href=$url/p3.html" "$home/${url#http://}/index.html" || fail "the link leads to nothing"

it "knows who links to what now, not who once did"
link_page broken.html >"$www/p1.html"
link_page broken.html >"$www/p2.html"
fresh
spider --report "$scratch/report.html" "$url/" inf 4
grep -q '^,"broken":.*/broken\.html",404.*/p1\.html' "$scratch/report.html" || fail "the report does not know of the link"
run "$weft" spider -o "$home" --why "$url/broken.html"
expect_part stdout "on $url/p1.html"
expect_part stdout "on $url/p2.html"
expect_part stdout "also"
echo 'page 1' >"$www/p1.html"
rm "$www/p2.html"
spider --update --report "$scratch/report.html" "$url/" inf 4
expect_part stdout "gone     $url/p2.html"
run "$weft" spider -o "$home" --why "$url/broken.html"
[[ $stdout != *also* ]] || fail "somebody still links to it: $stdout"
grep -q '^,"broken":.*/p3\.html",404' "$scratch/report.html" || fail "the report knows nothing that is broken"
! grep -q '^,"broken":.*/broken\.html' "$scratch/report.html" || fail "the report tells of links that are gone"
