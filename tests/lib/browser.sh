# shellcheck shell=bash disable=SC2034,SC2154  # variables are shared with the scripts and shell.sh
# For tests that look at a page with a real browser. Source it after shell.sh; where there is none, or what
# drives it cannot be had, it says so and the script is skipped.
#
#   browse SCRIPT.js ARGUMENT...    # node, with puppeteer-core; $status, $stdout, $stderr
#
# SCRIPT.js gets the browser's path as its first argument; browser/look.js is what such scripts share. What
# drives the browser is fetched once for all builds, and again only when another version is wanted.
cannot() {
    echo "$*: the page is not looked at"
    [ "$failures" -eq 0 ] || exit 1
    exit 77
}

browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome) ||
    cannot "there is no chromium"
command -v node >/dev/null || cannot "there is no node"
command -v npm >/dev/null || cannot "there is no npm"
driver=${XDG_CACHE_HOME:-${HOME:-/tmp}/.cache}/weft/browser

fetch_driver() {
    mkdir -p "$driver" && cd "$driver" && cp "$WEFT_SOURCE/tests/lib/browser/package.json" . &&
        npm install --no-audit --no-fund --no-package-lock --loglevel=error --fetch-retries=1
}
# One of several scripts at a time: the others find it there.
mkdir -p "$(dirname "$driver")"
(
    flock 9
    cmp -s "$WEFT_SOURCE/tests/lib/browser/package.json" "$driver/package.json" &&
        [ -d "$driver/node_modules" ] && exit 0
    (fetch_driver) >"$scratch/npm.log" 2>&1 && exit 0
    rm -f "$driver/package.json"
    exit 1
) 9>"$driver.lock" || cannot "npm has no puppeteer-core here ($(tail -n 1 "$scratch/npm.log"))"

browse() {
    local script=$1
    shift
    NODE_PATH=$driver/node_modules run timeout 160 node "$script" "$browser" "$@"
}
