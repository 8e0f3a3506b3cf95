"""What a weft program waits for, seen from gdb: in a stopped process or in a core file.

    (gdb) source PREFIX/share/weft/weft-gdb.py
    (gdb) weft-dump              every loop of the process
    (gdb) weft-dump LOOP         one: an expression for a struct weft_loop, or a pointer to one
    (gdb) weft-stack             the chain of the op that each loop runs now
    (gdb) weft-stack OP          the chain above one: a struct weft_op, or a pointer to one

Or at once: gdb -p PID -batch -x PREFIX/share/weft/weft-gdb.py -ex weft-dump

PREFIX is where weft is installed, /usr/local mostly; in its sources this is tools/weft-gdb.py.

The words are those of weft_dump and weft_stack, but for ages: a stopped process has no clock that
could be read, so they are those at the loop's last turn. Nothing in the process is called or
changed. It needs the debug information of libweft (-g).
"""

import errno

import gdb

# As in src/core/op.h; the states are magic numbers, so that garbage is told from them.
IDLE, STARTING, RUNNING, READY = 0, 0x57530001, 0x57520002, 0x57590003
QUEUED, EARLY = 0x57510004, 0x57450005
ATTENDANT, WORKS, REFUSED = 1 << 5, 1 << 8, 1 << 10
# As in include/weft/op.h; UINT_MAX is the limit of a lane that has none.
GROUP_USER, NO_LIMIT = 1 << 0, 0xFFFFFFFF
# As in libuv's uv-common.h.
UV_CLOSING, UV_ACTIVE, UV_REF, UV_INTERNAL = 0x1, 0x4, 0x8, 0x10
# As in src/core/dump.c: how much is told.
ALIKE, LINES, INDENT, CHAIN = 4, 1000, 40, 100


def say(text):
    gdb.write(text + "\n")


def address(pointer):
    return int(pointer) & (1 << 64) - 1


def pointer_to(expression, type_name):
    """The value of an expression as a pointer to a struct, of which something can be read."""
    try:
        value = gdb.parse_and_eval(expression)
        wanted = gdb.lookup_type(type_name).pointer()
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
            value = value.address
        pointer = value.cast(wanted)
        pointer.dereference().fetch_lazy()
        return pointer
    except gdb.error as problem:
        raise gdb.GdbError("weft: %s is no %s here: %s" % (expression, type_name, problem))


def reports():
    """What the library keeps about each open loop."""
    try:
        report = gdb.parse_and_eval("weft__loops")
    except gdb.error:
        raise gdb.GdbError("weft: no debug information of libweft here; build it with -g")
    while address(report) != 0:
        yield report
        report = report["next"]


def loops(argument):
    if argument:
        loop = pointer_to(argument, "struct weft_loop")
        if address(loop["root"]["loop_"]) != address(loop):
            raise gdb.GdbError("weft: %s is no struct weft_loop that is open" % argument)
        return [loop]
    return [report["loop"] for report in reports()]


