# shellcheck shell=bash disable=SC2154  # scratch is shell.sh's
# For commands that write more than anybody reads. Source it after shell.sh:
#
#   interrupt_when_stuck WHERE COMMAND...   # leaves its exit status in $status, what it said in $stderr
#
# WHERE is stdout or stderr, which is then a pipe that nobody empties, or terminal: standard output is one that
# nobody reads. When that is full, Ctrl-C is pressed; the command has ten seconds to end.
cat >"$scratch/.interrupt.py" <<'END'
import os, pty, select, signal, subprocess, sys

where = sys.argv[1]
reader, writer = pty.openpty() if where == "terminal" else os.pipe()
stream = "stderr" if where == "stderr" else "stdout"
child = subprocess.Popen(sys.argv[2:], stdin=subprocess.DEVNULL, **{stream: writer},
                         preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
while child.poll() is None and select.select([], [writer], [], 0)[1]:
    os.sched_yield()
child.send_signal(signal.SIGINT)
try:
    status = child.wait(timeout=10)
except subprocess.TimeoutExpired:
    child.kill()
    status = 99
sys.exit(status if status >= 0 else 128 - status)
END
interrupt_when_stuck() {
    run python3 "$scratch/.interrupt.py" "$@"
}
