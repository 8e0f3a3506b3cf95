#!/usr/bin/env bash
# weft spider: pages and servers that are out of order, and moments that are inconvenient.
# ctest: timeout=120
# shellcheck disable=SC2034  # status, stdout and stderr are read by expect
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/more.sh"

site --pages 10

it "follows links in fields also when it goes deeper from the disk"
fresh
spider -q "$site/kinds/link-field.html" 0
spider -q "$site/kinds/refresh-field.html" 0
few=$(saved)
spider -q "$site/kinds/refresh-field.html" 1
expect status 0
expect_file leaf/refreshed-by-field.html
[ "$(saved)" -gt "$few" ] || fail "$(saved) files"

it "goes on when a saved page cannot be read any more, and fetches it the next time"
fresh
spider -q "$site/short/0" 0
mv "$home/$host/short/0.html" "$scratch/elsewhere.html"
ln -s "$scratch/elsewhere.html" "$home/$host/short/0.html"
spider -q "$site/short/0" 1
expect status 1
expect_part stderr "short/0.html"
rm "$home/$host/short/0.html"
spider -q "$site/short/0" 1
expect status 0
expect_file short/0.html
expect_file short/1.html

nginx_config() {
    cat <<END
log_format told '\$server_port \$uri \$http_x_secret';
server {
    listen 127.0.0.1:${ports[0]};
    root $www;
    location = /busy { return 503; }
    location = /broken { return 500; }
    location = /round { return 302 /about; }
    location = /about { return 302 /round; }
}
server {
    listen 127.0.0.1:${ports[1]};
    root $www;
    location = /robots.txt { return 302 http://localhost:${ports[2]}/rules; }
}
server {
    listen 127.0.0.1:${ports[2]};
    listen [::1]:${ports[2]};
    access_log $scratch/told told;
    root $www;
    location = /rules { return 302 /rules; }
}
END
}
nginx_up || exit
one=http://127.0.0.1:${ports[0]} two=http://127.0.0.1:${ports[1]}
for ((i = 0; i < 30; i++)); do
    echo "page $i" >"$www/$i.html"
    echo "<a href=$i.html>$i</a>"
done >"$www/list.html"
echo '<a href=/busy>busy</a> <a href=/list.html>list</a> <a href=/round>round</a>' >"$www/index.html"

it "is not held up by one page that is always busy"
fresh
begun=$SECONDS
spider "$one/" 2 2 --retries 0
expect status 3
expect_part stderr "/busy: 503"
[ "$(saved)" -eq 32 ] || fail "$(saved) files"
[ $((SECONDS - begun)) -lt 20 ] || fail "it took $((SECONDS - begun)) s"

it "finds a circle of redirects"
expect_part stderr "it is redirected in a circle"

it "stops at Ctrl-C while a page is to be tried again"
fresh
"$weft" spider -q -o "$home" "$one/broken" 0 1 --retries 20 >/dev/null 2>"$scratch/err" </dev/null &
pid=$!
asked_once() { grep -q broken "$scratch/nginx/access.log"; }
soon asked_once
kill -INT "$pid"
begun=$SECONDS status=0
wait "$pid" || status=$?
expect status 4
[ $((SECONDS - begun)) -lt 5 ] || fail "it took $((SECONDS - begun)) s"

it "takes a robots.txt that leads nowhere for none, and tells no secrets on the way"
fresh
spider -q "$two/1.html" 0 -H 'X-Secret: tell-nobody'
expect status 0
told() { grep -q rules "$scratch/told"; }
soon told
! grep -q tell-nobody "$scratch/told" || fail "$(<"$scratch/told")"
