#!/usr/bin/env bash
# weft spider: commands by chance, in the same folder, some of them killed. Whatever they were, in the
# end the last command has all that it would have had in an empty folder. WEFT_ROUNDS: how often (4).
# ctest: timeout=300
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
rounds=${WEFT_ROUNDS:-4}
seed=${WEFT_SEED:-$$}
RANDOM=$seed
echo "WEFT_SEED=$seed"
declare -A whole

# Which of two names that differ only by case gets the plain one depends on the order.
tree() {
    (cd "$home" && find . -name .weft -prune -o -type f ! -iname 'case*' -exec sha256sum {} +) |
        LC_ALL=C sort
}

# pick WORD...: $picked is one of them.
pick() {
    shift $((RANDOM % $#))
    picked=$1
}

# One command, by chance; it stands in $history then.
any_run() {
    local words=(--retries 1)
    pick '' '' --no-robots --scope=path --exclude=/kinds/ '--include=/chapter/*' --max-file=2k -p
    [ -z "$picked" ] || words+=("$picked")
    pick '' '' "--max-pages=$((RANDOM % 150 + 1))"
    [ -z "$picked" ] || words+=("$picked")
    pick / / / /chapter/1/ /redirect/301 /kinds/
    words+=("$site$picked")
    pick 0 1 2 3 inf
    words+=("$picked" 4)
    pick '' '' "0.0$((RANDOM % 10))"
    history+="${words[*]}${picked:+ (killed after $picked s)}"$'\n'
    "$weft" spider -q -o "$home" "${words[@]}" >/dev/null 2>&1 </dev/null &
    if [ -n "$picked" ]; then
        sleep "$picked"
        kill -KILL $! 2>/dev/null
    fi
    wait $! 2>/dev/null
    [ $? -ne 2 ] || fail "that makes no sense: $history"
}

site --pages 30 --seed 3
for nesting in 0 1 2 3 inf; do
    fresh
    spider -q "$site/" "$nesting" 8
    whole[$nesting]=$(tree)
done
[ "$(wc -l <<<"${whole[inf]}")" -gt 100 ] || fail "the site is small: ${whole[inf]}"

for ((round = 1; round <= rounds; round++)); do
    it "has everything in the end, whatever was before ($round)"
    fresh
    history=
    for ((runs = RANDOM % 6 + 1; runs > 0; runs--)); do
        any_run
    done
    pick 0 1 2 3 inf
    spider -q "$site/" "$picked" 8
    missing=$(comm -23 <(echo "${whole[$picked]}") <(tree) | cut -d ' ' -f 3-)
    [ -z "$missing" ] || fail "not there with a nesting of $picked: $missing"$'\n'"  after: $history"
done
