#!/usr/bin/env bash
# weft serve: what it answers from a folder, and what each of its options changes.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/server.sh"
weft=$WEFT_BUILD/weft

www=$scratch/www
mkdir -p "$www/with" "$www/without" "$www/.git" "$scratch/secret"
echo hello >"$www/a.txt"
echo '<p>index' >"$www/with/index.html"
echo other >"$www/with/other.html"
echo one >"$www/without/one&two.txt"
echo config >"$www/.git/config"
echo secret >"$scratch/secret/file"
ln -s ../secret/file "$www/out"
ln -s a.txt "$www/in"
printf 'a%.0s' {1..500} >"$www/long.css"
gzip -k "$www/long.css"
touch -d '2 hours ago' "$www/a.txt"

start "$weft" serve -p 0 --quiet "$www"

it "prints where it serves, and nothing else"
[[ $(<"$scratch/out") =~ ^"serving $www at http://127.0.0.1:"[0-9]+/$ ]] ||
    fail "it prints: $(<"$scratch/out")"

it "serves a file"
get /a.txt
expect code 200
expect body hello
expect_part fields "Content-Type: text/plain"
expect_part fields "Content-Length: 6"
expect_part fields "Server: weft/"
expect_part fields "Cache-Control: no-cache"

it "answers HEAD without a body"
get /a.txt --head
expect code 200
expect_part fields "Content-Length: 6"

it "answers a range"
get /a.txt -r 1-3
expect code 206
expect body ell
expect_part fields "Content-Range: bytes 1-3/6"

it "answers 304 to one who has it already"
etag=$(curl -sI "$url/a.txt" | sed -n 's/^ETag: \(.*\)\r$/\1/p')
get /a.txt -H "If-None-Match: $etag"
expect code 304

it "lists a folder"
get /
expect code 200
expect_part fields "Content-Type: text/html"
expect_part body 'href="./a.txt"'
expect_part body 'href="./without/"'
[[ $body != *.git* ]] || fail "it lists a hidden name"
get /without/
expect_part body 'one&amp;two.txt'

it "serves the index of a folder, and sends the client to the slash"
get /with/
expect body '<p>index'
get /with
expect code 301
get /with -L
expect body '<p>index'

it "says what it has not, and what it does not"
get /nothing
expect code 404
get /a.txt -X POST
expect code 405
expect_part fields "Allow: "
get /a.txt -X OPTIONS
expect code 204
get /a.txt -X BREW
expect code 501
get /.git/config
expect code 404

it "lets nobody out of the folder"
for path in /../secret/file /with/../../secret/file /%2e%2e/secret/file /..%2fsecret/file \
    /with/..%2f..%2fsecret/file //../secret/file /out "/$scratch/secret/file"; do
    get "$path" --path-as-is
    [[ $code == 40[034] && $body != *secret* ]] || fail "$path is answered with $code: $body"
done

it "follows links that stay inside"
get /in
expect body hello

it "has no figures unless it is asked to"
get /-/metrics
expect code 404
stop
expect status 0
expect stderr ""

start "$weft" serve --port=0 -q --index other.html --no-listing --hidden --links=all --cache 60 \
    --cors --precompressed --metrics "$www"

it "takes another index with --index"
get /with/
expect body other

it "lists nothing with --no-listing"
get /
expect code 403

it "serves hidden names with --hidden"
get /.git/config
expect body config

it "follows links that lead out with --links all"
get /out
expect body secret

it "lets clients keep files with --cache"
get /a.txt
expect_part fields "Cache-Control: max-age=60"

it "lets pages of any origin read with --cors"
expect_part fields "Access-Control-Allow-Origin: *"
get /nothing
expect_part fields "Access-Control-Allow-Origin: *"
get /a.txt -X OPTIONS
expect code 204
expect_part fields "Access-Control-Allow-Methods: GET, HEAD"
expect_part fields "Access-Control-Allow-Headers: *"

it "sends what is compressed already with --precompressed"
get /long.css -H 'Accept-Encoding: gzip'
expect_part fields "Content-Encoding: gzip"
expect_part fields "Content-Type: text/css"
get /long.css --compressed
expect body "$(<"$www/long.css")"

it "has figures and a health check with --metrics"
get /-/healthz
expect code 200
expect body ok
get /-/metrics
expect_part body 'weft_http_requests_total{code="404"} 1'
expect_part body 'weft_http_requests_in_flight 1'
stop
expect status 0

it "follows no links with --links none"
start "$weft" serve -q -p0 --links none "$www"
get /in
expect code 403
stop

it "serves the current folder if none is named"
cd "$www" || exit 1
start "$weft" serve -q -p0
get /a.txt
expect body hello
stop
expect_part stdout "serving . at "
cd / || exit 1

it "says why it cannot serve a folder"
run "$weft" serve "$scratch/none"
expect status 1
expect stdout ""
expect stderr "weft: cannot serve '$scratch/none': no such file or directory"
run "$weft" serve "$www/a.txt"
expect status 1
expect stderr "weft: cannot serve '$www/a.txt': not a directory"

refused() {
    local text=$1
    shift
    run "$weft" serve "$@"
    expect status 2
    expect stdout ""
    expect stderr "weft: $text
see weft help serve"
}

it "refuses options that make no sense"
refused "unknown option '--prot'; did you mean '--port'?" --prot=80
refused "unknown option '--xyzzy'" --xyzzy
refused "unknown option '-x'" -x
refused "unknown option '-x'" -x=1
refused "--port takes a number from 0 to 65535, not '65536'" --port 65536
refused "--port takes a number from 0 to 65535, not '-1'" -p -1
refused "--port takes a number from 0 to 65535, not '8o'" -p8o
refused "--port takes a number from 0 to 65535, not '99999999999999999999'" \
    --port=99999999999999999999
refused "--max-connections takes a number from 1 to 1000000, not '0'" --max-connections 0
refused "--port takes a value" --port
refused "--port takes a value" --port --quiet
refused "--log takes a value that is not empty" --log=
refused "--quiet takes nothing, or yes or no, not 'maybe'" --quiet=maybe
refused "--log-format takes common, combined or json, not 'xml'" --log-format xml
refused "--links takes inside, none or all, not 'some'" --links some
refused "--index takes the name of a file, not 'a/b'" --index a/b
refused "--host takes an address such as 127.0.0.1 or ::, not 'example.org'" --host example.org
refused "unexpected 'b': one folder can be served" a b
refused "unexpected '--quiet': one folder can be served" -- a --quiet

it "has every option in its help, its manual and the completion"
for option in $("$weft" help serve | grep -oE -- '--[a-z-]+' | sort -u); do
    grep -q -- "^\.It.* Fl Fl ${option#--}\b" "$WEFT_SOURCE/docs/man/weft-serve.1" ||
        fail "weft-serve.1 lacks $option"
done
run bash --norc -c '. "$0"; COMP_WORDS=("$1" serve --lo); COMP_CWORD=2; _weft
    printf "%s\n" "${COMPREPLY[@]}"' "$WEFT_SOURCE/apps/completion/weft.bash" "$weft"
expect stdout "--log
--log-format"
