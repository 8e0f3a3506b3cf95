#!/usr/bin/env python3
"""A server that misbehaves, one way for each path: for tests of whoever has to talk to strangers.

    hostile.py [--robots WAY]    prints "listening on http://127.0.0.1:PORT/", then serves for ever

/from/WAY is a good page that links to /WAY and to /good.html. /robots.txt is not there, unless --robots
says which way it misbehaves. What a way does, its function says. Every answer ends its connection.
"""
import argparse
import itertools
import socket
import socketserver
import struct
import sys
import threading
import time
import zlib

PIECE = b"x" * 65536


class Gone(Exception):
    """The client has left."""


class Peer:
    """One request, and the hands to answer it with."""

    def __init__(self, sock, path, host):
        self.sock, self.path, self.host = sock, path, host

    def say(self, data):
        try:
            self.sock.sendall(data if isinstance(data, bytes) else data.encode("latin-1"))
        except OSError as error:
            raise Gone from error

    def head(self, *fields, status="200 OK"):
        self.say("\r\n".join([f"HTTP/1.1 {status}", "Connection: close", *fields]) + "\r\n\r\n")

    def page(self, body, *fields):
        body = body if isinstance(body, bytes) else body.encode()
        self.head("Content-Type: text/html", f"Content-Length: {len(body)}", *fields)
        self.say(body)

    def move(self, to):
        self.head(f"Location: {to}", "Content-Length: 0", status="302 Found")

    def for_ever(self, make, pause=0.0):
        for i in itertools.count():
            self.say(make(i))
            time.sleep(pause)

    def reset(self):
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()
        raise Gone


# ---- bodies ----------------------------------------------------------------------------------------


def endless_body(peer):
    peer.head("Content-Type: application/octet-stream")
    peer.for_ever(lambda i: PIECE)


def endless_no(peer):
    peer.head("Content-Type: text/html", status="404 Not Found")
    peer.for_ever(lambda i: PIECE)


def endless_move(peer):
    peer.head("Location: /good.html", status="302 Found")
    peer.for_ever(lambda i: PIECE)


def endless_page(peer):
    """Nothing but links, all of them different, in chunks."""
    peer.head("Content-Type: text/html", "Transfer-Encoding: chunked")

    def links(i):
        data = "".join(f"<a href=e/{i}x{j}>a</a>\n" for j in range(1000)).encode()
        return b"%x\r\n%s\r\n" % (len(data), data)

    peer.for_ever(links)


def endless_url(peer):
    """One link, whose URL never ends."""
    peer.head("Content-Type: text/html")
    peer.say("<a href='")
    peer.for_ever(lambda i: PIECE)


def endless_tag(peer):
    """One tag, with very many attributes."""
    piece = "".join(f"a{i}=b " for i in range(10000)).encode()
    peer.head("Content-Type: text/html")
    peer.say("<a ")
    peer.for_ever(lambda i: piece)


def endless_depth(peer):
    """Elements in elements in elements."""
    peer.head("Content-Type: text/html")
    peer.for_ever(lambda i: b"<div><svg><math>" * 1000)


def endless_style(peer):
    peer.head("Content-Type: text/css")
    peer.say("@import url(")
    peer.for_ever(lambda i: PIECE)


def endless_chunk(peer):
    """The size of a chunk never ends."""
    peer.head("Transfer-Encoding: chunked")
    peer.for_ever(lambda i: b"0" * 4096)


def endless_trailer(peer):
    peer.head("Transfer-Encoding: chunked")
    peer.say("1\r\na\r\n0\r\n")
    peer.for_ever(lambda i: f"X-{i}: y\r\n" * 100)


def drip(peer):
    peer.head("Content-Length: 1000000")
    peer.for_ever(lambda i: b"x", 0.1)


def bomb(peer):
    """A kilobyte for each megabyte of zeros, without an end."""
    packer = zlib.compressobj(9, wbits=31)
    head = packer.compress(b"\0" * 1048576) + packer.flush(zlib.Z_FULL_FLUSH)
    block = packer.compress(b"\0" * 1048576) + packer.flush(zlib.Z_FULL_FLUSH)
    peer.head("Content-Type: text/html", "Content-Encoding: gzip")
    peer.say(head)
    peer.for_ever(lambda i: block)


def bomb_in_bomb(peer):
    inner = zlib.compressobj(9, wbits=31)
    zeros = inner.compress(b"\0" * 104857600) + inner.flush()
    peer.head("Content-Type: text/html", "Content-Encoding: gzip, gzip")
    peer.say(zlib.compress(zeros, 9, 31))


def no_gzip(peer):
    peer.page("this is not packed", "Content-Encoding: gzip")


def reset_in_the_middle(peer):
    peer.head("Content-Type: text/html", "Content-Length: 100000")
    peer.say(b"x" * 50000)
    time.sleep(0.05)
    peer.reset()


def reset_at_once(peer):
    peer.reset()


