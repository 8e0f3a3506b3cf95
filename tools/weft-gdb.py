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
changed. It needs the debug information of libweft (-g); a function without a symbol is told by its
address.
"""

import errno
import functools

import gdb

# As in src/core/op.h; the states are magic numbers, so that garbage is told from them.
IDLE, STARTING, RUNNING, READY = 0, 0x57530001, 0x57520002, 0x57590003
QUEUED, EARLY = 0x57510004, 0x57450005
ATTENDANT, WORKS, REFUSED, NAMED = 1 << 5, 1 << 8, 1 << 10, 1 << 11
# As in include/weft/op.h; UINT_MAX is the limit of a lane that has none.
GROUP_USER, NO_LIMIT = 1 << 0, 0xFFFFFFFF
# As in libuv's uv-common.h.
UV_CLOSING, UV_ACTIVE, UV_REF, UV_INTERNAL = 0x1, 0x4, 0x8, 0x10
# As in src/core/dump.c, wording.c, stack.c and alive.c: how much is told.
ALIKE, LINES, INDENT, PLACES = 4, 1000, 40, 64
CHAIN, OUTERMOST, KEY = 100, 4, 40
FRAMES, OURS = 16, 10
LISTED = 100


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


def lazy_text(lazy):
    """Why a call is not begun: what has to be ready first, and whether anybody is at it."""
    if bool(lazy["initialized"]):
        text = ": is begun in its turn"
    elif int(lazy["promise"]["op"]["state_"]) != IDLE:
        text = ": being initialised"
    else:
        text = ": nobody initialises it"
    made = site_text(lazy["handle_"]["site_"], "lazy made")
    return text + ("," + made if made else "")


def is_load(op):
    """Of a batch: that is told by its then, which is the library's own."""
    then = address(op["then_"])
    function = gdb.block_for_pc(then).function if then and gdb.block_for_pc(then) else None
    return (
        function is not None
        and function.name == "over"
        and function.symtab.filename.endswith("recipes/flight.c")
    )


def load_text(op):
    """What is loaded: some of the key's bytes, and only what is plain."""
    if not is_load(op):
        return ""
    flight_type = gdb.lookup_type("struct weft_flight")
    promise = next(f for f in flight_type.fields() if f.name == "promise")
    within = next(f for f in promise.type.fields() if f.name == "op")
    offset = (promise.bitpos + within.bitpos) // 8
    text = gdb.Value(address(op) - offset).cast(flight_type.pointer())["key"]
    size = int(text["size"])
    data = [int(text["data"][i]) & 0xFF for i in range(min(size, KEY))]
    plain = "".join(chr(byte) if 0x20 <= byte <= 0x7E else "?" for byte in data)
    return ', key "%s%s"' % (plain, "…" if size > KEY else "")


def type_of(op):
    if address(op["site_"]) != 0:
        return op["site_"]["type"].string()
    loop = op["loop_"]
    return "loop" if address(loop) and address(loop["root"].address) == address(op) else "?"


def enum_name(type_name, prefix, status):
    try:
        fields = gdb.lookup_type(type_name).fields()
    except gdb.error:
        return None
    names = [field.name for field in fields if field.enumval == status]
    return names[0][len(prefix) :] if names else None


def error_name(status):
    """weft's name for it, or libuv's, or the system's, of which libuv's numbers are the negatives."""
    return (
        enum_name("enum weft_error", "WEFT_", status)
        or enum_name("uv_errno_t", "UV_", status)
        or errno.errorcode.get(-status, str(status))
    )


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
    text = ", ".join(words)
    if state == "queued":
        text += queue_text(op["place_"]["lane"])
    if state == "too early":
        text += lazy_text(op["place_"]["lazy"])
    if state != "over":
        text += load_text(op)
    return "%s [%s]%s" % (type_of(op), text, site_text(op["site_"]))


def chain(op):
    """op and those above it; an op that is over leads nowhere."""
    while address(op) != 0:
        yield op
        if state_of(op) in ("over", "garbage"):
            return
        op = op["parent"]


# ---- the C stacks of where it was begun ----------------------------------------------------------


@functools.lru_cache(maxsize=None)
def function_at(place):
    """What is kept is where a call returns to: the call itself lies before that."""
    try:
        ask = "with print demangle off -- info symbol 0x%x"  # ours would be taken for Ada's
        found = gdb.execute(ask % (place - 1), to_string=True)
    except gdb.error:
        found = "No symbol"
    return "0x%x" % (place - 1) if found.startswith("No symbol") else found.split()[0]


def is_name_of(name, function):
    return name == function or name.startswith(function + ".")


