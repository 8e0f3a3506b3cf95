#!/usr/bin/env bash
# README.md shows what commands print about this source tree: they are run, and print just that.
. "$WEFT_SOURCE/tests/lib/shell.sh"
cd "$WEFT_SOURCE" || exit 1
export PATH=$WEFT_BUILD:$PATH

# shown COMMAND: what stands below it, up to the next one or the end of the block.
shown() {
    awk -v command="\$ $1" '/^(\$ |```)/ { here = $0 == command; next } here' README.md
}

# Others are about places that are different on each machine.
mapfile -t commands < <(sed -nE 's/^\$ (weft (list|find) .* include(\/weft)?( .*)?)$/\1/p' README.md)
it "shows some"
[ "${#commands[@]}" -ge 2 ] || fail "there are ${#commands[@]}"

for command in "${commands[@]}"; do
    it "shows what comes of $command"
    run bash -c "$command"
    expect stderr ""
    expect stdout "$(shown "$command")"
done
