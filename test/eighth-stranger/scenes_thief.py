"""A bot's key in the hands of a thief, who asks for all there is at the edges of its rails, while answers are lost and the gateway dies."""
import random
import threading
import time
from decimal import ROUND_DOWN, Decimal

import fates
import rails
from gateway import RAILS
from judge import Judge

D = Decimal
ACTIONS = ("order", "batchModify", "cancel", "cancelByCloid", "twapOrder", "twapCancel", "updateLeverage", "updateIsolatedMargin")
TIGHT = {"may": "increase,reduce,modify,cancel,leverage,margin,twap,stop", "max_turnover_per_day": "9000 USD", "max_actions_per_day": "400", "max_distance": "3 %", "max_open_orders": "12", "max_loss_per_day": "500 USD"}
PRECISION = {"BTC": 5, "ETH": 4, "SOL": 2}


class Thief:
    def __init__(self, g, seed, limits=None, account=None):
        self.g, self.x, self.chain, self.judge, self.r = g, g.exchange, g.chain, Judge(g), random.Random(seed)
        self.start, self.judge.are_terms_unique = dict(g.chain.mid), False
        self.limits = {**RAILS, **TIGHT, **(limits or {})}
        self.account = account or g.main
        self.keys = [g.bot_key("robbed", self.account, **self.limits), g.bot_key("robbed", self.account, **self.limits)]
        self.keys[0].follow()
        self.known, self.notes, self.codes, self.moves, self.others = [], [], {}, True, []
        self.stopping = threading.Event()
        self.victims = set()
        self.hook_port, self.hook = g.hooks, None
        made = g.run("hook", "create", "--key-hash", self.keys[0].hash, "--name", "chart", "--mode", "order", "--passphrase-file", g.passphrase, check=False)
        self.hook = next(("/hooks/" + str(v).split("/hooks/")[1].split('"')[0] for v in [str(made)] if "/hooks/" in str(v)), None)
        if self.hook:
            self.hook = self.hook.split("'")[0].split("\\")[0].split()[0]
        else:
            self.notes.append({"hook": made})

    # --- what a thief does ---------------------------------------------------------------------------------------------
    def size(self, coin, usd):
        return (D(usd) / self.chain.mid[coin]).quantize(D(1).scaleb(-PRECISION[coin]), rounding=ROUND_DOWN)

    def price(self, coin, off):
        px = self.chain.mid[coin] * (1 + D(str(off)) / 100)
        return px.quantize(D(1) if coin == "BTC" else D("0.1") if coin == "ETH" else D("0.01"))

    def one(self):
        r, k = self.r, self.r.choice(self.keys)
        coin = r.choice(["BTC", "BTC", "ETH", "SOL"] if r.random() < 0.1 else ["BTC", "ETH"])
        usd = r.choice([20, 100, 250, 400, 480, 490, 495, 499, 500, 501, 900])
        side = r.choice(["buy", "buy", "sell"])
        off = r.choice([-2.9, -1, -0.1, 0, 0.1, 1, 2.9, 3.5, -8])
        body = {"market": coin, "side": side, "size": str(self.size(coin, usd)), "price": str(self.price(coin, off))}
        if r.random() < 0.15:
            body["reduce_only"] = True
        if r.random() < 0.3:
            body["time_in_force"] = r.choice(["ioc", "alo"])
        if r.random() < 0.1:
            body["trigger"] = {"price": str(self.price(coin, r.choice([-3, -1, 1, 3]))), "kind": r.choice(["stop_loss", "take_profit"]), "market": r.random() < 0.5}
        kind = r.choices(["order", "batch", "modify", "cancel", "replace", "twap", "twap-cancel", "leverage", "margin", "trade", "close", "market", "cancel-all", "whoami", "trade-modify", "trade-cancel", "mcp", "alert"],
                         [14, 5, 14, 8, 10, 5, 3, 2, 1, 4, 3, 5, 1, 1, 2, 2, 6, 5 if self.hook else 0])[0]
        answer = getattr(self, "do_" + kind.replace("-", "_"))(k, coin, body)
        if isinstance(answer, tuple):
            status, a = answer
            code = a.get("error", {}).get("code") if isinstance(a, dict) and isinstance(a.get("error"), dict) else a.get("status") if isinstance(a, dict) else "?"
            self.codes[(kind, status, code)] = self.codes.get((kind, status, code), 0) + 1
            for o in self.judge.orders_in(a):
                if o["status"] not in ("rejected",) and o["id"] not in self.known:
                    self.known.append(o["id"])

    def any(self):
        return self.r.choice(self.known[-15:]) if self.known else "00000000-0000-0000-0000-000000000000"

    def do_order(self, k, coin, body):
        return k.ask("POST", "/v1/orders", {"account": k.account, **body})

    def do_batch(self, k, coin, body):
        rows = [{**body, "size": str(self.size(coin, self.r.choice([50, 150, 300, 480]))), "price": str(self.price(coin, self.r.choice([-2, -0.5, 0.2, 2])))} for _ in range(self.r.randint(2, 5))]
        for row in rows:
            row.pop("trigger", None)
        return k.ask("POST", "/v1/orders/batch", {"account": k.account, "orders": rows})

    def do_modify(self, k, coin, body):
        change = {"size": body["size"]} if self.r.random() < 0.4 else {"price": body["price"]} if self.r.random() < 0.6 else {"size": body["size"], "price": body["price"]}
        return k.ask("POST", f"/v1/orders/{self.any()}/modify", change | ({"always_place": True} if self.r.random() < 0.6 else {}))

    def do_cancel(self, k, coin, body):
        return k.ask("POST", f"/v1/orders/{self.any()}/cancel", {})

    def do_replace(self, k, coin, body):
        """A cancel, and at once another of the same size: a lost answer must free nothing."""
        k.ask("POST", f"/v1/orders/{self.any()}/cancel", {})
        return k.ask("POST", "/v1/orders", {"account": k.account, **body})

    def do_twap(self, k, coin, body):
        return k.ask("POST", "/v1/twaps", {"market": coin, "side": body["side"], "size": body["size"], "duration_minutes": self.r.choice([5, 30]), "reduce_only": body.get("reduce_only", False)})

    def do_twap_cancel(self, k, coin, body):
        running = [t for t in self.chain.account(self.g.address[self.account]).twaps.values() if t["status"] == "activated"]
        return k.ask("POST", "/v1/twaps/cancel", {"market": coin if not running else running[0]["coin"], "twap_id": running[0]["id"] if running else 5})

    def do_leverage(self, k, coin, body):
        return k.ask("POST", "/v1/leverage", {"market": coin, "leverage": self.r.choice([2, 10, 20, 25]), "margin_type": self.r.choice(["cross", "isolated"])})

    def do_margin(self, k, coin, body):
        return k.ask("POST", "/v1/margin", {"market": coin, "amount": self.r.choice(["5", "-5"])})

    def do_trade(self, k, coin, body):
        away = -2 if body["side"] == "buy" else 2
        return k.ask("POST", "/v1/trades", {"account": k.account, "market": coin, "side": body["side"], "size": body["size"], "entry": {"price": body["price"]},
                     "stop_loss": {"trigger_price": str(self.price(coin, away - (3 if away < 0 else -3)))}})

    def trade(self):
        for t in reversed(self.g.told):
            a = t.get("answer")
            if isinstance(a, dict) and a.get("object") == "trade":
                return a["id"]
        return "00000000-0000-0000-0000-000000000000"

    def do_trade_modify(self, k, coin, body):
        return k.ask("POST", f"/v1/trades/{self.trade()}/modify", {"stop_loss": {"trigger_price": body["price"]}})

    def do_trade_cancel(self, k, coin, body):
        return k.ask("POST", f"/v1/trades/{self.trade()}/cancel", {})

    def do_close(self, k, coin, body):
        return k.ask("POST", "/v1/positions/close", {"account": k.account, "market": coin, **({"touches": "all"} if self.r.random() < 0.3 else {})})

    def do_market(self, k, coin, body):
        return k.ask("POST", "/v1/orders/market", {"account": k.account, "market": coin, "side": body["side"], "size": body["size"], **({"max_slippage_bps": 500} if self.r.random() < 0.3 else {})})

    def tool(self, k, name, **arguments):
        head = {"Authorization": f"Bearer {k.key}", "Accept": "application/json, text/event-stream"}
        try:
            status, _, a = self.g.raw("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": arguments}}, head)
            return status, a["result"]["structuredContent"]
        except (OSError, KeyError, TypeError, ValueError) as fault:
            return 0, {"status": str(fault)[:40]}

    def do_mcp(self, k, coin, body):
        body = {**body, "trigger": {"kind": body["trigger"]["kind"], "price": body["trigger"]["price"]}} if "trigger" in body else body
        if "trigger" in body:
            body.pop("time_in_force", None)
        _, a = self.tool(k, "propose_order", **body)
        intent = (a.get("result") or {}).get("intent")
        if not intent:
            return 0, {"status": "mcp " + str(a.get("outcome"))}
        for _ in range(self.r.randint(1, 2)):
            _, a = self.tool(self.r.choice(self.keys), "place", intent=intent)
        return 0, {"status": "mcp " + str(a.get("outcome"))}

    def do_alert(self, k, coin, body):
        import http.client
        import json
        alert = {"market": coin, "side": body["side"], "size": body["size"], "id": str(self.r.random())}
        try:
            c = http.client.HTTPConnection("127.0.0.1", self.hook_port, timeout=5)
            for _ in range(self.r.randint(1, 2)):
                c.request("POST", self.hook, json.dumps(alert), {"Content-Type": "application/json"})
                r = c.getresponse()
                r.read()
            return r.status, {"status": "alert"}
        except OSError:
            return 0, {"status": "alert"}

    def do_cancel_all(self, k, coin, body):
        return k.ask("POST", "/v1/orders/cancel-all", {"account": k.account, **({"touches": "all"} if self.r.random() < 0.3 else {}), "keep_protection": False})

    def do_whoami(self, k, coin, body):
        return k.get("/v1/whoami")

    # --- the play ------------------------------------------------------------------------------------------------------
    def fates(self, share):
        options = [fates.answered_lost, fates.never_came, fates.late(2), fates.late(6), fates.late(9.5), fates.held(2),
                   fates.of_another(fates.same_kind, True), fates.of_another(fates.same_kind, False), fates.of_another(fates.other_kind, True)]
        r = random.Random(self.r.random())
        if r.random() < 0.25:  # These slow the gateway down for everything.
            options += [fates.refused_and_taken(3), fates.refused_and_taken(9)]

        def choose(request):
            return r.choice(options) if request["name"] in ACTIONS and r.random() < share else None
        return choose

    def play(self, seconds, hands=3, share=0.3, kills=(), moves=True):
        self.x.fate = self.fates(share)
        end = time.time() + seconds

        def hand():
            while time.time() < end:
                self.one()
                time.sleep(self.r.random() * 0.15)
        threads = [threading.Thread(target=hand, daemon=True) for _ in range(hands)]
        for t in threads:
            t.start()
        began, kills = time.time(), sorted(kills)
        while time.time() < end:
            time.sleep(0.8)
            if moves:
                for coin in ("BTC", "ETH"):
                    self.chain.move(coin, (self.chain.mid[coin] * (1 + D(str(round(self.r.uniform(-0.004, 0.004), 5))))).quantize(D(1) if coin == "BTC" else D("0.1")))
            if kills and time.time() - began > kills[0]:
                kills.pop(0)
                self.g.kill()
                self.g.start(wait=False)
        for t in threads:
            t.join(45)
        return self

    def is_bots(self, order):
        while order.replaced is not None:
            order = order.replaced
        return (order.cloid or "")[2:] not in self.victims

    def end(self):
        self.x.fate = None
        auditor = rails.Auditor(self.g, self.judge, self.account, self.limits, self.is_bots)
        time.sleep(16)
        self.peak = auditor.run(self.start)
        self.notes.append({"peaks": {k: str(v) for k, v in self.peak.items()}, "codes": {str(k): v for k, v in sorted(self.codes.items(), key=str)}})
        print(self.notes[-1], flush=True)
        rails.harmed(self.g, self.judge, self.account, self.others)
        self.judge.at_rest(self.keys[0], 90)
        self.judge.all_told()
        return self.judge


