"""The true exchange: accounts, orders, fills, TWAPs, and a log of all that ever happened. Nothing here lies."""
import threading
import time
from decimal import ROUND_DOWN, Decimal

from codec import plain

D = Decimal
PERPS = [("BTC", 5, 40, 60000), ("ETH", 4, 25, 3000), ("SOL", 2, 20, 150)]
XYZ = [("xyz:XYZ100", 4, 20, 20000), ("xyz:TSLA", 3, 10, 400)]
SPOT = [("PURR/USDC", 0, 0, 1, D("0.5")), ("@107", 107, 2, 2, D(40))]  # name, index, base token, size decimals, price
TOKENS = [("USDC", 8, 0), ("PURR", 0, 1), ("HYPE", 2, 2)]
ENDED = {"filled", "canceled", "reduceOnlyCanceled", "selfTradeCanceled", "siblingFilledCanceled"}


def asset_of(coin):
    for i, p in enumerate(PERPS):
        if p[0] == coin:
            return i
    for i, p in enumerate(XYZ):
        if p[0] == coin:
            return 110000 + i
    return 10000 + next(s[1] for s in SPOT if s[0] == coin)


COIN_OF = {asset_of(m[0]): m[0] for m in [*PERPS, *XYZ, *SPOT]}
SPOT_COINS = {s[0]: s for s in SPOT}
SIZE_DECIMALS = {**{m[0]: m[1] for m in [*PERPS, *XYZ]}, **{s[0]: s[3] for s in SPOT}}
MAX_LEVERAGE = {m[0]: m[2] for m in [*PERPS, *XYZ]}


class Order:
    def __init__(self, oid, account, coin, spec, now, source):
        self.oid, self.account, self.coin, self.source = oid, account, coin, source
        self.is_buy, self.px, self.size = spec["b"], D(spec["p"]), D(spec["s"])
        self.original = self.size
        self.reduce_only, self.cloid, self.at = spec["r"], spec.get("c"), now
        kind = spec["t"]
        self.trigger = kind.get("trigger")
        self.tif = None if self.trigger else kind["limit"]["tif"]
        self.status, self.changed, self.filled, self.fired, self.replaced = "open", now, D(0), False, None

    def is_waiting(self):
        return self.trigger is not None and not self.fired

    def wire(self):
        t = self.trigger
        above = t and (t["tpsl"] == "tp") == (not self.is_buy)
        kind = "Limit" if not t else ("Stop " if t["tpsl"] == "sl" else "Take Profit ") + ("Market" if t["isMarket"] else "Limit")
        return {"coin": self.coin, "side": "B" if self.is_buy else "A", "limitPx": plain(self.px), "sz": plain(self.size), "oid": self.oid,
                "timestamp": self.at, "triggerCondition": f"Price {'above' if above else 'below'} {plain(D(t['triggerPx']))}" if t else "N/A",
                "isTrigger": bool(t), "triggerPx": plain(D(t["triggerPx"])) if t else "0.0", "children": [], "isPositionTpsl": False,
                "reduceOnly": self.reduce_only, "orderType": kind, "origSz": plain(self.original), "tif": self.tif, "cloid": self.cloid}


class Account:
    def __init__(self, address):
        self.address = address
        self.cash = {"": D(100000), "xyz": D(100000)}
        self.spot = {"USDC": D(100000), "PURR": D(0), "HYPE": D(0)}
        self.positions, self.leverage, self.margin = {}, {}, {}
        self.open, self.orders, self.fills, self.twaps, self.history = {}, {}, [], {}, []
        self.by_cloid = {}
        self.requests = 0


