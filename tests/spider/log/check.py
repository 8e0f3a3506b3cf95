"""Holds every line of a log against docs/spider-log.md, so that neither says what the other does not;
and what `end` counts against the events of its run.

    check.py DOCUMENT LOG...      prints what does not fit; and "event COUNT" for each event
"""
import collections
import json
import re
import sys

TYPES = {
    "string": lambda value: isinstance(value, str),
    "strings": lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value),
    "integer": lambda value: type(value) is int and value >= 0,
    "number": lambda value: type(value) in (int, float) and value >= 0,
    "boolean": lambda value: isinstance(value, bool),
    "time": lambda value: re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", value),
    "hash": lambda value: re.fullmatch(r"[0-9a-f]{32}", value),
}


def read_schema(path):
    """The tables: {event: {member: (type, optional)}}. Those before the first event are of all."""
    schema, table, common = {}, {}, []
    for line in open(path, encoding="utf-8"):
        heading = re.fullmatch(r"### (\w+)\n", line)
        if heading:
            table = schema[heading[1]] = {}
        elif line.startswith("| member"):
            if not schema:
                table = {}
                common.append(table)
        elif line.startswith("| `"):
            names, kind, _ = [cell.strip() for cell in line.strip("|\n ").split("|")]
            for name in re.findall(r"`([^`]+)`", names):
                source = common[1].get(name) if kind == "" else (kind, name.endswith("?"))
                table[name.rstrip("?")] = source
    for members in schema.values():
        members.update(common[0])
    return schema


def fits(value, kind):
    if kind.startswith("one of: "):
        return value in kind[len("one of: "):].split(", ")
    return TYPES[kind](value)


def faults(line, schema):
    try:
        event = json.loads(line.decode("utf-8"))
    except ValueError as error:
        yield f"is no JSON: {error}"
        return
    if not line.endswith(b"\n") or b"\n" in line[:-1]:
        yield "is no whole line"
    members = schema.get(event.get("event"))
    if members is None:
        yield "is no event"
        return
    for name, value in event.items():
        if name not in members:
            yield f"has {name}"
        elif not fits(value, members[name][0]):
            yield f"has {name} {value!r}, which is no {members[name][0]}"
    for name, (_, optional) in members.items():
        if not optional and name not in event:
            yield f"has no {name}"


class Run:
    """What the events since the last begin come to."""

    def __init__(self):
        self.begun, self.wire, self.answers, self.counts = False, 0, 0, collections.Counter()

    def add(self, event):
        name = event["event"]
        if name == "begin":
            self.__init__()
            self.begun = True
        elif not self.begun:
            yield "stands before a begin"
        self.counts[name] += 1
        self.wire += event["wire"] if name == "fetch" else 0
        self.answers += name == "fetch" and "http" in event
        if name != "end":
            return
        for kind in ("saved", "there", "same", "moved", "skipped", "failed"):
            if event[kind] != self.counts[kind]:
                yield f"counts {event[kind]} {kind}, but there are {self.counts[kind]}"
        if event["wire"] != self.wire:
            yield f"says wire {event['wire']}, but it is {self.wire}"
        if event["answers"] != self.answers:
            yield f"says answers {event['answers']}, but there are {self.answers}"
        self.begun = False


def main():
    schema = read_schema(sys.argv[1])
    counts, wrong = collections.Counter(), 0
    for path in sys.argv[2:]:
        run = Run()
        for line in open(path, "rb"):
            found = list(faults(line, schema))
            if not found:
                event = json.loads(line)
                counts[event["event"]] += 1
                found = list(run.add(event))
            for fault in found:
                wrong += 1
                print(f"{path}: {fault}: {line[:300]!r}")
    for event in schema:
        print(event, counts[event])
    sys.exit(wrong > 0)


main()
