#!/usr/bin/env bash
# weft spider --password-file: the password that a server gets is the one in the file, or it is said why not.
. "$WEFT_SOURCE/tests/lib/shell.sh"
. "$WEFT_SOURCE/tests/lib/site.sh"

# A server that writes down what it was told about who asks.
cat >"$scratch/asked.py" <<'END'
import base64, http.server, sys
class Asked(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        scheme, _, text = self.headers.get("Authorization", "").partition(" ")
        with open(sys.argv[1], "wb") as file:
            file.write(base64.b64decode(text) if scheme == "Basic" else b"")
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()
    def log_message(self, *arguments):
        pass
server = http.server.HTTPServer(("127.0.0.1", 0), Asked)
print("listening on http://127.0.0.1:%d/" % server.server_port, flush=True)
server.serve_forever()
END
: >"$scratch/site.out"
python3 "$scratch/asked.py" "$scratch/asked" >>"$scratch/site.out" 2>"$scratch/site.err" </dev/null &
site_pid=$!
soon site_is_ready
site=$(sed -n 's,^listening on \(.*\)/$,\1,p' "$scratch/site.out")

password() {
    fresh
    : >"$scratch/asked"
    spider -q --no-robots --user me --password-file "$scratch/password" "$site/" 0
}

# taken PASSWORD
taken() {
    expect status 0
    expect stderr ""
    [ "$(<"$scratch/asked")" = "me:$1" ] || fail "the server got: $(<"$scratch/asked")"
}

# refused WHY
refused() {
    expect status 2
    expect stderr "weft: cannot take a password from '$scratch/password': $1"
    [ ! -s "$scratch/asked" ] || fail "it asked all the same, as $(<"$scratch/asked")"
}

long=$(printf 'x%.0s' {1..4096})

it "takes the first line, without its end"
for line in 'a b:c\n' 'a b:c' 'a b:c\r\n' 'a b:c\r' 'a b:c\nsecond\n'; do
    # shellcheck disable=SC2059  # it is a format
    printf "$line" >"$scratch/password"
    password
    taken "a b:c"
done

it "takes long ones to the last byte"
for size in 255 256 257 4095 4096; do
    for end in '' '\n' '\r\n'; do
        printf "%s$end" "${long:0:size}" >"$scratch/password"
        password
        taken "${long:0:size}"
    done
done

it "refuses what it cannot take whole"
for line in "${long}x" "${long}xx" "$long$long"; do
    for end in '' '\n' '\r\n'; do
        printf "%s$end" "$line" >"$scratch/password"
        password
        refused "its first line has more than 4096 bytes"
    done
done
printf 'half\0half\n' >"$scratch/password"
password
refused "there is a zero byte in it"

it "says so when there is none"
: >"$scratch/password"
password
refused "it is empty"
rm "$scratch/password"
password
refused "No such file or directory"
mkdir "$scratch/password"
password
refused "Is a directory"
