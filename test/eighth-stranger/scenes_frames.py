"""Frames of the feed that are another account's, an earlier one's, or turned: which of it stays."""
import copy
import time

import views
from gateway import SUB
from scenes_stop import Stopping, busy
import fates

STATES = ("openOrders", "clearinghouseState", "allDexsClearinghouseState", "spotState", "twapStates", "userFills", "orderUpdates", "userTwapHistory")


def another_account(g):
    """What the sub-account's subscription would be sent, under the main account's name."""
    def fate(x, sub, message):
        user = str(sub.get("user", "")).lower()
        if sub["type"] not in STATES or user != g.owner:
            return message
        if sub["type"] == "orderUpdates":
            with x.chain.lock:
                rows = list(x.chain.account(SUB).orders.values())[-1:]
                return {"channel": "orderUpdates", "data": [{"order": views.short(o.wire()), "status": o.status, "statusTimestamp": o.changed} for o in rows]}
        data = views.frame(x.chain, {**sub, "user": SUB})
        return {"channel": sub["type"], "data": {**data, "user": user}} if isinstance(data, dict) and "user" in data else message
    return fate


def earlier_frames(g):
    """Each frame once more that was sent first."""
    kept = {}

    def fate(x, sub, message):
        key = (sub["type"], str(sub))
        if sub["type"] not in STATES:
            return message
        kept.setdefault(key, copy.deepcopy(message))
        return kept[key]
    return fate


def turned_frames(g):
    def fate(x, sub, message):
        message = copy.deepcopy(message)
        data = message.get("data")
        if sub["type"] == "orderUpdates":
            message["data"] = list(reversed(data)) * 2
        elif isinstance(data, dict):
            for k, v in data.items():
                if isinstance(v, list):
                    data[k] = list(reversed(v))[:max(1, len(v) // 2)] * 2
        return message
    return fate


def scene(make, stop=False):
    def play(g):
        p = Stopping(g)
        for i in range(3):
            p.s.order("BTC", "buy", p.size(), 50100 + i)
        p.s.order("ETH", "buy", "0.5", 3100, time_in_force="ioc")
        p.s.order("ETH", "sell", "0.1", 2900, time_in_force="ioc")
        p.c.order("ETH", "buy", "0.3", 3100, time_in_force="ioc")
        p.c.order("ETH", "buy", "0.02", 2700)
        time.sleep(1)
        p.x.frame_fate = make(g)
        busy(p, fates.answered_lost)
        ident = p.stop() if stop else None
        end = time.time() + 20
        while time.time() < end:
            for path in ("/v1/orders?status=open", "/v1/positions", "/v1/fills", "/v1/twaps", "/v1/stops", "/v1/trades"):
                p.c.get(path)
            time.sleep(0.5)
        p.x.fate = None
        p.x.frame_fate = None
        if stop:
            p.wait(ident, 60)
            p.flatten(ident)
        return p
    return play


SCENES = {"frames-other": scene(another_account), "frames-earlier": scene(earlier_frames), "frames-turned": scene(turned_frames),
          "frames-other-stop": scene(another_account, True), "frames-earlier-stop": scene(earlier_frames, True)}
