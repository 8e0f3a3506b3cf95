#!/usr/bin/env bash
# weft spider: whatever bytes a server sends, reports and logs can be read.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"
here=$WEFT_SOURCE/tests/spider/output

it "writes reports and logs that can be read, whatever bytes a server sends"
python3 "$here/bytes.py" >"$scratch/port" &
site_pid=$!
soon test -s "$scratch/port"
fresh
spider -q --report "$scratch/page.html" --log-json "$scratch/log" "http://127.0.0.1:$(<"$scratch/port")/" inf
expect status 0
run python3 "$here/check.py" "$scratch/page.html" "$scratch/log"
expect status 0
for type in 'te\ufffdxt/\ufffd' 'text/\u202eevil\u2066' 'text/\x9b31m' '\ufffd\ufffd\ufffd/\ufffd' 'text/\u20ac'; do
    grep -qxF "$type" <<<"$stdout" || fail "there is no $type: $stdout"
done
