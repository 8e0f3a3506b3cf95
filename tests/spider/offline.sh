#!/usr/bin/env bash
# Copies whose links work from the disk (-k): what each kind of link becomes, and that the way in which a copy
# came about does not show.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
. "$WEFT_SOURCE/tests/lib/more.sh"
site --quiet

# The last line of a file has a sign of its state: without it copies can be compared. Of two names that
# differ by case the one that is saved first is the plain one, unless -k was there from the beginning.
plain_tree() {
    (cd "$1" && find . -path ./.weft -prune -o -type f ! -iname 'case*' -print0 | LC_ALL=C sort -z |
        while IFS= read -r -d '' file; do
            echo "== $file"
            sed -E 's,(weft: taken from .*) \[[0-9a-f]{16}[ :#0-9]*\],\1,
                s,\.\./[Cc]ase(~[0-9a-f]*)?\.html,CASE,' "$file"
        done)
}

# same_copy WHAT: $home is what a fresh crawl makes.
same_copy() {
    plain_tree "$home" >"$scratch/tree"
    cmp -s "$scratch/tree" "$scratch/expected" ||
        fail "$1 makes another copy: $(diff -a "$scratch/expected" "$scratch/tree" | head -20)"
}

# holds FILE TEXT
holds() {
    grep -qF -- "$2" "$home/$1" || fail "$1 should hold: $2"$'\n'"$(head -c 2000 "$home/$1")"
}

fresh
spider -k "$site/" inf 4
plain_tree "$home" >"$scratch/expected"

it "leads from page to page, and to the network for what is not there"
holds "$host/index.html" 'href="kinds/index.html"'
holds "$host/index.html" 'href="#top"'
holds "$host/index.html" 'href="http://other.invalid/"'
holds "$host/kinds/index.html" "href=\"$site/missing.html\""

it "leaves a copy alone that is complete"
stamp=$scratch/stamp
touch "$stamp"
spider -k "$site/" inf 4
expect_part stdout "nothing to do"
[ -z "$(find "$home" -path "$home/.weft" -prune -o -type f -newer "$stamp" -print)" ] ||
    fail "files were written again"

it "makes the same copy in steps"
fresh
for nesting in 0 1 2 5 inf; do
    spider -k "$site/" "$nesting" 4
done
same_copy "a larger nesting each time"

it "makes the same copy of one that was made without -k"
fresh
spider "$site/" inf 4
spider -k "$site/" inf 4
same_copy "a later -k"

it "makes the same copy when it is killed"
fresh
for pages in 30 110 250 400; do
    "$weft" spider -q -k -o "$home" "$site/" inf 4 2>/dev/null &
    killed=$!
    until [ "$(find "$home" -name '*.html' | wc -l)" -ge $pages ] || ! kill -0 $killed 2>/dev/null; do
        :
    done
    kill -KILL "$killed" 2>/dev/null
    wait "$killed" 2>/dev/null
done
spider -k "$site/" inf 4
same_copy "being killed"