def quiet(n):
    return lambda g: Thief(g, n).play(60, moves=False)


def storm(n):
    return lambda g: Thief(g, n).play(75, share=0.5, moves=n % 2 == 0)


def midnight(n):
    """To be played with a clock that comes to midnight within the first minute."""
    return lambda g: Thief(g, n, {"max_turnover_per_day": "3000 USD", "max_actions_per_day": "40"}).play(110, share=0.25, kills=(70,) if n % 2 else (), moves=n % 2 == 0)


def deaths(n):
    return lambda g: Thief(g, n).play(80, share=0.4, kills=(12, 30, 52), moves=n % 2 == 0)


def beside(n):
    """Somebody else holds the same market, with a stop, a take-profit that rests, and a plain order."""
    def scene(g):
        p = Thief(g, n, {"touches": "own"})
        c = g.plain_key()
        asks = [c.order("BTC", "buy", "0.05", 61000, time_in_force="ioc"),
                c.order("BTC", "sell", "0.05", 50000, reduce_only=True, trigger={"price": "55000", "kind": "stop_loss", "market": True}),
                c.order("BTC", "sell", "0.04999", 60150, reduce_only=True), c.order("BTC", "buy", "0.00987", 57000)]
        p.victims = {a[1]["id"].replace("-", "") for a in asks}
        p.others = [a[1]["id"] for a in asks[1:3]]
        p.known += [a[1]["id"] for a in asks]
        p.play(70, share=0.35, moves=False)
        return p
    return scene


