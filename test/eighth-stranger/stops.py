"""What `stopped`, `flat` and `left` claim, held against the true log; and who took whose protection."""
import time
from decimal import Decimal

from judge import seconds

D = Decimal


def increasing(e):
    """Whether a fill has made the true position larger, or turned it."""
    return abs(e["after"]) > abs(e["before"]) or e["after"] * e["before"] < 0


def stops_told(g):
    for told in list(g.told):
        a = told.get("answer")
        rows = a.get("data", []) if isinstance(a, dict) and a.get("object") == "list" else [a]
        for s in rows:
            if isinstance(s, dict) and s.get("object") == "stop" and "waits_for" in s:
                yield told, s
        e = told.get("event")
        if e and e["type"] == "stop.updated":
            yield told, e["data"]


def held_against(g, judge, truth, mine=None):
    """`mine` says whether a leg's root is in the scope of a bot's stop."""
    resumed = {}
    for told, s in stops_told(g):
        if s["status"] == "resumed":
            resumed[s["id"]] = min(resumed.get(s["id"], float("inf")), told["from"] - 5)
    first = {}
    for told, s in stops_told(g):
        # A missed heartbeat, a trip or a narrowing sweeps once; only what was asked for goes on.
        if s["status"] == "stopped" and s["cause"] == "asked":
            if s["id"] not in first or told["to"] < first[s["id"]][0]:
                first[s["id"]] = (told["to"], s)
    for ident, (at, s) in first.items():
        until = resumed.get(ident, float("inf"))
        account = g.address[s["account"]]
        for root, legs in truth.legs.items():
            if s["scope"] == "bot" and (mine is None or not mine(root)):
                continue
            for leg in legs:
                if leg.account != account or leg.reduce_only:
                    continue
                began = truth.began(leg)
                if began is not None and began < until and truth.ended(leg) > at:
                    judge.say("CRITICAL", "stopped, and an order that can increase lives or landed after", id=root, stop=ident, stopped_at=at, leg=leg.oid, life=truth.life.get(leg.oid), source=leg.source)
                for t, order, size in truth.fills.get(leg.oid, []):
                    if at < t < until:
                        judge.say("CRITICAL", "stopped, and an order that can increase was filled", id=root, stop=ident, at=t, size=str(size))
        for e in truth.log:
            if e["what"] == "twap" and e["account"] == account and at < e["at"] < until and e["status"] == "activated" and not e["twap"]["reduce_only"] and s["scope"] == "account":
                judge.say("CRITICAL", "stopped, and a TWAP began after", id=str(e["twap"]["id"]), stop=ident)
        for t in g.chain.accounts[account].twaps.values():
            ended = (t["ended"] or 1 << 60) / 1000
            if s["scope"] == "account" and not t["reduce_only"] and t["at"] / 1000 < until and ended > at + 0.05:
                judge.say("CRITICAL", "stopped, and a TWAP runs on", id=str(t["id"]), stop=ident, stopped_at=at, ended=ended)


def flattened(g, judge):
    """The last word of each flattening against the true position of that moment."""
    for told, s in stops_told(g):
        f = s.get("flatten")
        if not f or f["status"] == "flattening" or s["scope"] != "account":
            continue
        account = g.address[s["account"]]
        ended = seconds(f["ended_at"]) if f["ended_at"] else told["to"]
        held = position_at(g.chain.log, account, ended - 1), position_at(g.chain.log, account, ended)
        if f["status"] == "flat" and held[0] and held[1]:
            judge.say("CRITICAL", "told flat, and it is not", id=s["id"], true=str(held[1]), at=ended)
        if f["status"] == "left":
            said = {row["market"] for row in f["left"]}
            missing = [c for c in held[1] if c not in said and c in held[0]]
            if missing:
                judge.say("high", "left, and not all that is left is named", id=s["id"], missing=missing, said=sorted(said))
    ends = {}
    for told, s in stops_told(g):
        if s.get("flatten"):
            ends.setdefault(s["id"], []).append(s["flatten"])
    for ident, words in ends.items():
        if words[-1]["status"] == "flattening":
            # In a quiet account a lost answer may never be told apart (README): that is named.
            named = any(w["reason"] == "outcome_unknown" for w in words[-1]["waits_for"])
            judge.say("soft" if named else "high", "a flattening without an end", id=ident, waits_for=words[-1]["waits_for"])


def position_at(log, account, at):
    out = {}
    for e in log:
        if e["what"] == "fill" and e["account"] == account and e["at"] <= at and e["fill"]["dir"] not in ("Buy", "Sell"):
            out[e["fill"]["coin"]] = e["after"]
    return {c: n for c, n in out.items() if n}


def protection(g, judge, allowed=()):
    """A reduce-only trigger that was canceled while its side was held, and nothing stood in its place."""
    open_triggers, net, asked = {}, {}, given_away(g)
    for e in list(g.chain.log):
        if e["what"] == "fill":
            net[(e["account"], e["fill"]["coin"])] = e["after"]
        if e["what"] != "order" or e["order"].trigger is None or not e["order"].reduce_only:
            continue
        o, key = e["order"], (e["account"], e["order"].coin, e["order"].is_buy)
        if e["status"] == "open":
            open_triggers.setdefault(key, {})[o.oid] = o
            continue
        open_triggers.get(key, {}).pop(o.oid, None)
        n = net.get(key[:2], D(0))
        covers = sum((x.size for x in open_triggers.get(key, {}).values() if x.trigger["tpsl"] == "sl"), D(0))
        is_held = n < 0 if o.is_buy else n > 0
        if e["status"] == "canceled" and is_held and o.trigger["tpsl"] == "sl" and covers < abs(n) and o.oid not in allowed and (o.cloid or "")[2:] not in asked:
            replaced = any(x["what"] == "taken" and x["order"].replaced is o for x in g.chain.log)
            if not replaced:
                judge.say("CRITICAL", "protection was taken from what is held", id=str(o.oid), held=str(n), left=str(covers), at=e["at"], size=str(o.original))


def given_away(g):
    """Triggers whose owner has taken them, or whose trade had ended with nothing: not ours to be protected by."""
    out, trades = set(), {}
    for told in list(g.told):
        if told.get("method") == "POST" and told["path"].startswith("/v1/orders/") and told["path"].count("/") == 4:
            out.add(told["path"].split("/")[3].replace("-", ""))
        t = (told.get("event") or {}).get("data", told.get("answer"))
        if isinstance(t, dict) and t.get("object") == "trade":
            known = trades.setdefault(t["id"], {"held": D(0), "orders": set()})
            known["held"] = max(known["held"], D(t["filled_size"]))
            known["orders"] |= {(t["stop_loss"] or {}).get("order"), (t["take_profit"] or {}).get("order")}
    for t in trades.values():
        if not t["held"]:
            out |= {(i or "").replace("-", "") for i in t["orders"]}
    return out - {""}


assert time
