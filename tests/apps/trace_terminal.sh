#!/usr/bin/env bash
# Ctrl-C while weft trace record runs at a terminal: the command gets it, from there, once; the
# recorder waits for it, and there is a trace.
# ctest: needs=hooks
. "$WEFT_SOURCE/tests/lib/shell.sh"
weft=$WEFT_BUILD/weft
cd "$scratch" || exit 1

# at_terminal READY KEYS COMMAND...: runs it with a terminal of its own, and presses the keys when it
# has printed READY. What it shows is its output; it has ten seconds.
cat >at_terminal.py <<'END'
import os, pty, select, signal, sys, time

ready, keys, command = sys.argv[1].encode(), sys.argv[2].encode(), sys.argv[3:]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
shown, end = b"", time.time() + 10
while time.time() < end:
    if not select.select([terminal], [], [], 0.1)[0]:
        continue
    try:
        more = os.read(terminal, 4096)
    except OSError:  # nobody has it open any more
        break
    shown += more
    if keys and ready in shown:
        os.write(terminal, keys)
        keys = b""
if time.time() >= end:
    os.killpg(pid, signal.SIGKILL)
status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
sys.stdout.write(shown.decode().replace("\r", ""))
sys.exit(status if status >= 0 else 128 - status)
END
at_terminal() {
    run python3 at_terminal.py "$@"
}

it "waits at Ctrl-C for a command that ends by itself, and has its trace"
at_terminal ' at http://' $'\x03' "$weft" trace record -o serve.json -- "$weft" serve -p0 .
expect status 0
expect_part stdout "weft: serve.json: "
run "$weft" trace summary serve.json
expect status 0
expect_part stdout "listen (net)"

it "sends no second one after it"
cat >count.py <<'END'
import signal

signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
print("ready", flush=True)
signal.sigwait({signal.SIGINT})
print("again" if signal.sigtimedwait({signal.SIGINT}, 0.3) else "once")
END
for _ in 1 2 3; do # two at almost the same time may become one
    at_terminal ready $'\x03' "$weft" trace record -o none.json -- python3 count.py
    expect_part stdout once
done

it "says that a command was killed by Ctrl-C before it could write its trace"
at_terminal ready $'\x03' "$weft" trace record -o none.json -- sh -c 'echo ready; exec sleep 20'
expect status 130
expect_part stdout "'sh' was killed by SIGINT before it could write its trace"
