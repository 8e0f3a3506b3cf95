#!/usr/bin/env bash
# Who links to whom, as weft spider keeps it for --report: everybody, whether the link was followed
# before, is too far away to be followed, or was found before anybody wanted to know.
# ctest: timeout=60
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
www=$scratch/www
mkdir -p "$www/deep"
for page in 1 2 3; do
    printf '<a href="gone.html">x</a><a href="/">up</a><a href="gone.html#again">x</a>' >"$www/$page.html"
done
printf '<a href="1.html">1</a><a href="2.html">2</a><a href="3.html">3</a><a href="deep/">d</a>' >"$www/index.html"
printf '<a href="../gone.html">x</a><a href="far.html">y</a>' >"$www/deep/index.html"

: >"$scratch/serve.out"
"$weft" serve -q --port 0 "$www" >"$scratch/serve.out" 2>&1 </dev/null &
site_pid=$!
soon grep -q 'http://' "$scratch/serve.out"
site=$(grep -o 'http://[^ /]*' "$scratch/serve.out" | head -n 1)
[ -n "$site" ] || fail "no server: $(<"$scratch/serve.out")"

# Everybody who links to gone.html, by their paths.
holders() {
    run "$weft" spider -o "$home" --why "$site/gone.html"
    sed -n "s|^  [a-z ]*on $site\(/[^ ,][^ ,]*\).*|\1|p" <<<"$stdout" | sort | tr '\n' ' '
}
all='/1.html /2.html /3.html /deep/ '

it "knows all pages that have a link, and each once"
fresh
spider -q --report "$scratch/page.html" "$site/" inf 2
expect status 3
[ "$(holders)" = "$all" ] || fail "$(holders)"
grep -q '"broken":{"links":5,"more":false' "$scratch/page.html" || fail "$(grep -o '"broken".*' "$scratch/page.html")"

it "knows those whose links are too far away to be followed"
fresh
spider -q --report "$scratch/page.html" "$site/1.html" "$site/" 1 1
expect status 3
[ "$(holders)" = "$all" ] || fail "$(holders)"

it "finds them out afterwards, from the disk, and keeps them from then on without being asked"
fresh
rm "$www/3.html"
spider -q "$site/" inf 2
[ "$(holders | wc -w)" -eq 1 ] || fail "$(holders)"
printf '<a href="gone.html">x</a>' >"$www/3.html"
rm -r "$home"
mkdir "$home"
spider -q --exclude '*/3.html' "$site/" inf 2
spider -q --exclude '*/3.html' --report "$scratch/page.html" "$site/" inf 2
[ "$(holders)" = "/1.html /2.html /deep/ " ] || fail "$(holders)"
spider -q "$site/" inf 2
[ "$(holders)" = "$all" ] || fail "$(holders)"

it "survives half a pair"
printf 'abc' >>"$home/.weft/edges"
[ "$(holders)" = "$all" ] || fail "$(holders)"
end_site
