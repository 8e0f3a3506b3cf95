# shellcheck shell=bash disable=SC2034,SC2154  # variables are shared with the scripts and shell.sh
# For tests that need more servers than one: further demo sites, and nginx. Source it after site.sh.
#
#   another [OPTION...]   # one more demo site; $other is its URL, without the last slash
#   nginx_up              # nginx; false: it is not installed, and that was said
#
# nginx_config is a function of the test that prints what stands in the http block, with the ports
# ${ports[0]} to ${ports[2]} of 127.0.0.1 and files below $www. All of them are killed at the end.
others=()
ports=()
www=$scratch/www

finish_more() {
    local one
    for one in "${others[@]}"; do
        kill -KILL "$one" 2>/dev/null
    done
    finish_site
}
trap finish_more EXIT

another_is_ready() {
    grep -q '^listening on ' "$scratch/other.out" || ! kill -0 "$other_pid" 2>/dev/null
}

another() {
    rm -f "$scratch/other.out"
    : >"$scratch/other.out"
    "$WEFT_BUILD/demo/site" --quiet "$@" >>"$scratch/other.out" 2>"$scratch/other.err" </dev/null &
    other_pid=$!
    disown "$other_pid"
    others+=("$other_pid")
    soon another_is_ready
    other=$(sed -n 's,^listening on \(.*\)/$,\1,p' "$scratch/other.out")
    [ -n "$other" ] || fail "another site did not start: $(<"$scratch/other.err")"
}

nginx_is_ready_or_over() {
    [ -s "$scratch/nginx/pid" ] || ! kill -0 "$nginx_pid" 2>/dev/null
}

# The ports may be somebody's: then it ends at once, and others are tried.
nginx_try() {
    local i
    for i in 0 1 2; do
        ports[i]=$((20000 + RANDOM % 12000))
    done
    rm -f "$scratch/nginx/pid"
    {
        echo "daemon off; master_process off; pid $scratch/nginx/pid;"
        echo "error_log $scratch/nginx/error.log warn; events { worker_connections 128; }"
        echo "http { default_type text/html; access_log $scratch/nginx/access.log;"
        echo "types { text/html html; text/css css; image/png png; text/plain txt; }"
        for i in client_body proxy fastcgi uwsgi scgi; do
            echo "${i}_temp_path $scratch/nginx/$i;"
        done
        nginx_config
        echo "}"
    } >"$scratch/nginx/conf"
    nginx -p "$scratch/nginx" -c "$scratch/nginx/conf" >/dev/null 2>"$scratch/nginx/err" \
        </dev/null &
    nginx_pid=$!
    disown "$nginx_pid"
    soon nginx_is_ready_or_over
    if [ -s "$scratch/nginx/pid" ] && kill -0 "$nginx_pid" 2>/dev/null; then
        others+=("$nginx_pid")
        return 0
    fi
    kill -KILL "$nginx_pid" 2>/dev/null
    return 1
}

nginx_up() {
    local i
    if ! command -v nginx >/dev/null; then
        echo "  (there is no nginx here: skipped)"
        return 1
    fi
    mkdir -p "$scratch/nginx" "$www"
    for i in 1 2 3 4 5 6; do
        ! nginx_try || return 0
    done
    fail "nginx did not start: $(<"$scratch/nginx/err")"
    return 1
}
