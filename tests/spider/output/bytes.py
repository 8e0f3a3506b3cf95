"""A server whose types are bytes of every kind: no text, controls, and what turns the direction of text. Prints its port."""
import socket

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
TYPES = [b"te\xffxt/\xc3", b"text/\xe2\x80\xaeevil\xe2\x81\xa6", b"text/\xc2\x9b31m", b"\xed\xa0\x80/\xf5",
         b"text/\xe2\x82\xac", b"x" * 62 + "\u20ac".encode() * 20]
BODY = "".join(f'<a href="/{i}">x</a>' for i in range(len(TYPES))).encode()
while True:
    connection, _ = listener.accept()
    path = connection.recv(65536).split(b" ")[1][1:]
    kind = TYPES[int(path)] if path.isdigit() else b"text/html"
    head = b"HTTP/1.1 404 \xff\xe2\x80\xae" if path == b"robots.txt" else b"HTTP/1.1 200 \xff\xe2\x80\xae"
    connection.sendall(head + b"\r\nContent-Type: " + kind + b"\r\nConnection: close\r\nContent-Length: " +
                       str(len(BODY)).encode() + b"\r\n\r\n" + BODY)
    connection.close()
