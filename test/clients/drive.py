"""
The scenes of test/clients/scenes.ts with the client of Python: one call a line of standard input, what it came to a line of standard
output. `round` is a golden row.
"""

import json
import re
import sys
from itertools import islice

sys.path.insert(0, sys.argv[1])

import postern  # noqa: E402


class Clock:
    """Time passes while it sleeps, and at no other time."""

    def __init__(self):
        self.now_s = 0.0
        self.slept_ms = []

    def monotonic(self):
        return self.now_s

    def sleep(self, seconds):
        self.slept_ms.append(round(seconds * 1000))
        self.now_s += seconds


def run(client, call):
    if "all" in call:
        return list(client.all(call["all"]))
    if "follow" in call:
        return [words(event) for event in islice(client.follow(call["follow"]), call["take"])]
    method = getattr(client, re.sub("[A-Z]", lambda letter: "_" + letter[0].lower(), call["do"]))
    key = {"key": call["key"]} if "key" in call else {}
    return method(*([call["id"]] if "id" in call else []), **call.get("with", {}), **key)


def words(event):
    orders = [",".join(order["id"] for order in event["orders"])] if "orders" in event else []
    return " ".join([event["type"], event["id"], *orders])


def tell(work):
    try:
        return {"result": work()}
    except postern.PosternError as error:
        return {"code": error.code, "outcome": error.outcome, "status": error.status}


for line in sys.stdin:
    asked = json.loads(line)
    if "round" in asked:
        told = [tell(lambda row=row: postern.round(*row)) for row in asked["round"]]
        print(json.dumps({"told": told}), flush=True)
        continue
    clock = Clock()
    about = {"api_key": "api_trade_test", "account": "a1", "clock": clock}
    client = postern.Postern(asked["url"], silent_after_s=asked["silentAfterMs"] / 1000, **about)
    told = [tell(lambda call=call: run(client, call)) for call in asked["calls"]]
    print(json.dumps({"told": told, "slept": clock.slept_ms}), flush=True)
