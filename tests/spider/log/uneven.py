"""A server where each page goes another way: well, after an error, never. Prints where it is.

    uneven.py LOG      LOG has a line for each answer that a page got: its class ("2xx")
"""
import http.server
import sys
import threading

lock = threading.Lock()
LINKS = b"".join(b'<a href="/%s">x</a>' % name for name in (b"once", b"cut", b"missing", b"moved", b"mute", b"odd"))


class Uneven(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    seen = set()

    def answer(self):
        """The status, its fields, what comes of the body, and how much of it is promised."""
        if self.path == "/once" and self.path not in self.seen:
            return 500, {}, b"", 0
        if self.path == "/moved":
            return 302, {"Location": "/there"}, b"", 0
        if self.path in ("/", "/once", "/there"):
            return 200, {}, LINKS, len(LINKS)
        return {"/cut": (200, {}, b"half of", 100), "/mute": (0, {}, b"", 0), "/odd": (999, {}, b"", 0)}.get(
            self.path, (404, {}, b"", 0))

    def do_GET(self):
        with lock:
            status, fields, body, size = self.answer()
            self.seen.add(self.path)
            if self.path != "/robots.txt" and status > 0:
                with open(sys.argv[1], "a") as log:
                    log.write("%dxx\n" % (status // 100))
        self.close_connection = len(body) < size or status == 0
        if status == 0:
            return
        self.send_response(status)
        for name, value in {**fields, "Content-Type": "text/html", "Content-Length": str(size)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Uneven)
server.daemon_threads = True
print("listening on http://127.0.0.1:%d/" % server.server_port, flush=True)
server.serve_forever()
