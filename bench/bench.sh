# shellcheck shell=bash
# What the run scripts share: measuring in turns, counting instructions, writing the lines.

rounds=${BENCH_ROUNDS:-7}

# On a busy machine the shorter run is the luckier one: say so.
if [ -r /proc/loadavg ] && awk -v cpus="$(nproc)" '{ exit !($1 > cpus) }' /proc/loadavg; then
    echo "# load $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc) processors: too busy for good figures"
fi

# compare NAME PEER OUR-COMMAND... -- THEIR-COMMAND...
# Each command prints one number, so many a second; the best of the rounds counts.
compare() {
    local name=$1 peer=$2 ours=() theirs=() round
    shift 2
    while [ "$1" != -- ]; do
        ours+=("$1")
        shift
    done
    shift
    theirs=("$@")
    for ((round = 0; round < rounds; round++)); do
        echo "$("${ours[@]}") $("${theirs[@]}")"
    done | awk -v name="$name" -v peer="$peer" '
        NF != 2 { bad = 1 }
        $1 > ours { ours = $1 }
        $2 > theirs { theirs = $2 }
        END {
            if (bad || ours == 0 || theirs == 0) {
                print "bench: " name " beside " peer " was not measured" > "/dev/stderr"
                exit 1
            }
            printf "bench %s peer=%s ours=%.2fM/s theirs=%.2fM/s ratio=%.2f\n",
                name, peer, ours / 1e6, theirs / 1e6, ours / theirs
        }'
}

# instructions COUNT COMMAND...: how many instructions one piece of the command's work takes. The
# command gets a count as its last argument; the difference between COUNT and twice COUNT is the
# work alone, since everything else is the same in both.
instructions() {
    local count=$1
    shift
    echo "$(executed "$@" "$count") $(executed "$@" $((2 * count))) $count" |
        awk 'NF == 3 { printf "%.0f", ($2 - $1) / $3; found = 1 } END { exit !found }'
}

executed() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$@" 2>&1 >/dev/null |
        awk '/Collected/ { print $NF }'
}