def first_of_caller(names, function):
    """Where the caller's frames begin, behind those of the library that led here."""
    for number, name in enumerate(names[:OURS]):
        if is_name_of(name, function):
            return number
    first = 0
    while first < min(len(names), OURS) and names[first].startswith(
        ("weft_", "tell_", "take_sample", "run_special")
    ):
        first += 1
    return first


@functools.lru_cache(maxsize=None)
def samples_of(handles):
    """Those of a loop, by id, as long as a command runs."""
    pointer = gdb.lookup_type("struct weft_handles").pointer()
    samples = gdb.Value(handles).cast(pointer)["report"]["samples"]
    if address(samples) == 0:
        return {}
    low, high = samples["ring"].type.range()
    ring = [samples["ring"][number] for number in range(low, high + 1)]
    return {int(sample["id"]): sample for sample in ring}


def show_sample(loop, wanted, blanks):
    sample = samples_of(address(loop["handles_"])).get(wanted) if wanted else None
    if sample is not None:
        names = [function_at(int(sample["at"][i])) for i in range(int(sample["count"]))]
        first = first_of_caller(names, sample["site"]["func"].string())
        for name in names[first : first + FRAMES]:
            say(" " * blanks + "in " + name)


def show_op(op, depth):
    blanks = 2 * min(depth, INDENT)
    say(" " * blanks + describe(op))
    if int(op["flags_"]) & NAMED:
        show_sample(op["loop_"], int(op["id_"]), blanks + 4)


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


def show_many(alike, depth):
    """Those of a row of siblings that are like the ones that were shown."""
    below = sum(count_below(op) for op in alike)
    text = "… %d more like that" % len(alike)
    say("  " * min(depth, INDENT) + text + (", with %d below them" % below if below else ""))


def show_rest(stack):
    """stack: of each level, what is left of it."""
    count = sum(1 + count_below(op) for siblings in stack for op in siblings)
    say("  … and " + counted(count, "operation more", "operations more"))


def show_tree(root):
    """Depth first, without recursion. Of siblings in a row that are alike, some."""
    lines, stack, rows = 0, [list(children(root))], [[]]
    while stack:
        siblings, row = stack[-1], rows[-1]
        if not siblings:
            stack.pop()
            rows.pop()
            continue
        if lines == LINES:
            show_rest(stack)
            return
        lines += 1
        op = siblings[0]
        row[:] = row if row and row[0] == key(op) else []
        if len(row) == ALIKE:
            many = 1
            while many < len(siblings) and key(siblings[many]) == key(op):
                many += 1
            show_many(siblings[:many], len(stack))
            del siblings[:many]
            continue
        row.append(key(op))
        del siblings[0]
        show_op(op, len(stack))
        stack.append(list(children(op)))
        rows.append([])


# ---- resources that are no ops --------------------------------------------------------------------


def slots(loop):
    """The slots that are in use."""
    chunk = loop["observers_"]["chunks"]
    while address(chunk) != 0:
        low, high = chunk["slots"].type.range()
        for number in range(low, high + 1):
            slot = chunk["slots"][number]
            if int(slot["id"]) != 0:
                yield slot
        chunk = chunk["next"]


def is_no_op(loop, slot):
    """Where its set of hooks is kept tells an op from the others, and one whose callback runs."""
    seen = address(slot["seen"])
    if address(slot["resource"]) != 0:
        op = slot["resource"].cast(gdb.lookup_type("struct weft_op").pointer())
        if seen == address(op["flags_"].address):
            return False
    frame = loop["frame_"]
    while address(frame) != 0:
        if seen == address(frame["seen_"].address):
            return False
        frame = frame["outer_"]
    return True


def place_of(places, site):
    """As place_of in src/core/places.h, so that the order is the same; None: there is no room."""
    at = (address(site) >> 4) * 0x9E3779B97F4A7C15 % (1 << 64) >> 32
    for i in range(PLACES):
        number = (at + i) % PLACES
        place = places.setdefault(number, {"site": site, "count": 0, "oldest": 0, "age": 0})
        if address(place["site"]) == address(site):
            return place
    return None


def show_handles(loop):
    places, others = {}, 0
    for slot in slots(loop):
        if not is_no_op(loop, slot):
            continue
        place = place_of(places, slot["site"])
        if place is None:
            others += 1
            continue
        age = (int(loop["now_ms_"]) - int(slot["since_ms"])) & 0xFFFFFFFF
        if place["count"] == 0 or age > place["age"]:
            place["oldest"], place["age"] = int(slot["id"]), age
        place["count"] += 1
    for number in sorted(places):
        place = places[number]
        many = "%d of them, the oldest " % place["count"] if place["count"] > 1 else ""
        text = "%s [%s%s]" % (place["site"]["type"].string(), many, time_of(place["age"]))
        say("  " + text + site_text(place["site"]))
        show_sample(loop, place["oldest"], 6)
    if others:
        say("  … and %d more at other places" % others)


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


