"""A server that would like to be read as HTML: in its URLs, its types and its reasons. Prints its port."""
import socket

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
EVIL = "</script><img src=x onerror=alert(1)>"
LINKS = ["/a'b", "/?q=" + EVIL, "/{{data}}", "/%3C/script%3E", "/__proto__/constructor", "/x" * 2000, "/404?<!--<script>"]
BODY = "".join(f'<a href="{link}">x</a>' for link in LINKS).encode() + b"<a href='/javascript:alert(1)'>"
while True:
    connection, _ = listener.accept()
    path = connection.recv(65536).split(b" ")[1]
    missing = path.startswith((b"/robots.txt", b"/404", b"/?q="))
    head = b"HTTP/1.1 404 " + EVIL.encode() if missing else b"HTTP/1.1 200 OK"
    connection.sendall(head + b"\r\nContent-Type: text/html" + (b"" if path == b"/" else EVIL.encode()) +
                       b"\r\nConnection: close\r\nContent-Length: " + str(len(BODY)).encode() + b"\r\n\r\n" + BODY)
    connection.close()
