#!/usr/bin/env bash
# What the libraries let out: in libweft*.so the public functions and nothing else, in libweft*.a
# no global name that does not begin with weft_, so that it collides with nobody's.
. "$WEFT_SOURCE/tests/lib/shell.sh"

# defined OPTION... FILE: the names of global symbols that are defined there.
defined() {
    nm --defined-only --extern-only "$@" | awk 'NF == 3 && $2 != "A" { print $3 }' | sort -u
}

for library in "$WEFT_BUILD"/libweft*.so; do
    it "exports only weft_ names from $(basename "$library")"
    defined --dynamic "$library" >"$scratch/exported"
    [ -s "$scratch/exported" ] || fail "it exports nothing at all"
    run grep -v '^weft_[a-z0-9]' "$scratch/exported"
    expect stdout ""

    it "exports what the headers declare from $(basename "$library"), and no more"
    run grep -hoE '^weft_[a-z0-9_]+' "$scratch/exported"
    for name in $stdout; do
        grep -rqw "$name" "$WEFT_SOURCE/include" || fail "$name is exported but in no header"
    done
done

for library in "$WEFT_BUILD"/libweft*.a; do
    [ "$(basename "$library")" != libweft-check.a ] || continue # the tests' own
    it "defines only weft_ names in $(basename "$library")"
    defined "$library" >"$scratch/defined"
    run grep -v '^weft_' "$scratch/defined"
    expect stdout ""
done