def time_of(ms):
    if ms < 10000:
        return "%d ms" % ms
    if ms < 600000:
        return "%d.%d s" % (ms // 1000, ms % 1000 // 100)
    return "%d h" % (ms // 3600000) if ms >= 36000000 else "%d min" % (ms // 60000)


def counted(count, one, many):
    return "%d %s" % (count, one if count == 1 else many)


# ---- an op ---------------------------------------------------------------------------------------


def current_of(loop):
    return address(loop["current_"]) & ~1


def is_finished_by_hand(op):
    if address(op["parent"]) == 0 or int(op["flags_"]) & (WORKS | ATTENDANT):
        return False
    return address(op["site_"]) != 0 and int(op["site_"]["group"]) & GROUP_USER != 0


def state_of(op):
    state = int(op["state_"])
    if state == RUNNING:
        if current_of(op["loop_"]) == address(op):
            return "running"
        if int(op["running_"]) != 0:
            return "waiting for its children"
        return "waits for somebody's weft_finish" if is_finished_by_hand(op) else "waiting"
    return {
        IDLE: "over",
        STARTING: "starting",
        READY: "finished, not reported yet",
        QUEUED: "queued",
        EARLY: "too early",
    }.get(state, "garbage")


def site_text(site, made="begun"):
    if address(site) == 0 or site["file"].string() == "":
        return ""
    place = (made, site["file"].string(), int(site["line"]), site["func"].string())
    return " %s at %s:%d %s()" % place


def places_text(counted_by):
    return "%d of %d" % (int(counted_by["running"]), int(counted_by["limit"]))


def queue_text(lane):
    """Why a task is not begun: who has the places, and where those are."""
    queue = lane["queue"]
    text = ": paused, " if bool(lane["paused_"]) or bool(queue["paused_"]) else ": "
    if int(lane["limit"]) != NO_LIMIT:
        text += "%s running in its lane, %s in the queue" % (places_text(lane), places_text(queue))
    else:
        text += "%s running in the queue" % places_text(queue)
    return text + site_text(queue["handle_"]["site_"], "made")


def type_of(op):
    return "loop" if address(op["site_"]) == 0 else op["site_"]["type"].string()


def error_name(status):
    """The system's name for it, of which libuv's numbers are the negatives; or else the number."""
    return errno.errorcode.get(-status, str(status))


def describe(op):
    state = state_of(op)
    if state == "garbage":
        return "? [garbage]"
    words = [state]
    if state != "over":
        if int(op["reason_"]) != 0:
            words.append("cancelled (%s)" % error_name(int(op["reason_"])))
        if address(op["parent"]) != 0 and not int(op["flags_"]) & REFUSED:
            age = (int(op["loop_"]["now_ms_"]) - int(op["since_ms_"])) & 0xFFFFFFFF
            words.append(time_of(age))
    place = queue_text(op["place_"]["lane"]) if state == "queued" else ""
    return "%s [%s%s]%s" % (type_of(op), ", ".join(words), place, site_text(op["site_"]))


def chain(op):
    """op and those above it; an op that is over leads nowhere."""
    while address(op) != 0:
        yield op
        if state_of(op) in ("over", "garbage"):
            return
        op = op["parent"]


# ---- the tree ------------------------------------------------------------------------------------


def key(op):
    return address(op["site_"]), int(op["state_"])


def children(op):
    child = op["child_"]
    while address(child) != 0:
        yield child
        child = child["sibling_"]


def count_below(op):
    count, todo = 0, [op]
    while todo:
        for child in children(todo.pop()):
            count += 1
            todo.append(child)
    return count


def show_tree(root):
    """Depth first, without recursion. Of siblings in a row that are alike, some."""
    lines, stack = 0, [(children(root), None, 0)]
    while stack:
        siblings, last, alike = stack.pop()
        op = next(siblings, None)
        hidden = alike - ALIKE
        if op is None or key(op) != last:
            if hidden > 0:
                say("%s… %d more like that" % ("  " * min(len(stack) + 1, INDENT), hidden))
            alike = 0
        if op is None:
            continue
        stack.append((siblings, key(op), alike + 1))
        if alike >= ALIKE:
            continue
        lines += 1
        if lines > LINES:
            say("  … and more operations")
            return
        say("%s%s" % ("  " * min(len(stack), INDENT), describe(op)))
        stack.append((children(op), None, 0))


# ---- why the loop stays alive --------------------------------------------------------------------


def count_list(op):
    count = 0
    while address(op) != 0:
        count += 1
        op = op["wait_"]
    return count


def count_timers(top):
    count, todo = 0, [top]
    while todo:
        timer = todo.pop()
        while address(timer) != 0:
            count += 1
            todo.append(timer["child_"])
            timer = timer["next_"]
    return count


def uv_handles(uv):
    """The handles on libuv's list, which is linked through a member of each."""
    handle_type = gdb.lookup_type("uv_handle_t")
    offset = next(f.bitpos // 8 for f in handle_type.fields() if f.name == "handle_queue")
    word = gdb.lookup_type("unsigned long").pointer()
    head = address(uv["handle_queue"].address)
    at = address(gdb.Value(head).cast(word).dereference())
    while at != head:
        yield gdb.Value(at - offset).cast(handle_type.pointer())
        at = address(gdb.Value(at).cast(word).dereference())


def belongs(handle):
    """To an operation."""
    return address(handle["data"]) == address(gdb.parse_and_eval("&weft__uv_ours"))


def ours(handle, loop):
    handles = loop["handles_"]
    first = address(handles)
    if first <= address(handle) < first + handles.type.target().sizeof:
        return True
    return belongs(handle)


def known_handles(uv):
    """Those on the loop; None: what is there cannot be read."""
    try:
        return [h for h in uv_handles(uv) if not int(h["flags"]) & UV_INTERNAL]
    except (gdb.error, StopIteration, RuntimeError):
        return None


def keeps_alive(handle):
    return int(handle["flags"]) & UV_ACTIVE and int(handle["flags"]) & UV_REF


def show_uv_handle(handle):
    flags = int(handle["flags"])
    words = ["closing" if flags & UV_CLOSING else "active" if flags & UV_ACTIVE else "not active"]
    if not flags & UV_REF:
        words.append("unreferenced")
    kind = str(handle["type"]).lower()
    say("  %s [%s] of yours, at 0x%x" % (kind, ", ".join(words), address(handle)))


def show_alive(loop):
    ready = count_list(loop["ready_"]) + count_list(loop["later_"])
    requests = int(loop["uv"]["active_reqs"]["count"])
    posts = int(loop["expected_"])
    handles = known_handles(loop["uv"])
    yours = [h for h in handles or [] if not ours(h, loop)]
    keeping = [h for h in yours if keeps_alive(h)]
    closing = [h for h in handles or [] if int(h["flags"]) & UV_CLOSING]
    working = [h for h in handles or [] if belongs(h) and keeps_alive(h)]
    causes = []
    if ready:
        causes.append(counted(ready, "operation that is ready", "operations that are ready"))
    if address(loop["timers_"]) != 0:
        wait = int(loop["timers_"]["due_"]) - int(loop["uv"]["time"])
        due = " due " + ("in " + time_of(wait) if wait > 0 else "now")
        timers = counted(count_timers(loop["timers_"]), "timer,", "timers, the next is")
        causes.append(timers + due if address(loop["sim_"]) == 0 else timers + " due")
    if requests:
        causes.append(counted(requests, "request of libuv's", "requests of libuv's"))
    if posts:
        causes.append(counted(posts, "post that is expected", "posts that are expected"))
    if working:
        causes.append(counted(len(working), "uv handle of an operation", "uv handles of operations"))
    if keeping:
        causes.append(counted(len(keeping), "uv handle of yours", "uv handles of yours"))
    if closing:
        causes.append(
            counted(len(closing), "uv handle that is closing", "uv handles that are closing")
        )
    if handles is None:
        causes.append("uv handles, perhaps: those cannot be read here")
    say("the loop stays alive for:" if causes else "nothing keeps the loop alive")
    for cause in causes:
        say("  " + cause)
    for handle in yours[:100]:
        show_uv_handle(handle)


# ---- the commands --------------------------------------------------------------------------------


class Command(gdb.Command):
    """What cannot be read is told in a line."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        try:
            self.answer(argument)
        except gdb.error as problem:
            raise gdb.GdbError("weft: it cannot be read further: %s" % problem)


class Dump(Command):
    """weft-dump [LOOP]: all that is open on a weft loop, and why that stays alive."""

    def __init__(self):
        super().__init__("weft-dump")

    def answer(self, argument):
        found = loops(argument)
        if not found:
            say("weft: no loop is open")
        for loop in found:
            root = loop["root"].address
            say("loop 0x%x" % address(loop))
            count = counted(count_below(root), "operation", "operations")
            say("open: %s, %d under the root" % (count, int(root["running_"])))
            say("(ages are those at the loop's last turn)")
            show_tree(root)
            show_alive(loop)


class Stack(Command):
    """weft-stack [OP]: an op and those above it; without one, what each loop runs now."""

    def __init__(self):
        super().__init__("weft-stack")

    def answer(self, argument):
        if argument:
            self.show(pointer_to(argument, "struct weft_op"))
            return
        op_type = gdb.lookup_type("struct weft_op").pointer()
        for loop in loops(""):
            current = current_of(loop)
            say("loop 0x%x runs:" % address(loop) if current else "loop 0x%x waits" % address(loop))
            self.show(gdb.Value(current).cast(op_type))

    def show(self, op):
        for number, link in enumerate(chain(op)):
            if number == CHAIN:
                say("  … and more above")
                return
            say("  " + describe(link))


Dump()
Stack()
