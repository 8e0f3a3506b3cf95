#!/usr/bin/env bash
# A trace that is made to be slow: so many wait for one that waited for so many, and none of these
# chains is worth showing before the last. To ask the one again for each of the others takes half a
# minute here, three times that with a sanitizer; the bound is many times what it takes to ask once.
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1

awk -v n=150000 'BEGIN {
    print "{\"traceEvents\":["
    b = "{\"ph\":\"b\",\"pid\":1,\"tid\":1,\"ts\":%d,\"cat\":\"net\",\"name\":\"%s\",\"id\":%d,"
    b = b "\"args\":{\"parent\":%d,%s\"site\":\"%s\"}},\n"
    e = "{\"ph\":\"e\",\"pid\":1,\"tid\":1,\"ts\":%d,\"id\":%d}%s\n"
    printf b, 0, "p", 1, 0, "", "p"
    for (i = 0; i < n; i++) {
        printf b, 1, i ? "c" : "accept", 10 + i, 1, "", "c"
        printf e, i ? 2 : 1000000, 10 + i, ","
    }
    for (i = 0; i < n; i++) {
        printf b, 1, "await", 10 + n + i, 0, "\"for\":1,", "s" i
        printf e, 1000001, 10 + n + i, ","
    }
    printf e, 1000000, 1, ""
    print "]}"
}' >hostile.json

it "takes no longer than its size asks for"
seconds=12
! grep -qE '__(asan|tsan)_init' "$weft" || seconds=40
run timeout "$seconds" "$weft" trace summary hostile.json
expect status 0
expect_part stdout "300,001 operations"
