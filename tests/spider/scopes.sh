#!/usr/bin/env bash
# weft spider: what belongs to a crawl, and who is told what.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/more.sh"

# The files of $host, in a line.
files() {
    (cd "$home/$host" 2>/dev/null && find . -type f | sed 's,^\./,,' | LC_ALL=C sort | tr '\n' ' ')
}

expect_files() {
    [ "$(files)" = "$1 " ] || fail "there should be: $1"$'\n'"  but there is: $(files)"
}

# ---- patterns ------------------------------------------------------------------------------------

site --no-extras --pages 30

it "fetches only what is like an --include, and the start URL"
fresh
spider --include '/p/1*' "$site/" inf 4
expect status 0
[ "$(saved)" -gt 8 ] || fail "$(files)"
rest=$(files | tr ' ' '\n' | grep -v '^p/1[0-9]*\.html$' | tr -d '\n')
[ "$rest" = index.html ] || fail "$(files)"
fresh
spider --include-regex '/p/[123]\.html$' "$site/" inf 4
expect_files "index.html p/1.html p/2.html p/3.html"

it "takes a glob for the end of a path, or with a star in front for the whole URL"
fresh
spider --include '4.html' "$site/" 1 4
expect_files "index.html p/4.html"
fresh
spider --include '*:*/p/5.*' "$site/" 1 4
expect_files "index.html p/5.html"

it "fetches nothing that is like an --exclude, even if it is included"
fresh
spider --include-regex '/p/[1234]\.html' --exclude '/p/2.*' "$site/" 1 4
expect status 0
expect_files "index.html p/1.html p/3.html p/4.html"
fresh
spider --exclude-regex '/p/[^3]' "$site/" 1 4
expect_files "index.html p/3.html"

it "honours other rules when it goes on: what was left out is fetched, nothing twice"
before=$(total)
spider "$site/" 1 4
expect status 0
expect_file p/1.html
[ $(($(total) - before)) -eq $(($(saved) - 2)) ] ||
    fail "$(($(total) - before)) requests for $(($(saved) - 2)) pages"

it "honours them for what waits from the last time, too"
fresh
spider --max-pages 1 "$site/" inf 1
before=$(total)
spider --exclude '/p/' "$site/" inf 4
expect status 0
expect_files index.html
[ "$(total)" -eq "$before" ] || fail "$(($(total) - before)) requests"
spider "$site/" inf 4
expect status 0
[ "$(saved)" -eq 30 ] || fail "$(saved) files"

it "stays below the folder of the start URL with --scope path"
site --pages 60
fresh
spider --scope path "$site/chapter/2/" inf 4
expect status 0
[ "$(saved)" -gt 10 ] || fail "$(saved) files"
outside=$(stats | awk 'NR > 1 { print $2 }' | grep -vE '^/(chapter/2/|robots\.txt|image/|static/)')
[ -z "$outside" ] || fail "it asked for $outside"

# ---- hosts ---------------------------------------------------------------------------------------

