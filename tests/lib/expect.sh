#!/usr/bin/env bash
# Runs an example and compares its stdout to what it should be, to the byte.
#
#   expect.sh ANSWER PROGRAM
#
# ANSWER is examples/<name>.out; the arguments are in <name>.args beside it, if there is one.
set -euo pipefail

answer=$1 program=$2
arguments=()
[ ! -f "${answer%.out}.args" ] || read -r -a arguments <"${answer%.out}.args" || true

output=$(mktemp)
trap 'rm -f "$output"' EXIT
status=0
"$program" "${arguments[@]}" >"$output" || status=$?
if ! diff -u --label "expected" --label "printed" "$answer" "$output" || [ "$status" -ne 0 ]; then
    echo "$(basename "$program") exited with $status" >&2
    exit 1
fi