def many_links(peer):
    peer.page("".join(f"<a href=/leaf/{i}.html>{i}</a>\n" for i in range(100000)))


def long_base(peer):
    """40,000 short links to what is not saved, each of which is 2,000 bytes long if it is absolute."""
    links = "".join(f"<a href=x{i}>x</a>\n" for i in range(40000))
    peer.page(f"<base href='http://other.invalid/{'b' * 1900}/'>{links}")


def large_noes(peer):
    """A page of 400 links, each of which is answered with no, in 60 kB."""
    if peer.path == "/large_noes":
        peer.page("".join(f"<a href=/large_noes/{i}>x</a>\n" for i in range(400)))
        return
    peer.head("Content-Type: text/html", "Content-Length: 60000", status="404 Not Found")
    peer.say(b"x" * 60000)


# ---- heads -----------------------------------------------------------------------------------------


def endless_head(peer):
    peer.say("HTTP/1.1 200 OK\r\n")
    peer.for_ever(lambda i: f"X-{i}: y\r\n" * 100)


def endless_line(peer):
    peer.say("HTTP/1.1 200 OK\r\nX: ")
    peer.for_ever(lambda i: PIECE)


def endless_folds(peer):
    peer.say("HTTP/1.1 200 OK\r\nX: y\r\n")
    peer.for_ever(lambda i: b" y\r\n" * 1000)


def endless_continue(peer):
    peer.for_ever(lambda i: "HTTP/1.1 100 Continue\r\n\r\n" * 100)


def slow_head(peer):
    peer.say("HTTP/1.1 200 OK\r\n")
    peer.for_ever(lambda i: f"X-{i}: y\r\n", 0.1)


def slow_status(peer):
    peer.say("HTTP/1.1 ")
    peer.for_ever(lambda i: b"2", 0.1)


def silence(peer):
    time.sleep(3600)


def nul_in_value(peer):
    peer.page("nul", "X-Nul: a\0b")


def nul_in_name(peer):
    peer.page("nul", "X-N\0ul: a")


def nul_in_location(peer):
    peer.move("/good\0.html")


def no_http(peer):
    peer.say("SSH-2.0-OpenSSH_9.2\r\n" * 10)


def many_cookies(peer):
    """10,000 of them, in one answer."""
    peer.page("cookies", *(f"Set-Cookie: c{i}=v" for i in range(10000)))


def cookies(peer):
    """50 in an answer, and a link to the next 50: /cookies/0 to /cookies/199 are 10,000."""
    at = int(peer.path.rpartition("/")[2]) if peer.path[-1].isdigit() else 0
    link = f"<a href=/cookies/{at + 1}>on</a>" if at < 199 else ""
    peer.page(link, *(f"Set-Cookie: c{at * 50 + i}={'v' * 100}" for i in range(50)))


# ---- lengths ---------------------------------------------------------------------------------------


def length_of(*values, body="0123456789", status="200 OK"):
    def answer(peer):
        peer.head("Content-Type: text/html", *(f"Content-Length: {v}" for v in values), status=status)
        peer.say(body)

    return answer


# ---- names -----------------------------------------------------------------------------------------


def bad_names(peer):
    """Links and names that are no UTF-8, or would be something else in a file system or on a terminal."""
    peer.page(
        b'<a href="/n/\xff\xfe.html">1</a> <a href="/n/\xc3\x28?\x80">2</a> <a href="/n/%ff%00x">3</a>'
        b'<a href="/n/%2e%2e/%2e%2e%2fup">4</a> <a href="/n/..%5c..%5cup">5</a>'
        b'<a href="/n/%1b]0;owned%07">6</a> <a href="/n/\xf0\x9f\x92\xa9">7</a>'
        b'<a href="/n/' + b"l" * 1500 + b'">8</a>'
    )


def bad_location(peer):
    peer.say(
        b"HTTP/1.1 302 Found\r\nConnection: close\r\nContent-Length: 0\r\nLocation: /n/\xff\xfe%80\r\n\r\n"
    )


# ---- redirects and frames --------------------------------------------------------------------------


def loop(peer):
    peer.move("/loop")


def loop_of_two(peer):
    peer.move("/loop_of_two/" + ("b" if peer.path.endswith("a") else "a"))


def loop_of_hosts(peer):
    """From 127.0.0.1 to localhost, and back."""
    name, _, port = peer.host.partition(":")
    peer.move(f"http://{'localhost' if name == '127.0.0.1' else '127.0.0.1'}:{port}/loop_of_hosts")


def endless_chain(peer):
    at = peer.path.rpartition("/")[2]
    peer.move(f"/endless_chain/{int(at) + 1 if at.isdigit() else 0}")


def frames(peer):
    other = "b" if peer.path.endswith("a") else "a"
    peer.page(f"<iframe src=/frames/{other}></iframe><iframe src={peer.path}></iframe>")


def endless_frames(peer):
    at = peer.path.rpartition("/")[2]
    peer.page(f"<iframe src=/endless_frames/{int(at) + 1 if at.isdigit() else 0}></iframe>")