# What a server was told: port, path, host, then what may be a secret.
nginx_config() {
    cat <<CONFIG
log_format told '\$server_port \$uri [\$host] [\$http_authorization] [\$http_x_secret] '
    '[\$http_cookie] [\$http_user_agent]';
access_log $scratch/told told;
server {
    listen 127.0.0.1:${ports[0]};
    root $www/one;
    location = /go { return 301 http://127.0.0.1:${ports[1]}/; }
    location = /twice { return 302 /go; }
    location = /cookie { add_header Set-Cookie "taste=sweet; Path=/; Max-Age=1000"; }
}
server { listen 127.0.0.1:${ports[1]}; root $www/two; }
server { listen 127.0.0.1:${ports[2]}; location / { proxy_pass http://127.0.0.1:${ports[0]}; } }
CONFIG
}
nginx_up || exit
one=http://127.0.0.1:${ports[0]} two=http://127.0.0.1:${ports[1]} proxy=http://127.0.0.1:${ports[2]}
mkdir "$www/one" "$www/two"
echo "<a href=1.html>1</a> <a href=$two/page.html>2</a> <img src=$two/picture.png>
<link rel=stylesheet href=$two/style.css>" >"$www/one/index.html"
echo '<a href=/>0</a>' >"$www/one/1.html"
echo '<a href=/1.html>1</a>' >"$www/one/cookie"
echo '<a href=page.html>2</a> <a href=more.html>3</a>' >"$www/two/index.html"
echo '<a href=deep.html>4</a>' >"$www/two/more.html"
for name in picture.png shade.png page.html deep.html; do
    echo "$name" >"$www/two/$name"
done
echo 'p { background: url(shade.png) }' >"$www/two/style.css"

# A crawl whose requests are looked at.
told() {
    : >"$scratch/told"
    spider "$@"
}

# expect_told PORT PATH [TEXT]: it was asked for that, and told that. The line may come a bit later.
expect_told() {
    soon grep -qF "$1 $2 " "$scratch/told" || fail "nobody asked ${1} for $2"
    [ -z "${3:-}" ] || grep -F "$1 $2 " "$scratch/told" | grep -qF -- "$3" ||
        fail "$2 was not told $3: $(grep -F "$1 $2 " "$scratch/told")"
}

# expect_untold PORT TEXT: nobody told it that.
expect_untold() {
    ! grep "^$1 " "$scratch/told" | grep -F -- "$2" || fail "it was told to the wrong one"
}

it "stays on the host of the start URL; another port is another host"
fresh
told "$one/" inf 2
expect status 0
[ "$(saved)" -eq 2 ] || fail "$(find "$home" -type f)"
expect_untold "${ports[1]}" ""

it "goes on with a larger scope: only what is new is fetched"
told --scope hosts --host "${two#http://}" "$one/" inf 2
expect status 0
expect_told "${ports[1]}" /page.html
[ "$(saved)" -eq 6 ] || fail "$(find "$home" -type f)"
expect_untold "${ports[0]}" ".html"

it "fetches with -p what a page is shown with from other hosts, but no pages there"
fresh
told -p "$one/" inf 2
expect status 0
expect_told "${ports[1]}" /picture.png
expect_told "${ports[1]}" /shade.png
expect_untold "${ports[1]}" /page.html
[ "$(saved)" -eq 5 ] || fail "$(find "$home" -type f)"

for start in go twice; do
    it "moves with a start URL that is redirected to another host ($start)"
    fresh
    host=${two#http://}
    told --max-pages 1 "$one/$start" inf 2
    expect status 0
    expect_files index.html

    it "stays there when it goes on"
    told "$one/$start" inf 2
    expect status 0
    expect_files "deep.html index.html more.html page.html"
done

# ---- secrets -------------------------------------------------------------------------------------

basic="[Basic $(printf me:word | base64)] [known]"
echo word >"$scratch/word"

it "tells passwords and fields to the hosts of the scope, and to no other"
fresh
told -p --user me --password word -H 'X-Secret: known' "$one/" inf 2
expect status 0
expect_told "${ports[0]}" /1.html "$basic"
expect_told "${ports[1]}" /shade.png
expect_untold "${ports[1]}" Basic
expect_untold "${ports[1]}" known
fresh
told --scope hosts --host "${two#http://}" --user me --password-file "$scratch/word" \
    -H 'X-Secret: known' "$one/" inf 2
expect_told "${ports[0]}" /1.html "$basic"
expect_told "${ports[1]}" /page.html "$basic"

it "does not take them along to where it is redirected"
fresh
told --user me --password word -H 'X-Secret: known' "$one/twice" inf 2
expect status 0
expect_told "${ports[0]}" /go "$basic"
expect_told "${ports[1]}" /more.html
expect_untold "${ports[1]}" Basic
expect_untold "${ports[1]}" known

it "takes names and passwords from a file, by host"
echo "machine 127.0.0.1 login me password word" >"$scratch/netrc"
fresh
told --netrc "$scratch/netrc" "$one/" inf 2
expect status 0
expect_told "${ports[0]}" /1.html "${basic%% \[*}"
echo "machine elsewhere.invalid login me password word" >"$scratch/netrc"
fresh
told --netrc "$scratch/netrc" "$one/" inf 2
expect status 0
expect_told "${ports[0]}" /1.html
expect_untold "${ports[0]}" Basic

it "keeps cookies only if it is told to, in a file for the next time"
fresh
told "$one/cookie" 1 1
expect_told "${ports[0]}" /1.html
expect_untold "${ports[0]}" taste
fresh
told --cookies "$one/cookie" 1 1
expect_told "${ports[0]}" /1.html "[taste=sweet]"
fresh
told --cookie-file "$scratch/cookies" "$one/cookie" 0 1
fresh
told --cookie-file "$scratch/cookies" "$one/1.html" 0 1
expect_told "${ports[0]}" /1.html "[taste=sweet]"

it "asks under the name that it is given, also robots.txt"
fresh
printf 'User-agent: stranger\nDisallow: /1.html\n' >"$www/one/robots.txt"
told -U 'stranger/2 (here)' "$one/" inf 2
expect_told "${ports[0]}" /robots.txt "[stranger/2 (here)]"
expect_told "${ports[0]}" /index.html "[stranger/2 (here)]"
expect_untold "${ports[0]}" /1.html
rm "$www/one/robots.txt"

it "asks through a proxy, but not for the hosts of --no-proxy"
fresh
told --proxy "$proxy" http://far.invalid/ inf 2
expect status 0
expect_told "${ports[2]}" /1.html "[far.invalid]"
host=far.invalid
expect_files "1.html index.html"
fresh
told --proxy "$proxy" --no-proxy 127.0.0.1 "$one/" inf 2
expect status 0
expect_told "${ports[0]}" /1.html
expect_untold "${ports[2]}" ""

# ---- http and https ------------------------------------------------------------------------------

it "takes http and https of a host for one, but a password only to https if it began there"
address=127.$((RANDOM % 250 + 1)).$((RANDOM % 250 + 1)).$((RANDOM % 250 + 1))
nginx_config() {
    cat <<CONFIG
log_format told '\$server_port \$uri [\$http_authorization]';
access_log $scratch/told told;
ssl_certificate $scratch/leaf.pem; ssl_certificate_key $scratch/leaf.key;
server { listen $address:80; root $www/plain; }
server { listen $address:443 ssl; root $www/secure; }
CONFIG
}
certificates() {
    openssl ecparam -name prime256v1 -genkey -noout -out "$scratch/$1.key" 2>/dev/null
    openssl req -x509 -new -key "$scratch/$1.key" -subj "/CN=$1" -days 30 -out "$scratch/$1.pem" \
        -addext "subjectAltName=IP:$address" 2>/dev/null
}
certificates leaf
if ! nginx_try; then
    echo "  (nobody can listen on port 80 and 443 here: skipped)"
    exit
fi
mkdir "$www/plain" "$www/secure"
echo "<a href=https://$address/s.html>secure</a>" | tee "$www/plain/index.html" >"$www/plain/p.html"
echo "<a href=http://$address/p.html>plain</a>" | tee "$www/secure/index.html" >"$www/secure/s.html"
host=$address
fresh
told --ca-file "$scratch/leaf.pem" --user me --password word "http://$address/" inf 2
expect status 0
expect_files "index.html p.html s.html"
expect_told 80 /p.html "[Basic"
expect_told 443 /s.html "[Basic"
fresh
told --ca-file "$scratch/leaf.pem" --user me --password word "https://$address/" inf 2
expect status 0
expect_files "index.html p.html s.html"
expect_told 443 /s.html "[Basic"
expect_told 80 /p.html "[-]"

it "does not trust everybody"
fresh
told "https://$address/" inf 2
expect status 1
expect_part stderr "https://$address/: "
told --insecure "https://$address/" 0 2
expect status 0
