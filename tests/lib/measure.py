#!/usr/bin/env python3
"""measure.py FILE COMMAND...: runs it, exits as it does; FILE becomes "MILLISECONDS KILOBYTES" of it."""
import os
import sys
import time

begun = time.monotonic()
pid = os.posix_spawnp(sys.argv[2], sys.argv[2:], os.environ)
_, status, usage = os.wait4(pid, 0)
took = int((time.monotonic() - begun) * 1000)
with open(sys.argv[1], "w", encoding="ascii") as file:
    file.write(f"{took} {usage.ru_maxrss}\n")
sys.exit(os.WEXITSTATUS(status) if os.WIFEXITED(status) else 128 + os.WTERMSIG(status))
