#!/usr/bin/env bash
# A copy made with -p -k in a real browser, opened from the disk when the server is gone: every image, style,
# script and link of the demo site and of a real manual works.
# ctest: labels=browser timeout=240
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/browser.sh"
here=$WEFT_SOURCE/tests/spider/offline

count() {
    sed -n "s/^count $1 //p" <<<"$stdout"
}

# at_least NAME NUMBER
at_least() {
    [ "$(count "$1")" -ge "$2" ] 2>/dev/null || fail "$1: $(count "$1"), at least $2 were expected"
}

faults() {
    grep -v '^count ' <<<"$stdout"
}

it "makes a copy of the demo site that works without it"
site --quiet
fresh
spider -p -k "$site/" inf 8
end_site
browse "$here/look.js" "$home/$host/index.html"
expect status 0
[ -z "$(faults)" ] || fail "$(faults)"
at_least pages 400
at_least images 100
at_least styles 300

it "makes a copy that works of what has no name that says what it is"
. "$WEFT_SOURCE/tests/lib/pages.sh"
pages
page / <<<'<!doctype html><link rel=stylesheet href=/style><img src=/logo><a href=/notes>n</a><script src=/code></script>'
page /style 200 'Content-Type: text/css' <<<'@import "more"; body { background: url(logo) }'
page /more 200 'Content-Type: text/css' <<<'p { color: red }'
page /logo 200 'Content-Type: image/svg+xml' \
    <<<'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><rect width="9" height="9"/></svg>'
page /notes 200 'Content-Type: text/plain' <<<'<script>not run</script>'
page /code 200 'Content-Type: text/javascript' <<<'document.title = 1'
fresh
spider -p -k "$site/" inf 8
end_site
browse "$here/look.js" "$home/$host/index.html"
expect status 0
[ -z "$(faults)" ] || fail "$(faults)"
at_least images 1
at_least styles 1

manual=/usr/share/doc/cmake-data/html
it "makes a copy of a real manual that works without it"
if [ -f "$manual/index.html" ]; then
    # Its scripts are links to those of another package.
    "$weft" serve --quiet --port 0 --links all "$manual" >"$scratch/serve.out" 2>/dev/null &
    server=$!
    soon grep -q ' at http' "$scratch/serve.out"
    url=$(sed -n 's,^.* at \(http://.*\)/$,\1,p' "$scratch/serve.out")
    fresh
    spider -p -k --no-robots "$url/index.html" inf 8
    kill "$server"
    browse "$here/look.js" "$home/${url#http://}/index.html"
    expect status 0
    [ -z "$(faults)" ] || fail "$(faults | head -20)"
    at_least pages 1500
else
    echo "  (cmake-doc is not installed: skipped)"
fi
