"""A round drawn from a number: two accounts that do everything at once, requests with any fate, deaths, a stop, a flattening, and rest."""
import random
import threading
import time
from decimal import Decimal

import fates
from scenes_answers import ACTIONS, READS
from scenes_stop import Stopping
from gateway import SUB

D = Decimal


def fate_of(r, exchange_share, read_share):
    acts = [fates.answered_lost, fates.never_came, fates.late(2), fates.late(5), fates.late(9), fates.refused_and_taken(5), fates.slow(5), fates.held(3),
            fates.of_another(fates.same_kind, True), fates.of_another(fates.other_kind, True), fates.of_another(fates.other_account, True), fates.of_another(fates.other_kind, False)]
    acts += [fates.turned(c) for c in fates.CHANGES.values()]
    reads = [fates.cached_for(10), fates.another_record, fates.rows_of(fates.reverse), fates.rows_of(fates.double), fates.rows_of(fates.cut), fates.nothing,
             fates.of_kind("historicalOrders"), fates.of_dex, lambda x, q, run: fates.BAD_GATEWAY]
    mine = random.Random(r.random())

    def choose(request):
        if request["name"] in ACTIONS and mine.random() < exchange_share:
            return mine.choice(acts)
        if request["name"] in READS and mine.random() < read_share:
            return mine.choice(reads)
        return None
    return choose


class Round(Stopping):
    def __init__(self, g, n):
        super().__init__(g)
        self.r, self.known = random.Random(n), {self.c: [], self.s: []}
        self.s.follow()

    def act(self):
        r, c = self.r, self.r.choice([self.c, self.c, self.s])
        coin, px, step = r.choice([("BTC", 60000, 10), ("ETH", 3000, 1), ("xyz:TSLA", 400, D("0.1"))])
        side = r.choice(["buy", "sell"])
        size = {"BTC": D(self.size()), "ETH": D(self.size()) * 20, "xyz:TSLA": D(self.size()) * 100}[coin]
        size = str(size.quantize(D("0.00001") if coin == "BTC" else D("0.0001") if coin == "ETH" else D("0.001")))
        away = r.choice([-8, -5, -2, 1]) if side == "buy" else r.choice([8, 5, 2, -1])
        price = str(round(float(px * (1 + away / 100)) / float(step)) * D(str(step)))
        body = {"account": c.account, "market": coin, "side": side, "size": size, "price": price}
        kind = r.choice(["order", "order", "order", "ioc", "batch", "modify", "modify", "modify-always", "cancel", "cancel", "stop", "trade", "twap", "close", "cancel-all", "read", "read", "read"])
        ident = r.choice(self.known[c][-12:]) if self.known[c] else None
        if kind == "order":
            out = c.ask("POST", "/v1/orders", body)
        elif kind == "ioc":
            out = c.ask("POST", "/v1/orders", {**body, "price": str(round(px * (1.02 if side == "buy" else 0.98))), "time_in_force": "ioc"})
        elif kind == "batch":
            body.pop("account")
            out = c.ask("POST", "/v1/orders/batch", {"account": c.account, "orders": [body, {**body, "time_in_force": "alo"}, {**body, "size": str(D(size) * 2)}]})
        elif kind.startswith("modify") and ident:
            out = c.ask("POST", f"/v1/orders/{ident}/modify", {"price": price} | ({"always_place": True} if kind == "modify-always" else {}))
        elif kind == "cancel" and ident:
            out = c.ask("POST", f"/v1/orders/{ident}/cancel", {})
        elif kind == "stop":
            trigger = {"kind": "stop_loss", "price": str(round(px * (0.9 if side == "sell" else 1.1))), "market": True}
            out = c.ask("POST", "/v1/orders", {**body, "price": str(round(px * (0.85 if side == "sell" else 1.15))), "reduce_only": True, "trigger": trigger})
        elif kind == "trade":
            out = c.ask("POST", "/v1/trades", {"account": c.account, "market": coin, "side": side, "size": size, "entry": {"price": price}, "stop_loss": {"trigger_price": str(round(px * (0.8 if side == "buy" else 1.2)))}})
        elif kind == "twap":
            out = c.ask("POST", "/v1/twaps", {"market": coin, "side": side, "size": str(D(size) * 10), "duration_minutes": 5})
        elif kind == "close":
            out = c.ask("POST", "/v1/positions/close", {"account": c.account, "market": coin})
        elif kind == "cancel-all":
            out = c.ask("POST", "/v1/orders/cancel-all", {"account": c.account, "market": coin})
        else:
            out = c.get(r.choice(["/v1/orders?status=open", "/v1/orders?limit=50", "/v1/positions", "/v1/fills", "/v1/twaps", "/v1/trades", f"/v1/orders/{ident}"]))
        for o in self.judge.orders_in(out[1]):
            if o["id"] not in self.known[c]:
                self.known[c].append(o["id"])

    def play(self, seconds, kills):
        end = time.time() + seconds

        def hand():
            while time.time() < end:
                self.act()
                time.sleep(self.r.random() * 0.3)
        hands = [threading.Thread(target=hand, daemon=True) for _ in range(3)]
        for h in hands:
            h.start()
        began = time.time()
        while time.time() < end:
            time.sleep(1)
            coin = self.r.choice(["BTC", "ETH", "xyz:TSLA"])
            self.chain.move(coin, (self.chain.mid[coin] * D(str(round(self.r.uniform(0.985, 1.015), 4)))).quantize(D(1) if coin == "BTC" else D("0.1")))
            if self.r.random() < 0.1:
                self.x.cut_feeds()
            if kills and time.time() - began > kills[0]:
                kills.pop(0)
                self.g.kill()
                self.g.start(wait=False)
        for h in hands:
            h.join(45)


def drawn(g, n):
    p = Round(g, n)
    r = p.r
    p.x.fate = fate_of(r, r.choice([0.1, 0.3, 0.5]), r.choice([0, 0.1, 0.3]))
    p.play(40, [r.uniform(5, 30)] if r.random() < 0.5 else [])
    ident = p.stop()
    p.wait(ident, 40)
    if r.random() < 0.5:
        p.x.fate = None
    p.wait(ident, 60)
    p.x.fate = None
    p.flatten(ident)
    p.watch(10)
    if r.random() < 0.5:
        g.resume(p.c, ident)
    return p


SCENES = {}
assert SUB
