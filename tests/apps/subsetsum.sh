#!/usr/bin/env bash
# weft subsetsum solve and count: from options, files and standard input, and what is refused.
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
seventeen='[116,119,101,101,-116,109,101,-105,-102,117,-115,-97,119,-116,-104,-105,115]'

it "prints the subsets of the books"
run "$weft" subsetsum solve --data '[1,2,-4,5,-3]' --sum 0
expect status 0
expect stdout $'[1,2,-3]\n[2,-4,5,-3]'

it "finds and counts the 507 of the seventeen, by every method"
for method in auto gray meet schroeppel; do
    run "$weft" subsetsum solve --data "$seventeen" --sum 0 --method "$method"
    expect status 0
    [ "$(wc -l <<<"$stdout")" -eq 507 ] || fail "not 507 lines"
    sort <<<"$stdout" >"$scratch/$method"
    cmp "$scratch/auto" "$scratch/$method" || fail "$method has found others"
done
run "$weft" subsetsum count --data "$seventeen" --sum 0
expect stdout 507

it "stops after the first ones"
run "$weft" subsetsum solve --data "$seventeen" --sum 0 --first 3
[ "$(wc -l <<<"$stdout")" -eq 3 ] || fail "not 3 lines"

it "reads a file, and standard input"
echo "$seventeen" >"$scratch/seventeen"
run "$weft" subsetsum count --sum 0 "$scratch/seventeen"
expect stdout 507
run bash -c "'$weft' subsetsum count --sum -3 - <<<' [ -1, -2, 5 ] '"
expect stdout 1

it "counts what nobody could list"
zeros="[$(yes 0 | head -n 40 | paste -sd ,)]"
run "$weft" subsetsum count --sum 0 --data "$zeros"
expect stdout 1099511627775
run "$weft" subsetsum count --sum 0 --data "[${zeros:1:79},$(yes 0 | head -n 24 | paste -sd ,)]"
expect stdout 18446744073709551615

it "streams without end, and ends when its reader has gone"
run bash -c "'$weft' subsetsum solve --sum 0 --data '$zeros' --method schroeppel | head -n 5 | wc -l"
expect stdout 5

it "has nothing to say where there is nothing"
run "$weft" subsetsum solve --data '[]' --sum 0
expect status 0
expect stdout ""
run "$weft" subsetsum solve --data '[1,2]' --sum 590295810358705651712
expect status 0
expect stdout ""

it "is exact where 64 bits are too few"
ends='[9223372036854775807,9223372036854775807,-9223372036854775808]'
run "$weft" subsetsum solve --sum 18446744073709551614 --data "$ends"
expect stdout '[9223372036854775807,9223372036854775807]'
run "$weft" subsetsum solve --sum -2 --data "$ends"
expect stdout ''

it "refuses what is no array of integers, and says where"
run "$weft" subsetsum solve --data '[1,2.5]' --sum 0
expect status 1
expect stderr "weft: --data: a number is written with a fraction or an exponent, at byte 4"
run "$weft" subsetsum count --data "[${zeros:1:79},$(yes 0 | head -n 25 | paste -sd ,)]" --sum 0
expect status 1
expect stderr "weft: --data: there are more than 64 integers, at byte 130"
echo 'hello' >"$scratch/text"
run "$weft" subsetsum count --sum 0 "$scratch/text"
expect status 1
expect stderr "weft: $scratch/text: an array of integers begins with '[', at byte 1"
run "$weft" subsetsum count --sum 0 "$scratch/none"
expect status 1
expect stderr "weft: $scratch/none: No such file or directory"
run "$weft" subsetsum count --sum 0 "$scratch"
expect status 1
head -c 70000 /dev/zero | tr '\0' ' ' >"$scratch/blanks"
run "$weft" subsetsum count --sum 0 "$scratch/blanks"
expect status 1
expect_part stderr "more than 65536 bytes cannot be"

it "says how it is used"
run "$weft" subsetsum
expect status 2
run "$weft" subsetsum slove
expect status 2
expect_part stderr "did you mean 'solve'?"
run "$weft" subsetsum solve --sum 0
expect status 2
expect_part stderr "solve needs --data '[1,2,3]' or a file"
run "$weft" subsetsum count --data '[1]'
expect status 2
expect_part stderr "count needs --sum"
run "$weft" subsetsum solve --sum 1.0 --data '[1]'
expect status 2
expect_part stderr "--sum: a number is written with a fraction or an exponent, at byte 1"
run "$weft" subsetsum solve --sum 0 --data '[1]' "$scratch/text"
expect status 2
run "$weft" subsetsum solve --sum 0 --data '[1]' --first 0
expect status 2
run "$weft" subsetsum solve --sum 0 --data '[1]' --method magic
expect status 2

it "tells when a method is not for so many numbers"
sixty="[$(yes 1 | head -n 60 | paste -sd ,)]"
run "$weft" subsetsum solve --sum 7 --data "$sixty" --method meet --first 1
expect status 1
expect stderr "weft: these are too many numbers for that method"