class Chain:
    def __init__(self):
        self.lock = threading.RLock()
        self.accounts, self.agents, self.subaccounts = {}, {}, {}
        self.mid = {m[0]: D(m[3]) for m in [*PERPS, *XYZ]} | {s[0]: s[4] for s in SPOT}
        self.next_oid, self.next_tid, self.next_twap = 10_000_000_001, 1, 1001
        self.log, self.listeners, self.nonces = [], [], {}
        self.slice_s, self.block = 3, None

    # --- the log -------------------------------------------------------------------------------------------------
    def tell(self, what, **facts):
        entry = {"at": time.time(), "what": what, **facts}
        self.log.append(entry)
        for listener in self.listeners:
            listener(entry)

    def account(self, address):
        address = address.lower()
        if address not in self.accounts:
            self.accounts[address] = Account(address)
        return self.accounts[address]

    def now(self):
        """The block's time: one for all that an action does."""
        return self.block or int(time.time() * 1000)

    def tick(self, coin, px, up):
        step = D("1e-5") if px < 1 else D("0.01") if px < 1000 else D("0.1") if px < 10000 else D(1)
        n = (px / step).quantize(D(1), rounding=ROUND_DOWN)
        return (n + (1 if up and n * step != px else 0)) * step

    def bid(self, coin):
        return self.tick(coin, self.mid[coin] * D("0.9999"), False)

    def ask(self, coin):
        return self.tick(coin, self.mid[coin] * D("1.0001"), True)

    # --- fills ---------------------------------------------------------------------------------------------------
    def net(self, account, coin):
        if coin in SPOT_COINS:
            return account.spot[TOKENS[SPOT_COINS[coin][2]][0]]
        return account.positions.get(coin, {"szi": D(0)})["szi"]

    def fill(self, account, order, size, px, is_taker, twap=None):
        coin, now = order.coin, self.now()
        before, signed = self.net(account, coin), size if order.is_buy else -size
        spot = coin in SPOT_COINS
        rate = (D("0.0007") if is_taker else D("0.0004")) if spot else (D("0.00045") if is_taker else D("0.00015"))
        fee, token, pnl, direction = (size * px * rate).quantize(D("1e-6"), rounding=ROUND_DOWN), "USDC", D(0), "Buy" if order.is_buy else "Sell"
        if spot:
            base = TOKENS[SPOT_COINS[coin][2]][0]
            if order.is_buy:
                fee, token = (size * rate).quantize(D("1e-5"), rounding=ROUND_DOWN), base
                account.spot[base] += size - fee
                account.spot["USDC"] -= size * px
            else:
                account.spot[base] -= size
                account.spot["USDC"] += size * px - fee
        else:
            p = account.positions.setdefault(coin, {"szi": D(0), "entry": D(0)})
            if before * signed >= 0:
                p["entry"] = (abs(before) * p["entry"] + size * px) / (abs(before) + size)
                direction = "Open Long" if order.is_buy else "Open Short"
            else:
                closed = min(abs(before), size)
                pnl = (px - p["entry"]) * closed * (1 if before > 0 else -1)
                direction = "Close Long" if before > 0 else "Close Short"
                if size > abs(before):
                    p["entry"], direction = px, "Long > Short" if before > 0 else "Short > Long"
            p["szi"] = before + signed
            account.cash["xyz" if coin.startswith("xyz:") else ""] += pnl - fee
            if not p["szi"]:
                del account.positions[coin]
                account.margin.pop(coin, None)
        order.filled += size
        order.size -= size
        f = {"coin": coin, "px": plain(px), "sz": plain(size), "side": "B" if order.is_buy else "A", "time": now, "startPosition": plain(before),
             "dir": direction, "closedPnl": plain(pnl), "hash": "0x" + ("0" * 64 if twap else f"{self.next_tid:064x}"), "oid": order.oid,
             "crossed": is_taker, "fee": plain(fee), "tid": self.next_tid, "feeToken": token, "twapId": twap}
        if order.cloid:
            f["cloid"] = order.cloid
        self.next_tid += 1
        account.fills.append(f)
        self.tell("fill", account=account.address, fill=f, order=order, before=before, after=self.net(account, coin))
        self.shrink(account, coin)

    def shrink(self, account, coin):
        """Resting reduce-only orders are no more than what is held."""
        net = self.net(account, coin)
        for o in list(account.open.values()):
            if o.coin != coin or not o.reduce_only or o.is_waiting() or o.size <= 0:
                continue
            room = max(D(0), -net if o.is_buy else net)
            if not room:
                self.end(account, o, "reduceOnlyCanceled")
            elif o.size > room:
                o.size = room

    def end(self, account, order, status):
        account.open.pop(order.oid, None)
        order.status, order.changed = status, self.now()
        account.history.append((order, status, order.changed, order.wire()))
        self.tell("order", account=account.address, order=order, status=status)

    def rest(self, account, order):
        account.open[order.oid] = order
        account.history.append((order, "open", order.changed, order.wire()))
        self.tell("order", account=account.address, order=order, status="open")

    # --- the market moves ----------------------------------------------------------------------------------------
    def move(self, coin, mid):
        with self.lock:
            self.mid[coin] = D(mid)
            self.tell("price", coin=coin, mid=D(mid))
            for account in list(self.accounts.values()):
                for o in sorted(account.open.values(), key=lambda o: o.oid):
                    if o.coin == coin and o.oid in account.open:
                        self.look(account, o)

    def look(self, account, o):
        if o.is_waiting():
            t, mark = D(o.trigger["triggerPx"]), self.mid[o.coin]
            above = (o.trigger["tpsl"] == "tp") == (not o.is_buy)
            if not (mark >= t if above else mark <= t):
                return
            o.fired = True
            account.open.pop(o.oid, None)
            account.history.append((o, "triggered", self.now(), o.wire()))
            self.tell("order", account=account.address, order=o, status="triggered")
            o.tif = "Ioc" if o.trigger["isMarket"] else "Gtc"
            self.execute(account, o)
            return
        if (o.is_buy and o.px >= self.ask(o.coin)) or (not o.is_buy and o.px <= self.bid(o.coin)):
            self.fill(account, o, o.size, o.px, False)
            if o.size <= 0:
                self.end(account, o, "filled")

    def slices(self):
        """One slice of each TWAP that runs; each ends after four."""
        with self.lock:
            for account in list(self.accounts.values()):
                for t in list(account.twaps.values()):
                    if t["status"] != "activated" or time.time() < t["next"]:
                        continue
                    t["next"] = time.time() + self.slice_s
                    left = t["size"] - t["done"]
                    size = min(left, (t["size"] / 4).quantize(D(1).scaleb(-SIZE_DECIMALS[t["coin"]])) or left)
                    t["n"] += 1
                    if t["n"] >= 4:
                        size = left
                    if t["reduce_only"]:
                        net = self.net(account, t["coin"])
                        size = min(size, max(D(0), -net if t["is_buy"] else net))
                    if size > 0:
                        px = self.ask(t["coin"]) if t["is_buy"] else self.bid(t["coin"])
                        o = self.make(account, t["coin"], {"b": t["is_buy"], "p": px, "s": size, "r": t["reduce_only"], "t": {"limit": {"tif": "Ioc"}}}, "twap")
                        self.fill(account, o, size, px, True, t["id"])
                        self.end(account, o, "filled")
                        t["done"] += size
                        t["ntl"] += size * px
                    if t["n"] >= 4 or t["done"] >= t["size"]:
                        self.end_twap(account, t, "finished")

    def end_twap(self, account, t, status):
        t["status"], t["ended"] = status, self.now()
        t["rows"].append((status, self.now() // 1000, self.twap_state(account, t)))
        self.tell("twap", account=account.address, twap=t, status=status)

    def twap_state(self, account, t):
        return {"coin": t["coin"], "user": account.address, "side": "B" if t["is_buy"] else "A", "sz": plain(t["size"]), "executedSz": plain(t["done"]),
                "executedNtl": plain(t["ntl"]), "minutes": t["minutes"], "reduceOnly": t["reduce_only"], "randomize": t["randomize"],
                "stopPx": None, "trigger": None, "timestamp": t["at"]}

    # --- orders --------------------------------------------------------------------------------------------------
    def make(self, account, coin, spec, source):
        o = Order(self.next_oid, account.address, coin, spec, self.now(), source)
        self.next_oid += 1
        account.orders[o.oid] = o
        if o.cloid:
            account.by_cloid[o.cloid] = o
        return o

    def used(self, account, dex):
        total = D(0)
        for coin, p in account.positions.items():
            if coin.startswith("xyz:") == (dex == "xyz"):
                total += abs(p["szi"]) * self.mid[coin] / account.leverage.get(coin, ("cross", 20 if dex == "" else 10))[1]
        for o in account.open.values():
            if not o.reduce_only and not o.is_waiting() and o.coin not in SPOT_COINS and o.coin.startswith("xyz:") == (dex == "xyz"):
                total += o.size * o.px / account.leverage.get(o.coin, ("cross", 20 if dex == "" else 10))[1]
        return total

    def equity(self, account, dex):
        return account.cash[dex] + sum((p["szi"] * (self.mid[c] - p["entry"]) for c, p in account.positions.items() if c.startswith("xyz:") == (dex == "xyz")), D(0))

    def fault_of(self, account, o):
        net, coin, n = self.net(account, o.coin), o.coin, asset_of(o.coin)
        room = -net if o.is_buy else net
        whole = o.reduce_only and room > 0 and o.size >= room
        if not o.is_waiting() and o.size * o.px < 10 and not whole:
            return "minTradeNtlRejected", f"Order must have minimum value of {'10 USDC' if coin in SPOT_COINS else '$10'}. asset={n}"
        if coin in SPOT_COINS:
            base = TOKENS[SPOT_COINS[coin][2]][0]
            if (o.is_buy and account.spot["USDC"] < o.size * o.px) or (not o.is_buy and account.spot[base] < o.size):
                return "insufficientSpotBalanceRejected", f"Insufficient spot balance asset={n}"
        elif o.reduce_only and not o.is_waiting():
            if room <= 0:
                return "reduceOnlyRejected", f"Reduce only order would increase position. asset={n}"
            o.size = min(o.size, room)
        elif not o.reduce_only and not o.is_waiting():
            dex = "xyz" if coin.startswith("xyz:") else ""
            need = max(D(0), o.size - max(D(0), room)) * o.px / account.leverage.get(coin, ("cross", 20 if dex == "" else 10))[1]
            if need > self.equity(account, dex) - self.used(account, dex):
                return "perpMarginRejected", f"Insufficient margin to place order. asset={n}"
        return None

    def execute(self, account, o):
        """What becomes of an order that is looked at now: the entry of `statuses`."""
        fault = None if o.is_waiting() else self.fault_of(account, o)
        named = {"cloid": o.cloid} if o.cloid else {}
        if fault:
            self.end(account, o, fault[0])
            return {"error": fault[1]}
        if o.is_waiting():
            self.rest(account, o)
            self.look(account, o)
            return {"resting": {"oid": o.oid, **named}}
        best = self.ask(o.coin) if o.is_buy else self.bid(o.coin)
        if (o.px >= best) if o.is_buy else (o.px <= best):
            if o.tif == "Alo":
                self.end(account, o, "badAloPxRejected")
                return {"error": f"Post only order would have immediately matched, bbo was {self.bid(o.coin)}@{self.ask(o.coin)}. asset={asset_of(o.coin)}"}
            for other in list(account.open.values()):
                if other.coin == o.coin and other.is_buy != o.is_buy and not other.is_waiting() and ((other.px <= best) if o.is_buy else (other.px >= best)):
                    self.end(account, other, "selfTradeCanceled")
            size = o.size
            self.fill(account, o, size, best, True)
            self.end(account, o, "filled")
            return {"filled": {"totalSz": plain(size), "avgPx": plain(best), "oid": o.oid, **named}}
        if o.tif in ("Ioc", "FrontendMarket"):
            self.end(account, o, "iocCancelRejected" if not o.trigger else "marketOrderNoLiquidityRejected")
            return {"error": f"Order could not immediately match against any resting orders. asset={asset_of(o.coin)}"}
        if o.reduce_only:
            self.displace(account, o)
        self.rest(account, o)
        return {"resting": {"oid": o.oid, **named}}

    def displace(self, account, new):
        net = self.net(account, new.coin)
        room = (-net if new.is_buy else net) - new.size
        for o in sorted(account.open.values(), key=lambda o: -o.oid):
            if o.coin == new.coin and o.reduce_only and not o.is_waiting() and o.is_buy == new.is_buy:
                room -= o.size
                if room < 0:
                    self.end(account, o, "reduceOnlyCanceled")
