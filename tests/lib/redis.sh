# shellcheck shell=bash disable=SC2034,SC2154  # variables are shared with the scripts and server.sh
# For tests with a real Redis. Source it after server.sh: there is one then, on a free port of 127.0.0.1, until
# the script ends; or the script is skipped.
#
#   $redis_url, $redis_port, $redis     # its process
#   redis_up                            # another one, on the same port, after that one was killed
command -v redis-server >/dev/null || {
    echo "there is no redis-server here"
    exit 77
}

redis_is_there() {
    redis-cli -p "$redis_port" ping >/dev/null 2>&1 || ! kill -0 "$redis" 2>/dev/null
}

redis_up() {
    redis-server --port "$redis_port" --bind 127.0.0.1 --save '' --dir "$scratch" \
        >>"$scratch/redis.log" 2>&1 &
    redis=$!
    soon redis_is_there
    kill -0 "$redis" 2>/dev/null || return 1
    pids=("$redis" "${pids[@]}")
    disown "$redis"
}

# The port may be somebody's: then others are tried.
for _ in 1 2 3 4 5; do
    redis_port=$((20000 + RANDOM % 12000))
    if redis_up; then
        redis_url=redis://127.0.0.1:$redis_port
        break
    fi
done
[ -n "${redis_url-}" ] || fail "redis-server does not start"
