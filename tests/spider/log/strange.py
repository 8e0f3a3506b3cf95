"""A server whose every answer has bytes in its fields that are no text. Prints its port."""
import socket

listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
BODY = b'<a href="/a%FFb">a</a> <a href="/\xff\xfe?q=%22&amp;<x>">b</a>'
while True:
    connection, _ = listener.accept()
    request = connection.recv(65536)
    missing = request.startswith(b"GET /robots.txt")
    head = b"HTTP/1.1 404 Not Found\r\n" if missing else b"HTTP/1.1 200 OK\r\n"
    connection.sendall(head + b'Content-Type: text/html; x="\xff\xc3\\\x80\xe2\x82\xac"\r\nConnection: close\r\n'
                       b"Content-Length: " + str(len(BODY)).encode() + b"\r\n\r\n" + BODY)
    connection.close()
