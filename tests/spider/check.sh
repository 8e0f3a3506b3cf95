#!/usr/bin/env bash
# Links are checked, also those to other hosts, and nothing is saved.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/more.sh"
www=$scratch/www

www() {
    mkdir -p "$www/$(dirname "$1")"
    cat >"$www/$1"
}

# nginx is the site on its first port, and other hosts on the others.
nginx_config() {
    cat <<EOF
log_format asked '\$request_method \$request_uri \$status';
access_log $scratch/asked asked;
server { listen 127.0.0.1:${ports[0]}; root $www;
    location /old { return 302 /gone-for-good; }
    location = /self { return 302 /self; }
    location = /round { return 302 /about; }
    location = /about { return 302 /round; }
}
server { listen 127.0.0.1:${ports[1]}; root $www/other;
    location /no-head { if (\$request_method = HEAD) { return 405; } return 200 fine; }
    location /drops-head { if (\$request_method = HEAD) { return 444; } return 200 fine; }
    location /never { return 500; }
    location /robots.txt { return 404; }
}
EOF
}
www index.html <<EOF
<a href=a.html>a</a> <a href=/missing.html>b</a>
EOF
mkdir -p "$www/other"
if ! nginx_up; then
    exit 77
fi
other=http://127.0.0.1:${ports[1]} base=http://127.0.0.1:${ports[0]}
www index.html <<EOF
<a href=a.html>a</a> <a href=/missing.html>b</a> <a href=$other/fine.html>c</a> <a href=$other/no-head>d</a>
<a href=$other/broken.html>e</a> <img src=dot.png> <a href=/old>f</a> <a href=$other/drops-head>g</a>
EOF
www a.html <<EOF
<a href=/missing.html>again</a> <a href=$other/broken.html>again</a> <a href=deep.html>deeper</a>
EOF
www deep.html <<<"<a href=/deepest-missing.html>x</a> <a href=$other/never>y</a>"
www dot.png <<<x
www other/fine.html <<<'<a href=nowhere.html>of another host: not followed</a>'

it "tells what is broken, and on which pages"
cd "$scratch" || exit 1
mkdir here && cd here || exit 1
run "$weft" spider --check "$base/" inf 4
expect status 3
expect stdout "
$base/missing.html: 404 Not Found
    in $base/
    in $base/a.html

$other/broken.html: 404 Not Found
    in $base/
    in $base/a.html

$base/old: it leads to $base/gone-for-good: 404 Not Found
    in $base/

$base/deepest-missing.html: 404 Not Found
    in $base/deep.html

$other/never: 500 Internal Server Error
    in $base/deep.html

$(tail -n 1 <<<"$stdout")"
expect_part stdout "5 broken, linked to in 7 places"

it "saves nothing"
[ -z "$(ls -A .)" ] || fail "there is something: $(ls -A .)"

it "asks other hosts by HEAD, and by GET only if that is refused"
asked_how() {
    grep -cx "$1" "$scratch/asked"
}
[ "$(asked_how 'HEAD /fine.html 200')" = 1 ] || fail "fine.html was not asked for by HEAD"
[ "$(asked_how 'GET /fine.html 200')" = 0 ] || fail "fine.html was downloaded"
[ "$(asked_how 'HEAD /no-head 405')" = 1 ] || fail "no-head was not asked for by HEAD"
[ "$(asked_how 'GET /no-head 200')" = 1 ] || fail "no-head was not asked for by GET"
[ "$(asked_how 'HEAD /drops-head 444')" -ge 1 ] || fail "drops-head was not asked for by HEAD"
[ "$(asked_how 'GET /drops-head 200')" = 1 ] || fail "drops-head was not asked for by GET"
[ "$(asked_how 'HEAD /dot.png 200')" = 1 ] || fail "a picture was not asked for by HEAD"
grep -q nowhere "$scratch/asked" && fail "a page of another host was read"

it "checks what pages at the edge link to, and does not go there"
run "$weft" spider --check "$base/" 0 4
expect_part stdout "$base/missing.html: 404 Not Found"
[[ $stdout != *deepest* ]] || fail "it went too far"

