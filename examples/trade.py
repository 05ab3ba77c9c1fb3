"""
Places an order far below the market, moves on from every answer there can be, follows what happens without leaving anything out, and
cancels. Python 3.10 or newer. The client lies beside it, as the gateway serves it, and the key is granted already (README,
"First order on paper", prints one):

    curl -sO http://127.0.0.1:8787/llms/postern.py
    POSTERN=http://127.0.0.1:8787 API_KEY=api_trade_... ACCOUNT=... python3 trade.py
"""

import os
import sys

import postern

# How often one wish is asked for again that nobody knows of, each time for two minutes, before a person has to look.
MAX_UNKNOWN = 3


def once(client, call):
    """Calls with one key, made before the first request: write it down where a crash of this program does not lose it."""
    key = client.new_key()
    print("key", key)
    for tries in range(1, MAX_UNKNOWN + 1):
        try:
            return call(key)
        except postern.PosternError as error:
            # `nothing_sent`: it is refused, and nothing happened. `unknown`: the same key tells, and no other.
            if error.outcome == "nothing_sent" or tries == MAX_UNKNOWN:
                raise
            print(error.code, "nobody knows yet what became of it: asking again under the same key", file=sys.stderr)
    raise AssertionError("it returns or raises before")


def wait_for(client, events, order_id, status):
    """Waits until the order is told to be so."""
    for event in events:
        # A `state` comes where the gateway does not know our place any more: what happened meanwhile is in the order itself.
        order = client.get_order(order_id) if event["type"] == "state" else event["data"]
        # An order that is proven never to have been sent is told as `removed`, without a status.
        if order.get("id") == order_id and order.get("status") == status:
            return event["id"]
    raise AssertionError("follow() does not end")


def main():
    url = os.environ.get("POSTERN", "http://127.0.0.1:8787")
    client = postern.Postern(url, os.environ["API_KEY"], os.environ["ACCOUNT"], key_prefix="example-")
    # Before anything is asked for: the first that is told is how everything stands, and nothing is left out from there on.
    events = client.follow()
    state = next(events)
    print("begins with", len(state["orders"]), "open orders, event", state["id"])

    price = postern.round(client.get_market("BTC"), "price", "30000.57", "down")
    wish = {"market": "BTC", "side": "buy", "size": "0.001", "price": price}
    placed = once(client, lambda key: client.place_order(key=key, **wish))
    print("placed", placed["id"], placed["status"])
    if placed["status"] == "rejected":
        sys.exit(placed["error"])
    print("told open, event", wait_for(client, events, placed["id"], "open"))

    canceled = once(client, lambda key: client.cancel_order(placed["id"], key=key))
    print("canceled", canceled["id"], canceled["status"])
    print("told canceled, event", wait_for(client, events, placed["id"], "canceled"))


if __name__ == "__main__":
    main()
