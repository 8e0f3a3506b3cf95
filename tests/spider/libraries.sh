#!/usr/bin/env bash
# What weft has to have loaded: libcurl and ICU come with dozens of libraries, so that a crawl which
# needs neither has neither.
# ctest: timeout=120
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
# The loader's own words, one file a process.
export LD_DEBUG=files LD_DEBUG_OUTPUT=$scratch/loaded

# loaded COMMAND...: runs it, and leaves the names of the libraries in $libraries.
loaded() {
    rm -f "$scratch"/loaded.*
    run "$@"
    libraries=$(sed -n 's/.*calling init: //p' "$scratch"/loaded.* | sort -u)
    [[ $libraries == *libuv* ]] || fail "the loader does not say what it loads: $libraries"
}

# Neither libcurl nor ICU, nor what comes with them.
expect_little() {
    [[ $libraries != *libcurl* && $libraries != *libicu* && $libraries != *libssl* ]] ||
        fail "loaded were: $libraries"
}

it "says which version it is without libcurl and ICU"
loaded "$WEFT_BUILD/weft" --version
expect status 0
expect_little

LD_DEBUG='' site --pages 60
fresh

it "crawls a site by plain HTTP without them"
loaded timeout 60 "$weft" spider -q -o "$home" "$site/" inf 8
expect status 3 # some pages are missing, as always
expect_file index.html
expect_little

it "has libcurl for what is not plain"
loaded timeout 60 "$weft" spider -q -o "$scratch/cookies" --cookies "$site/" 1
[[ $libraries == *libcurl* ]] || fail "loaded were: $libraries"

it "has ICU for a host outside ASCII"
loaded timeout 60 "$weft" spider -q -o "$scratch/host" --retries 0 "http://bücher.invalid/"
[[ $libraries == *libicuuc* ]] || fail "loaded were: $libraries"

# A machine that has neither: nothing can be loaded any more once the program has begun.
unset LD_DEBUG LD_DEBUG_OUTPUT
echo 'void *dlopen(const char *name, int mode) { return name != 0 && mode < 0 ? &mode : 0; }' |
    "${CC:-cc}" -w -shared -fPIC -x c - -o "$scratch/nothing.so"
without() {
    run env LD_PRELOAD="$scratch/nothing.so" \
        ASAN_OPTIONS="${ASAN_OPTIONS:-}:verify_asan_link_order=0" timeout 60 "$@"
}

it "crawls a site by plain HTTP where there is neither"
without "$weft" spider -q -o "$scratch/plain" "$site/" 1
expect status 0
[ -f "$scratch/plain/$host/index.html" ] || fail "there is no index.html"

it "says that libcurl is missing"
without "$weft" spider -q -o "$scratch/secure" "https://127.0.0.1:1/" 1
expect status 1
expect_part stderr "needs libcurl, which cannot be loaded (libcurl.so.4"

it "says that ICU is missing"
without "$weft" spider -q -o "$scratch/named" "http://bücher.invalid/"
expect status 2
expect_part stderr "ICU is not there for a host outside ASCII"
