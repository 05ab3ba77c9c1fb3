"""
Places an order, moves on from every answer there can be, and follows what happens without leaving anything out.

Python 3.9 or newer, nothing besides its standard library. It asks with a key that is granted already (README, "First order on
paper", prints one):

    POSTERN=http://127.0.0.1:8787 API_KEY=api_trade_... ACCOUNT=... python3 docs/examples/trade.py
"""

import json
import os
import secrets
import sys
import time
import urllib.error
import urllib.request

POSTERN = os.environ.get("POSTERN", "http://127.0.0.1:8787")
API_KEY = os.environ["API_KEY"]
ACCOUNT = os.environ["ACCOUNT"]

# Longer than a gateway takes to answer a write, seconds.
ANSWER_WITHIN_S = 15
# A comment comes after 15 quiet seconds: a stream that is quiet for longer is none any more.
QUIET_S = 40
# Between two tries where nobody says how long to wait, seconds.
PAUSE_S = 1
# How long an order may stay unknown before a person should look, seconds.
PATIENCE_S = 120


def request(path, body=None, headers=None):
    """Status, parsed body and seconds to wait; status None where no answer came, which says nothing of what happened."""
    asked = urllib.request.Request(
        POSTERN + path,
        data=None if body is None else json.dumps(body).encode(),
        headers={"Authorization": "Bearer " + API_KEY, "Content-Type": "application/json", **(headers or {})},
    )
    try:
        with urllib.request.urlopen(asked, timeout=ANSWER_WITHIN_S) as answer:
            return answer.status, json.load(answer), PAUSE_S
    except urllib.error.HTTPError as refused:
        try:
            return refused.code, json.load(refused), int(refused.headers.get("Retry-After", PAUSE_S))
        except (OSError, ValueError):
            # Not the gateway's own words: something between has answered.
            return None, None, PAUSE_S
    except (OSError, ValueError):
        return None, None, PAUSE_S


def write(path, body, key):
    """
    One thing that is to happen, under one key: the same key however often it is asked, so that it happens once. Keep the key
    where a crash of this program does not lose it, before the first request.
    """
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        status, answer, wait_s = request(path, body, {"Idempotency-Key": key})
        if status in (200, 201):
            # Known. It may be `rejected`: look at `status` and `error`.
            return answer
        if status is not None and status != 202 and status != 409 and status != 429 and status < 500:
            raise ValueError(f"{status}: {answer['error']['message']}")
        if status == 409 and answer["error"]["code"] != "idempotency_in_progress":
            raise ValueError(f"{status}: {answer['error']['message']}")
        # No answer, a 202 (`unknown`: sent, and nobody knows yet), or nothing was sent by this request: the same key again.
        time.sleep(wait_s)
    raise TimeoutError(f"{key} is still unknown: never ask for the same thing under another key")


def events(last_id=None):
    """Every event since `last_id`, once and in order, across broken connections and restarts of the gateway: (id, type, data)."""
    while True:
        asked = urllib.request.Request(POSTERN + "/v1/events", headers={"Authorization": "Bearer " + API_KEY})
        if last_id is not None:
            asked.add_header("Last-Event-ID", last_id)
        try:
            with urllib.request.urlopen(asked, timeout=QUIET_S) as stream:
                for fields in blocks(stream):
                    # An event that was cut off has no id to come back to: it is told again.
                    last_id = fields.get("id", last_id)
                    if "data" in fields:
                        yield last_id, fields.get("event", "message"), json.loads(fields["data"])
        except urllib.error.HTTPError as refused:
            if refused.code < 500 and refused.code != 429:
                raise
            time.sleep(int(refused.headers.get("Retry-After", PAUSE_S)))
        except OSError:
            time.sleep(PAUSE_S)


def blocks(stream):
    """Server-sent events as they are told: fields up to an empty line; a line that begins with a colon is a comment."""
    fields = {}
    for raw in stream:
        line = raw.decode().rstrip("\r\n")
        if line == "":
            if fields:
                yield fields
            fields = {}
        elif not line.startswith(":"):
            name, _, value = line.partition(":")
            fields[name] = value.removeprefix(" ")


def wait_for(order_id, is_wanted, last_id):
    """The place in the stream at which the order was told to be so."""
    for event_id, kind, event in events(last_id):
        told = event["data"]
        if kind == "reset":
            # Our place is not known any more: what happened meanwhile is in the lists, and in the order itself.
            status, told, _ = request("/v1/orders/" + order_id)
            told = told if status == 200 else {}
        # An order that is proven never to have been sent is told as `removed`, without a status.
        if told.get("object") == "order" and told.get("id") == order_id and "status" in told and is_wanted(told):
            return event_id
    raise AssertionError("events() does not end")


def main():
    first_id = next(events())[0]
    order = {"account": ACCOUNT, "market": "BTC", "side": "buy", "size": "0.001", "price": "30000"}
    placed = write("/v1/orders", order, "example-place-" + secrets.token_hex(8))
    print("placed", placed["id"], placed["status"])
    if placed["status"] == "rejected":
        sys.exit(placed["error"])
    # From the place that was taken before: nothing that happened since is left out, though nobody listened.
    told_id = wait_for(placed["id"], lambda told: told["status"] == "open", first_id)
    print("told open, event", told_id)
    write("/v1/orders/" + placed["id"] + "/cancel", {}, "example-cancel-" + secrets.token_hex(8))
    told_id = wait_for(placed["id"], lambda told: told["status"] == "canceled", told_id)
    print("told canceled, event", told_id)


if __name__ == "__main__":
    main()
