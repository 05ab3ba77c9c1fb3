"""What may befall a request: lost, late, and above all answers that are well formed and not the answer to it."""
import json
import threading
import time
from decimal import Decimal

import views

BAD_GATEWAY = (502, "<html><head><title>502 Bad Gateway</title></head><body></body></html>")


def answered_lost(x, request, run):
    run()
    return None, None


def never_came(x, request, run):
    return None, None


def late(seconds):
    """The connection is cut, and the request is carried out all the same, that much later."""
    def fate(x, request, run):
        threading.Timer(seconds, run).start()
        return None, None
    return fate


def slow(seconds):
    def fate(x, request, run):
        answer = run()
        time.sleep(seconds)
        return 200, answer
    return fate


def held_and_cut(seconds):
    """On its way so long, and then no answer either."""
    def fate(x, request, run):
        time.sleep(seconds)
        run()
        return None, None
    return fate


def held(seconds):
    def fate(x, request, run):
        time.sleep(seconds)
        return 200, run()
    return fate


def refused_and_taken(seconds, text="Too many cumulative requests sent (10001 > 10000) for cumulative volume traded $0.0. Place taker orders to free up 1 request per USDC traded."):
    """One server refuses it unseen, another carries out its copy."""
    def fate(x, request, run):
        threading.Timer(seconds, run).start()
        return 200, {"status": "err", "response": text}
    return fate


def said(answer, carried_out=True):
    def fate(x, request, run):
        if carried_out:
            run()
        return 200, json.loads(json.dumps(answer))
    return fate


def earlier(x, good):
    with x.lock:
        for r in reversed(x.answers):
            if r["path"] == "exchange" and good(r):
                return json.loads(r["answer"])
    return None


def of_another(good, carried_out=True):
    """The answer of an earlier action for which `good(earlier, this)`; where there is none, the true one."""
    def fate(x, request, run):
        answer = earlier(x, lambda r: good(r, request))
        if answer is None or carried_out:
            true = run()
        return 200, true if answer is None else answer
    return fate


def same_kind(r, q):
    return r["name"] == q["name"]


def other_kind(r, q):
    return r["name"] != q["name"] and r["name"] != "noop"


def other_account(r, q):
    return r["name"] == q["name"] and r["body"].get("vaultAddress") != q["body"].get("vaultAddress")


def turned(change):
    """The true statuses, turned round, doubled or cut."""
    def fate(x, request, run):
        answer = run()
        try:
            data = answer["response"]["data"]
            data["statuses"] = change(data["statuses"])
        except (KeyError, TypeError):
            pass
        return 200, answer
    return fate


def reverse(rows):
    return list(reversed(rows))


def double(rows):
    return [r for r in rows for _ in (0, 1)]


def cut(rows):
    return rows[:len(rows) // 2]


def shift(rows):
    return rows[1:] + rows[:1]


CHANGES = {"reversed": reverse, "doubled": double, "cut": cut, "shifted": shift}


# --- reads ---------------------------------------------------------------------------------------------------------
def cached(x, request, run):
    """A caching proxy: the first answer that was ever given to the same question."""
    with x.lock:
        kept = x.cache.get(json.dumps(request["body"], sort_keys=True))
    return 200, kept[0][1] if kept else run()


def cached_for(seconds):
    def fate(x, request, run):
        with x.lock:
            kept = [a for at, a in x.cache.get(json.dumps(request["body"], sort_keys=True), []) if at > time.time() - seconds]
        return 200, kept[0] if kept else run()
    return fate


def of_user(user):
    def fate(x, request, run):
        if "user" not in request["body"]:
            return 200, run()
        return 200, views.info(x.chain, {**request["body"], "user": user})
    return fate


def of_dex(x, request, run):
    return 200, views.info(x.chain, {**request["body"], "dex": "" if request["body"].get("dex") else "xyz"})


def of_kind(kind):
    def fate(x, request, run):
        return 200, views.info(x.chain, {"coin": "BTC", "oid": 1, **request["body"], "type": kind})
    return fate


def another_record(x, request, run):
    """`orderStatus` of another order of the same account."""
    account = x.chain.account(request["body"].get("user", ""))
    with x.chain.lock:
        asked = views.order_status(account, request["body"].get("oid"))
        mine = asked.get("order", {}).get("order", {}).get("oid")
        others = [o for o in account.orders.values() if o.oid != mine and o.source != "twap"]
        return 200, views.order_status(account, others[-1].oid) if others else asked


def rows_of(change):
    def fate(x, request, run):
        answer = run()
        if isinstance(answer, list):
            answer = change(answer)
        elif isinstance(answer, dict) and isinstance(answer.get("assetPositions"), list):
            answer["assetPositions"] = change(answer["assetPositions"])
        return 200, answer
    return fate


def nothing(x, request, run):
    answer = run()
    return 200, [] if isinstance(answer, list) else {"status": "unknownOid"} if request["name"] == "orderStatus" else answer


def only(names, fate, times=1 << 30, when=lambda r: True):
    """That fate for requests of those names, so many times."""
    left = [times]

    def choose(request):
        if request["name"] in names and left[0] > 0 and when(request):
            left[0] -= 1
            return fate
        return None
    return choose


def first_of(*choosers):
    def choose(request):
        for c in choosers:
            fate = c(request)
            if fate:
                return fate
        return None
    return choose


assert Decimal
