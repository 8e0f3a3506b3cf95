"""Pages that a test makes and changes while they are served. See pages.sh.

    pages.py FOLDER LOG

A page is a file of FOLDER: a status, fields, an empty line, the body. Its name is the target of the URL with %2F for
each slash. Each has an ETag and a Content-Type, unless a field says "ETag: none"; who knows the ETag gets a 304. A HEAD is answered with
what a field "Head-Status" says. LOG has a line for each request:
"GET /target 200".
"""
import hashlib
import http.server
import os
import sys
import threading
import urllib.parse

lock = threading.Lock()


class Pages(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def page(self):
        name = urllib.parse.quote(self.path, safe="?=&.-_~%").replace("/", "%2F")
        try:
            with open(os.path.join(sys.argv[1], name), "rb") as file:
                head, _, body = file.read().partition(b"\n\n")
        except OSError:
            return 404, [], b"there is no such page\n"
        status, *fields = head.decode().split("\n")
        return int(status), [field.split(": ", 1) for field in fields], body

    def do_GET(self):
        status, fields, body = self.page()
        names = {name.lower() for name, _ in fields}
        if self.command == "HEAD":
            status = int(dict(fields).get("Head-Status", status))
        fields = [field for field in fields if field[0] != "Head-Status" and field not in (["ETag", "none"], ["Content-Type", "none"])]
        tag = '"%s"' % hashlib.md5(body).hexdigest()
        if "etag" not in names and status == 200:
            fields.append(("ETag", tag))
            if self.headers.get("If-None-Match") == tag:
                status, body = 304, b""
        own = dict(fields).get("ETag")
        if own is not None and self.headers.get("If-None-Match") == own:
            status, body = 304, b""
        if "content-type" not in names and status != 304:
            fields.append(("Content-Type", "text/html"))
        with lock, open(sys.argv[2], "a") as log:
            log.write("%s %s %d\n" % (self.command, self.path, status))
        self.send_response(status)
        for name, value in fields:
            self.send_header(name, value)
        if status != 304:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    do_HEAD = do_GET

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages)
server.daemon_threads = True
print("listening on http://127.0.0.1:%d/" % server.server_port, flush=True)
server.serve_forever()