# ---- traps -----------------------------------------------------------------------------------------


def calendar(peer):
    """/calendar?month=N: a page for each month there ever was and will be."""
    at = int(peer.path.rpartition("=")[2]) if "=" in peer.path else 24000
    peer.page(
        f"<h1>Month {at % 12 + 1} of {at // 12}</h1> <a href=/calendar?month={at - 1}>before</a> "
        f"<a href=/calendar?month={at + 1}>next</a>"
    )


def days(peer):
    """/days/Y/M/D, with links to the next day, month and year."""
    parts = [int(part) for part in peer.path.split("/")[2:] if part.isdigit()]
    y, m, d = parts if len(parts) == 3 else (2031, 5, 1)
    to = [(y, m, d % 28 + 1), (y, m % 12 + 1, d), (y + 1, m, d)]
    peer.page(f"{y}-{m}-{d} " + " ".join(f"<a href=/days/{a}/{b}/{c}>on</a>" for a, b, c in to))


def folders(peer):
    """A link that is relative by mistake: /folders/a/b/a/b/…"""
    peer.page(f"{peer.path} <a href=a/>a</a> <a href=b/>b</a>")


def growing(peer):
    """Each link has a parameter more."""
    peer.page(f"{peer.path}<a href='{peer.path}{'&' if '?' in peer.path else '?'}a=b'>more</a>")


def longer(peer):
    """Each link is a word longer."""
    path = peer.path if peer.path.count("/") > 1 else "/longer/and"
    peer.page(f"{peer.path}<a href={path}-so-on-and-on-and-on-and-on-and-on-and-on-and>more</a>")


def same(peer):
    """Whatever is asked for, it is this page."""
    peer.page("<h1>Not found</h1> <a href=c/>c</a> <a href=d/>d</a>")


def alike(peer):
    """Twenty pages that are the same, with links to some that are not."""
    if peer.path == "/alike/":
        peer.page("".join(f"<a href={i}/>{i}</a>" for i in range(20)))
    elif peer.path.endswith("/"):
        peer.page("<a href=own>own</a>")
    else:
        peer.page(peer.path)


def many_hosts(peer):
    """Pictures from 50 hosts, where nobody is."""
    port = peer.host.partition(":")[2]
    peer.page("".join(f"<img src=http://127.0.1.{i}:{port}/a.png>" for i in range(1, 51)))


def words(peer):
    """Names out of thin air, and no two pages alike."""
    at = zlib.crc32(peer.path.encode())
    name = "".join(chr(97 + (at >> shift) % 26) for shift in range(0, 30, 5))
    peer.page(f"{name} <a href=/words/{name}a>a</a> <a href=/words/{name}b>b</a>")


WAYS = {
    **{name: way for name, way in globals().items() if callable(way) and name[0].islower()},
    "length_too_long": length_of(1000),
    "length_too_short": length_of(5),
    "length_negative": length_of(-5),
    "length_plus": length_of("+10"),
    "length_huge": length_of("99999999999999999999999"),
    "length_most": length_of("9223372036854775807"),
    "length_two": length_of(10, 12),
    "length_list": length_of("10, 12"),
    "length_none": length_of(""),
    "length_hex": length_of("0x0a"),
}


class Handler(socketserver.BaseRequestHandler):
    robots = None

    def handle(self):
        data = b""
        while b"\r\n\r\n" not in data:
            more = self.request.recv(65536)
            if not more:
                return
            data += more
        lines = data.decode("latin-1").split("\r\n")
        path = lines[0].split(" ")[1]
        fields = dict(line.lower().split(": ", 1) for line in lines[1:] if ": " in line)
        try:
            self.answer(Peer(self.request, path, fields.get("host", "")))
        except Gone:
            pass

    def answer(self, peer):
        parts = peer.path.split("?")[0].split("/")
        if peer.path == "/robots.txt" and self.robots:
            WAYS[self.robots](peer)
        elif parts[1] == "from":
            way = "/".join(parts[2:])
            peer.page(f"<a href=/{way}>bad</a> <a href=/good.html>good</a>")
        elif parts[1] in WAYS:
            WAYS[parts[1]](peer)
        elif parts[1] in ("good.html", "leaf", "n") or parts[1].endswith("up"):
            peer.page(f"a good page: {len(peer.path)}")
        else:
            peer.head("Content-Length: 0", status="404 Not Found")


class Server(socketserver.ThreadingTCPServer):
    allow_reuse_address = True
    daemon_threads = True
    request_queue_size = 64


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--robots")
    Handler.robots = parser.parse_args().robots
    with Server(("127.0.0.1", 0), Handler) as server:
        print(f"listening on http://127.0.0.1:{server.server_address[1]}/", flush=True)
        threading.excepthook = lambda args: None
        server.handle_error = lambda *args: None
        server.serve_forever()


if __name__ == "__main__":
    sys.exit(main())
