"""A bot's rails against the true log: worst case at each acceptance, turnover, actions, distance, markets, leverage, other people's orders."""
import time
from decimal import Decimal

D = Decimal


def amount(text):
    return None if text == "any" else D(text.split()[0])


class Auditor:
    """`is_bots(order)` says whose an order is; everything else of the account is somebody else's."""

    def __init__(self, g, judge, account, rails, is_bots=lambda order: True, slack=D("1.001")):
        self.g, self.judge, self.account, self.rails, self.is_bots, self.slack = g, judge, g.address[account], rails, is_bots, slack
        self.net, self.open, self.twaps, self.mids, self.day, self.turnover, self.actions = {}, {}, {}, {}, None, D(0), 0
        self.peak = {}

    def cheapest(self, coin, at):
        kept = [m for t, m in self.mids.get(coin, []) if t > at - 12]
        before = [m for t, m in self.mids.get(coin, []) if t <= at - 12]
        return min(kept + before[-1:] + ([self.start[coin]] if not before else []))

    def worst(self, coin):
        buys = sum((o.size for o in self.open.values() if o.coin == coin and o.is_buy), D(0)) + sum((t["size"] - done for t, done in self.twaps.values() if t["coin"] == coin and t["is_buy"]), D(0))
        sells = sum((o.size for o in self.open.values() if o.coin == coin and not o.is_buy), D(0)) + sum((t["size"] - done for t, done in self.twaps.values() if t["coin"] == coin and not t["is_buy"]), D(0))
        net = self.net.get(coin, D(0))
        return max(abs(net + buys), abs(net - sells))

    def run(self, start):
        self.start = start
        live = {}
        for e in list(self.g.chain.log):
            day = time.strftime("%d", time.gmtime(e["at"]))
            if day != self.day:
                self.day, self.turnover, self.actions = day, D(0), 0
            what = e["what"]
            if what == "price":
                self.mids.setdefault(e["coin"], []).append((e["at"], e["mid"]))
            if e.get("account") != self.account:
                continue
            if what == "taken" and self.is_bots(e["order"]):
                self.taken(e)
            elif what == "order" and e["order"].source != "twap":
                o = e["order"]
                if e["status"] in ("open", "triggered") and self.is_bots(o) and not o.reduce_only:
                    live[o.oid] = o
                    self.open[o.oid] = _At(o, o.original - sum_filled(self.g, o, e["at"]))
                elif e["status"] not in ("open", "triggered"):
                    self.open.pop(o.oid, None)
            elif what == "fill" and (e["order"].source == "twap" or self.is_bots(e["order"])):
                self.filled(e)
            elif what == "twap":
                self.twap(e)
        return self.peak

    def filled(self, e):
        f, o = e["fill"], e["order"]
        size = D(f["sz"])
        self.net[o.coin] = self.net.get(o.coin, D(0)) + (size if o.is_buy else -size)
        self.turnover += size * D(f["px"])
        if o.oid in self.open:
            self.open[o.oid].size -= size
        if f["twapId"] in self.twaps:
            t, done = self.twaps[f["twapId"]]
            self.twaps[f["twapId"]] = (t, done + size)
        else:
            self.check(e["at"], f"fill of {o.oid}", o.coin)

    def taken(self, e):
        o, at = e["order"], e["at"]
        if o.coin not in self.rails["markets"].split(",") and not o.reduce_only:
            self.say("market", o.coin, at)
        if o.reduce_only:
            return
        self.actions += 1
        mark = self.g.chain.mid[o.coin] if o.coin not in self.mids else self.cheapest(o.coin, at)
        px = D(o.trigger["triggerPx"]) if o.trigger else o.px
        self.over("max_order", o.size * max(o.px if o.is_buy else D(0), mark, px if o.trigger else D(0)), at, o)
        distance = amount(self.rails["max_distance"])
        if distance is not None and not o.trigger:
            highest = max([m for t, m in self.mids.get(o.coin, []) if t > at - 12] + [mark])
            if (o.is_buy and o.px > highest * (1 + distance / 100) * D("1.0001")) or (not o.is_buy and o.px < mark * (1 - distance / 100) * D("0.9999")):
                self.say("max_distance", str(o.px), at)
        limit = amount(self.rails["max_leverage"])
        leverage = self.g.chain.accounts[self.account].leverage.get(o.coin, ("cross", 20))[1]
        if limit is not None and leverage > limit:
            self.say("max_leverage", leverage, at)
        # What is being taken counts before it rests or fills.
        self.open[o.oid] = _At(o, o.size)
        self.check(at, f"acceptance of {o.oid}", o.coin)
        used = self.turnover + sum((x.size * (x.order.px if x.order.is_buy else self.cheapest(x.order.coin, at)) for x in self.open.values()
                                    if self.increases(x.order)), D(0)) + sum(((t["size"] - d) * self.cheapest(t["coin"], at) for t, d in self.twaps.values()), D(0))
        if self.increases(o):
            self.over("max_turnover_per_day", used, at, o)
        self.over("max_actions_per_day", D(self.actions), at, o)
        self.over("max_open_orders", D(len(self.open)), at, o)

    def increases(self, o):
        net = self.net.get(o.coin, D(0))
        return net >= 0 if o.is_buy else net <= 0

    def twap(self, e):
        t = e["twap"]
        if e["status"] == "activated":
            if t["reduce_only"]:
                return
            self.actions += 1
            self.twaps[t["id"]] = (t, D(0))
            self.over("max_order", t["size"] * self.cheapest(t["coin"], e["at"]), e["at"], t["id"])
            self.check(e["at"], f"TWAP {t['id']}", t["coin"])
        else:
            self.twaps.pop(t["id"], None)

    def check(self, at, why, coin):
        total = D(0)
        for c in {*self.net, *(o.coin for o in self.open.values()), *(t["coin"] for t, _ in self.twaps.values())}:
            usd = self.worst(c) * self.cheapest(c, at)
            total += usd
            if c == coin:
                self.over("max_position", usd, at, why)
        self.over("max_exposure", total, at, why)

    def over(self, rail, value, at, why):
        limit = amount(self.rails[rail])
        self.peak[rail] = max(self.peak.get(rail, D(0)), value)
        if limit is not None and value > limit * self.slack:
            self.say(rail, f"{value:.4f} over {limit}", at, str(getattr(why, "oid", why)))

    def say(self, rail, what, at, why=""):
        self.judge.say("CRITICAL", f"a rail was broken: {rail}", id=rail, value=str(what), at=at, why=why)


class _At:
    def __init__(self, order, size):
        self.order, self.size, self.coin, self.is_buy = order, size, order.coin, order.is_buy


def sum_filled(g, order, at):
    return sum((D(e["fill"]["sz"]) for e in g.chain.log if e["what"] == "fill" and e["order"] is order and e["at"] <= at), D(0))


def harmed(g, judge, account, ids, by="a bot"):
    """Orders of others that ended in another way than their owner asked for."""
    truth_ids = {i.replace("-", "") for i in ids}
    for e in list(g.chain.log):
        if e["what"] == "order" and e["account"] == g.address[account] and e["status"] in ("reduceOnlyCanceled", "selfTradeCanceled", "canceled"):
            o = e["order"]
            if o.cloid and o.cloid[2:] in truth_ids:
                judge.say("CRITICAL", f"an order of another was taken away by {by}", id=o.cloid, status=e["status"], at=e["at"], reduce_only=o.reduce_only)