def words(g):
    """What a bot asks for is taken, and answered in the words of another's refusal: its rails are asked again each time."""
    p = Thief(g, 1)
    text = {"status": "ok", "response": {"type": "order", "data": {"statuses": [{"error": "Order could not immediately match against any resting orders. asset=0"}]}}}
    p.x.fate = fates.only(("order",), fates.said(text))
    for i in range(6):
        p.notes.append(str(p.keys[0].order("BTC", "buy", "0.008", 59900 + i))[:300])
        time.sleep(3)
    p.x.fate = None
    p.chain.move("BTC", 59000)
    return p


def closed_by_words(g):
    """A bot closes its own beside a holder; the close is filled and answered as one that met nothing. Then it closes again, twice."""
    p = Thief(g, 1)
    c = g.plain_key()
    held = c.order("BTC", "buy", "0.05", 61000, time_in_force="ioc")[1]
    p.victims = {held["id"].replace("-", "")}
    k = p.keys[0]
    k.order("BTC", "buy", "0.008", 60500, time_in_force="ioc")
    time.sleep(2)
    text = {"status": "ok", "response": {"type": "order", "data": {"statuses": [{"error": "Order could not immediately match against any resting orders. asset=0"}]}}}
    for _ in range(3):
        p.x.fate = fates.only(("order",), fates.said(text))
        p.notes.append(str(k.ask("POST", "/v1/positions/close", {"account": k.account, "market": "BTC"}))[:300])
        p.x.fate = None
        time.sleep(8)
    nets = k.get("/v1/whoami")[1]["limits"]["use"]["nets"]
    sold = sum((D(e["fill"]["sz"]) for e in g.chain.log if e["what"] == "fill" and e["order"].reduce_only), D(0))
    print("sold by the bot", sold, "of 0.008; its own net is told as", nets, p.notes, flush=True)
    if sold > D("0.008"):
        p.judge.say("CRITICAL", "a bot has closed what another holds", id="close", sold=str(sold), nets=nets)
    return p


SCENES = {"thief-close-words": closed_by_words, "thief-words": words, **{f"thief-midnight-{n}": midnight(n) for n in range(1, 5)}, **{f"thief-{n}": quiet(n) for n in range(1, 7)}, **{f"thief-storm-{n}": storm(n) for n in range(1, 9)}, **{f"thief-deaths-{n}": deaths(n) for n in range(1, 7)},
          **{f"thief-beside-{n}": beside(n) for n in range(1, 7)}}
