"""Is the data of a report, or each line of a log, UTF-8 and JSON, with nothing in it that drives a terminal?

    check.py REPORT LOG       prints what is wrong; and the types of the report, escaped, one a line
"""
import json
import re
import sys
import unicodedata


def read(name, data):
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        sys.exit(f"{name} is no UTF-8: {error}")
    strange = {c for c in text if c != "\n" and unicodedata.category(c) in ("Cc", "Cf", "Zl", "Zp")}
    if strange:
        sys.exit(f"{name} has {strange!r}")
    return text


page = read("the report", open(sys.argv[1], "rb").read())
data = json.loads(re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)[1])
for line in read("the log", open(sys.argv[2], "rb").read()).splitlines():
    json.loads(line)
for name, *_ in sorted(data["types"]):
    print(ascii(name)[1:-1])