it "leads to the network again where a limit ended it"
fresh
spider -k --max-pages 20 "$site/" inf 4
links=0
while IFS=: read -r file link; do
    links=$((links + 1))
    link=${link#*\"}
    [ -f "$home/$host/$(dirname "$file")/${link%\"}" ] || fail "$file leads to $link, which is not there"
done < <(cd "$home/$host" && grep -roE 'href="[^"#:]+"' --include=*.html . | sed 's,%25,%,g')
[ "$links" -gt 10 ] || fail "there are only $links links between files"

www() {
    mkdir -p "$www/$(dirname "$1")"
    cat >"$www/$1"
}
nginx_config() {
    cat <<EOF
server { listen 127.0.0.1:${ports[0]}; root $www;
    location /app.php { default_type text/html; try_files /app.txt =404; types { } }
    location /old { return 302 /deep/page.html; }
    location /point { return 302 "/deep/page.html#end"; }
    location /script.js { default_type text/javascript; types { } }
    location /pic.php { default_type image/png; try_files /dot.png =404; types { } }
}
EOF
}
www index.html <<'EOF'
<!doctype html><base href="/deep/"><title>t</title>
<link rel=stylesheet href=/style.css integrity="sha384-abc" crossorigin="anonymous">
<script src='../script.js' crossorigin></script>
<a href=page.html>a</a> <a href="page.html#part">b</a> <a href='../app.php?x=1&amp;y=2'>c</a> <a href=/old>d</a>
<a href="/gone.html">e</a> <a href="?q=1">f</a> <a href="mailto:a@b">g</a> <a href="//other.invalid/x">h</a>
<img src=/dot.png srcset="/dot.png 1x, /big,dot.png 2x" style="background: url('/dot.png')"><img src=/pic.php>
<style>@import "/more.css"; p { background: url(/dot.png) }</style>
<form action=/search><input></form> <form method=post action='../send?a=1'><input></form>
<button formaction="/send?b">b</button> <a href=/point>i</a> <a href="/point#part">j</a>
EOF
www framed.html <<'EOF'
<base href=/deep/ target=_top><a href=page.html>a</a><img srcset="/,dot.png 2x">
EOF
www deep/page.html <<'EOF'
<meta http-equiv=refresh content="300; url='../'"><p id=part><a href="../">home</a> <a href=../framed.html>framed</a>
EOF
www app.txt <<<'<p><a href=/>home</a>'
www style.css <<<'body { background: url("dot.png") } @import url(more.css);'
www more.css <<<'p { color: red }'
www script.js <<<'1'
www search <<<'x'
printf '\211PNG' >"$www/dot.png"
cp "$www/dot.png" "$www/big,dot.png"
cp "$www/dot.png" "$www/,dot.png"
if nginx_up; then
    base=http://127.0.0.1:${ports[0]} folder=127.0.0.1:${ports[0]}
    fresh
    spider -k -K "$base/" inf 4
    it "writes every kind of link anew"
    holds "$folder/index.html" '<base href="">'
    holds "$folder/index.html" 'href=style.css data-integrity="sha384-abc" data-crossorigin="anonymous">'
    holds "$folder/index.html" "<script src='script.js' data-crossorigin></script>"
    holds "$folder/index.html" '<a href=deep/page.html>a</a> <a href="deep/page.html#part">b</a>'
    holds "$folder/index.html" "<a href='app@x=1,y=2.php.html'>c</a> <a href=deep/page.html>d</a>"
    holds "$folder/index.html" '<a href=deep/page.html#end>i</a> <a href="deep/page.html#part">j</a>'
    holds "$folder/index.html" "<a href=\"$base/gone.html\">e</a>"
    holds "$folder/index.html" '<a href="mailto:a@b">g</a> <a href="http://other.invalid/x">h</a>'
    holds "$folder/index.html" 'srcset="dot.png 1x, big,dot.png 2x" style="background: url('"'dot.png'"')"'
    holds "$folder/index.html" '<img src=pic.php.png>'
    holds "$folder/index.html" '@import "more.css"; p { background: url(dot.png) }'
    holds "$folder/index.html" "<form action=$base/search>"
    holds "$folder/index.html" "<form method=post action='$base/send?a=1'>"
    holds "$folder/index.html" "<button formaction=\"$base/send?b\">"
    ! grep -q /send "$scratch/nginx/access.log" || fail "a form was sent"
    holds "$folder/deep/page.html" "url='../index.html'"
    holds "$folder/deep/page.html" 'href="../index.html"'
    holds "$folder/style.css" 'url("dot.png") } @import url(more.css);'
    holds "$folder/app@x=1,y=2.php.html" 'href=index.html'
    holds "$folder/framed.html" '<base href="" target=_top><a href=deep/page.html>a</a><img srcset="%2Cdot.png 2x">'
    run "$weft" spider -o "$home" --why "$base/point"
    expect_part stdout "302, to $base/deep/page.html#end"
    it "keeps pages as they came"
    cmp -s "$home/$folder/index.html.orig" "$www/index.html" || fail "the original is not what came"
    cmp -s "$home/$folder/style.css.orig" "$www/style.css" || fail "the original style is not what came"
fi

it "says what does not go together"
run "$weft" spider -K http://127.0.0.1:9/
expect status 2
run "$weft" spider -k --list http://127.0.0.1:9/
expect status 2
