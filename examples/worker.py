#!/usr/bin/env python3
"""A worker for a weft pool, in some thirty lines: counts words. See docs/workers.md for the frames."""
import fcntl, os, socket, struct, sys

JOB, PING, READY, EVENT, END, ERROR, PONG = 1, 3, 16, 17, 18, 19, 20
HEAD = struct.Struct("<IBBHQII")  # size, type, flags, 0, job, attempt, kind
SEALS = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE
channel = socket.socket(fileno=int(os.environ["WEFT_WORKER_FD"]))
waiting, memories = b"", []

def serve(text, emit):  # the work: an event for each line, and the number of words
    for number, line in enumerate(text.splitlines()):
        emit(number, str(len(line.split())).encode())
    return str(len(text.split())).encode()

def send(frame, job=0, attempt=0, kind=0, data=b""):
    head = HEAD.pack(len(data), frame, int(len(data) > 65536), 0, job, attempt, kind)
    if len(data) <= 65536:
        return channel.sendall(head + data)
    with open(os.memfd_create("reply", os.MFD_ALLOW_SEALING), "wb", buffering=0) as memory:
        memory.write(data)
        fcntl.fcntl(memory, fcntl.F_ADD_SEALS, SEALS)
        socket.send_fds(channel, [head], [memory.fileno()])

def take(size):
    global waiting
    while len(waiting) < size:
        data, descriptors, _, _ = socket.recv_fds(channel, 65536, 4)
        memories.extend(descriptors)
        waiting += data or sys.exit()  # the channel has ended: nobody wants anything any more
    data, waiting = waiting[:size], waiting[size:]
    return data

def answer(job, attempt, data):
    try:
        end = serve(data.decode(), lambda kind, found: send(EVENT, job, attempt, kind, found))
        send(END, job, attempt, 0, end)
    except Exception as error:
        send(ERROR, job, attempt, 0, repr(error).encode())

send(READY, kind=1)
while True:
    size, frame, flags, _, job, attempt, _ = HEAD.unpack(take(HEAD.size))
    with open(memories.pop(0) if flags & 1 else os.devnull, "rb") as memory:
        data = os.pread(memory.fileno(), size, 0) if flags & 1 else take(size)
    answer(job, attempt, data) if frame == JOB else send(PONG) if frame == PING else None