it "tells of circles of redirects, and counts what it tells"
www index.html <<<"<a href=/self>self</a> <a href=/round>round</a> <a href=/missing.html>missing</a>"
run "$weft" spider --check "$base/" inf 1
expect status 3
expect stdout "
$base/self: it is redirected in a circle
    in $base/

$base/round: it leads to $base/about: it is redirected in a circle
    in $base/

$base/missing.html: 404 Not Found
    in $base/

$(tail -n 1 <<<"$stdout")"
expect_part stdout "3 broken, linked to in 3 places"
run "$weft" spider --check "$base/missing.html" inf 1
expect_part stdout "1 broken, linked to in 0 places"

it "asks by GET where a HEAD is told to come back later"
(
    . "$WEFT_SOURCE/tests/lib/pages.sh"
    pages
    links /busy.png /slow.png | page /
    page /busy.png 200 'Head-Status: 503' 'Content-Type: image/png' <<<x
    page /slow.png 200 'Head-Status: 429' 'Content-Type: image/png' <<<x
    run timeout 60 "$weft" spider --check "$site/" inf 2
    expect status 0
    [ "$(requests | grep -c '^GET /[bs].*png 200')" -eq 2 ] || fail "it has not asked by GET: $stderr"
    end_site
    exit "$failures"
) || failures=$((failures + $?))

it "asks nothing that is excluded, also where a redirect leads there"
(
    . "$WEFT_SOURCE/tests/lib/pages.sh"
    pages
    links /r /fine | page /
    page /r 302 'Location: /secret/logout' </dev/null
    page /fine <<<fine
    run timeout 60 "$weft" spider --check --exclude '/secret/' "$site/" inf
    expect status 0
    requests >"$scratch/asked_for"
    ! grep -q secret "$scratch/asked_for" || fail "it asked: $(<"$scratch/asked_for")"
    end_site
    exit "$failures"
) || failures=$((failures + $?))

it "asks by GET where a HEAD is sent elsewhere"
(
    . "$WEFT_SOURCE/tests/lib/pages.sh"
    pages
    links /r.png /moved.png | page /
    page /r.png 200 'Head-Status: 302' 'Content-Type: image/png' 'Location: /gone' <<<x
    page /moved.png 301 'Location: /there.png' </dev/null
    page /there.png 200 'Content-Type: image/png' <<<x
    run timeout 60 "$weft" spider --check "$site/" inf
    expect status 0
    expect_part stdout "0 broken, linked to in 0 places; 0 skipped, 1 moved"
    end_site
    exit "$failures"
) || failures=$((failures + $?))

it "says what an answer says that is no usual one, and counts what it passes over"
(
    . "$WEFT_SOURCE/tests/lib/pages.sh"
    pages
    {
        links /choice /odd 'http://h:99999/' mailto:me
        echo '<a rel=nofollow href=/one>x</a> <a rel=nofollow href=/two>x</a>'
    } | page /
    page /choice 300 <<<'one or the other'
    page /odd 999 <<<x
    run timeout 60 "$weft" spider --check "$site/" inf 1
    expect status 3
    told="
$site/choice: 300 Multiple Choices
    in $site/

$site/odd: 999
    in $site/

checked 3 URLs"
    [[ $stdout == "$told"* ]] || fail "it told: $stdout"
    expect_part stdout "
links passed over: 2, because of nofollow (--no-robots)
links passed over: 1, because they are no URLs"
    end_site
    exit "$failures"
) || failures=$((failures + $?))

it "is content if nothing is broken"
www index.html <<<"<a href=$other/fine.html>c</a>"
run "$weft" spider --check "$base/" inf 4
expect status 0
expect_part stdout "0 broken"

it "says what does not go together"
run "$weft" spider --check --list "$base/"
expect status 2
run "$weft" spider --check -k "$base/"
expect status 2
run "$weft" spider --check --warc "$scratch/x.warc" http://127.0.0.1:9/
expect status 2
expect_part stderr "--check, --list and --dry-run archive nothing"
run "$weft" spider --check --log-json - http://127.0.0.1:9/
expect status 2
expect_part stderr "no --verbose, --check, --list or --dry-run"
