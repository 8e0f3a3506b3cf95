# shellcheck shell=bash
# What the run scripts share: measuring in turns, counting instructions, writing the lines.

rounds=${BENCH_ROUNDS:-7}

# On a busy machine the shorter run is the luckier one: say so.
if [ -r /proc/loadavg ] && awk -v cpus="$(nproc)" '{ exit !($1 > cpus) }' /proc/loadavg; then
    echo "# load $(cut -d ' ' -f 1 /proc/loadavg) on $(nproc) processors: too busy for good figures"
fi

# install_node_peers FOLDER INTO: what FOLDER/package.json asks for. Again only when that changed, so
# that a second run needs no network.
install_node_peers() {
    mkdir -p "$2"
    if ! cmp -s "$1/package.json" "$2/package.json" || [ ! -d "$2/node_modules" ]; then
        cp "$1/package.json" "$2/"
        (cd "$2" && npm install --no-audit --no-fund --no-package-lock --loglevel=error)
    fi
}

# compare NAME PEER OUR-COMMAND... -- THEIR-COMMAND...
# Each command prints one number, so many a second; the best of the rounds counts.
compare() {
    local name=$1 peer=$2
    shift 2
    in_turns "$@" | best "$name" "$peer" M/s
}

# in_turns COMMAND... -- COMMAND... [-- COMMAND...]: what all of them print, one line a round; a
# line that best does not take if one of them fails.
in_turns() {
    local round word line command
    for ((round = 0; round < rounds; round++)); do
        line='' command=()
        for word in "$@" --; do
            if [ "$word" != -- ]; then
                command+=("$word")
                continue
            fi
            line+="$("${command[@]}" || echo failed) "
            command=()
        done
        echo "$line"
    done
}

# best NAME PEER UNIT: reads a pair of numbers a round, ours and theirs, and writes the line with
# the best of each. For M/s and k/s more is better, and the numbers are so many a second; for any
# other unit less is better.
best() {
    awk -v name="$1" -v peer="$2" -v unit="$3" '
        BEGIN {
            per = unit == "M/s" ? 1e6 : unit == "k/s" ? 1e3 : 1
            more = unit ~ /\/s$/
        }
        function better(a, b) { return more ? a > b : a < b }
        NF != 2 || /failed/ || $1 <= 0 || $2 <= 0 { bad = 1 }
        NR == 1 || better($1 + 0, ours) { ours = $1 + 0 }
        NR == 1 || better($2 + 0, theirs) { theirs = $2 + 0 }
        END {
            if (bad || NR == 0) {
                print "bench: " name " beside " peer " was not measured" > "/dev/stderr"
                exit 1
            }
            printf "bench %s peer=%s ours=%.2f%s theirs=%.2f%s ratio=%.2f\n", name, peer,
                ours / per, unit, theirs / per, unit, more ? ours / theirs : theirs / ours
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