def belongs(handle, resources):
    """To an operation, or to a resource that somebody has made visible."""
    mark = address(gdb.parse_and_eval("&weft__uv_ours"))
    return address(handle["data"]) == mark or address(handle) in resources


def is_the_loops(handle, loop):
    handles = loop["handles_"]
    first = address(handles)
    return first <= address(handle) < first + handles.type.target().sizeof


def known_handles(loop):
    """Those on it that are not its own; None: what is there cannot be read."""
    try:
        there = [h for h in uv_handles(loop["uv"]) if not int(h["flags"]) & UV_INTERNAL]
    except (gdb.error, StopIteration, RuntimeError):
        return None
    return [h for h in there if not is_the_loops(h, loop)]


def keeps_alive(handle):
    flags = int(handle["flags"])
    return flags & UV_ACTIVE and flags & UV_REF and not flags & UV_CLOSING


def descriptor_of(handle, kind):
    """None: it has none, or is about to close it."""
    kinds = {"uv_tcp": "uv_tcp_t", "uv_pipe": "uv_pipe_t", "uv_tty": "uv_tty_t"}
    kinds.update({"uv_udp": "uv_udp_t", "uv_poll": "uv_poll_t"})
    if kind not in kinds or int(handle["flags"]) & UV_CLOSING:
        return None
    try:
        itself = handle.cast(gdb.lookup_type(kinds[kind]).pointer())
        fd = int(itself["io_watcher"]["fd"])
    except gdb.error:  # nobody has used that type, so it is not known here
        return None
    return fd if fd >= 0 else None


def show_uv_handle(handle):
    flags = int(handle["flags"])
    words = ["closing" if flags & UV_CLOSING else "active" if flags & UV_ACTIVE else "not active"]
    if not flags & UV_REF:
        words.append("unreferenced")
    kind = str(handle["type"]).lower().replace("named_pipe", "pipe")
    fd = descriptor_of(handle, kind)
    if fd is not None:
        words.append("fd %d" % fd)
    say("  %s [%s] of yours, at 0x%x" % (kind, ", ".join(words), address(handle)))


def now_of(loop):
    return int(loop["uv"]["time"] if address(loop["sim_"]) == 0 else loop["sim_"]["now_"])


def show_alive(loop):
    ready = count_list(loop["ready_"]) + count_list(loop["later_"])
    requests = int(loop["uv"]["active_reqs"]["count"])
    posts = int(loop["expected_"])
    handles = known_handles(loop)
    resources = {address(slot["resource"]) for slot in slots(loop)}
    yours = [h for h in handles or [] if not belongs(h, resources)]
    keeping = [h for h in yours if keeps_alive(h)]
    closing = [h for h in handles or [] if int(h["flags"]) & UV_CLOSING]
    working = [h for h in handles or [] if belongs(h, resources) and keeps_alive(h)]
    causes = []
    if ready:
        causes.append(counted(ready, "operation that is ready", "operations that are ready"))
    if address(loop["timers_"]) != 0:
        wait = int(loop["timers_"]["due_"]) - now_of(loop)
        due = " due " + ("in " + time_of(wait) if wait > 0 else "now")
        timers = counted(count_timers(loop["timers_"]), "timer,", "timers, the next is")
        causes.append(timers + due)
    if requests:
        causes.append(counted(requests, "request of libuv's", "requests of libuv's"))
    detached = int(loop["detached_"])
    if detached:
        causes.append(
            counted(detached, "request whose op was cancelled", "requests whose ops were cancelled")
        )
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
    for handle in yours[:LISTED]:
        show_uv_handle(handle)
    if len(yours) > LISTED:
        say("  %d more of yours" % (len(yours) - LISTED))


# ---- the commands --------------------------------------------------------------------------------


class Command(gdb.Command):
    """What cannot be read is told in a line."""

    def __init__(self, name):
        super().__init__(name, gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, argument, from_tty):
        function_at.cache_clear()
        samples_of.cache_clear()
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
            show_handles(loop)
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
        links = list(chain(op))
        more = len(links) - CHAIN
        for number, link in enumerate(links):
            if more > 0 and CHAIN - OUTERMOST <= number < len(links) - OUTERMOST:
                if number == CHAIN - OUTERMOST:
                    say("  … %d between these …" % more)
                continue
            say("  " + describe(link))
            if state_of(link) != "garbage" and int(link["flags_"]) & NAMED:
                show_sample(link["loop_"], int(link["id_"]), 6)


Dump()
Stack()
