"""Stop as a theorem: whatever was signed before, nothing of it lands after `stopped`; flat, left, protection, heartbeats, resume."""
import random
import threading
import time

import fates
import stops
from judge import Judge, Truth

ORDERS = ("order", "batchModify", "twapOrder")
CANCELS = ("cancel", "cancelByCloid", "twapCancel")


class Stopping:
    def __init__(self, g, allowed=()):
        self.g, self.x, self.chain, self.judge = g, g.exchange, g.chain, Judge(g)
        self.c, self.n, self.notes, self.threads, self.allowed = g.plain_key().follow(), 0, [], [], set(allowed)
        self.s = g.plain_key(g.sub)
        self.bots, self.at_rest = [], True

    def size(self):
        self.n += 1
        return f"{0.002 + self.n * 0.00001:.5f}"

    def go(self, ask):
        def run():
            self.notes.append(str(ask())[:400])
        t = threading.Thread(target=run, daemon=True)
        t.start()
        self.threads.append(t)

    def stop(self, who=None, **body):
        who = who or self.c
        for _ in range(60):
            status, s = who.ask("POST", "/v1/stop", {"scope": "account", **body})
            if status in (200, 201, 202):
                return s["id"]
            time.sleep(0.5)
        raise RuntimeError(f"no stop: {status} {s}")

    def wait(self, ident, seconds=90, who=None):
        return (who or self.c).until(f"/v1/stops/{ident}", lambda s: s["status"] != "stopping", seconds, 0.25)[1]

    def flatten(self, ident, seconds=120):
        self.c.ask("POST", f"/v1/stops/{ident}/flatten", {})
        return self.c.until(f"/v1/stops/{ident}", lambda s: s["flatten"] and s["flatten"]["status"] != "flattening", seconds, 0.5)[1]

    def watch(self, seconds, moves=False):
        end = time.time() + seconds
        while time.time() < end:
            self.c.get("/v1/stops")
            self.c.get("/v1/orders?status=open")
            time.sleep(0.7)

    def end(self):
        self.x.fate = self.x.frame_fate = None
        for t in self.threads:
            t.join(40)
        self.c.get("/v1/stops")
        if self.at_rest:
            self.judge.at_rest(self.c)
            self.judge.at_rest(self.s, 15)
        truth = self.judge.all_told()
        stops.held_against(self.g, self.judge, truth, self.of_bot)
        stops.flattened(self.g, self.judge)
        stops.protection(self.g, self.judge, self.allowed)
        return self.judge

    def of_bot(self, root):
        ids = set()
        for told in self.g.told:
            if told["client"] in self.bots and isinstance(told.get("answer"), dict):
                ids |= {o["id"] for o in self.judge.orders_in(told["answer"])}
        return root in ids


def busy(p, fate):
    """All kinds of increases under way at once, each with that fate; some before it that rest."""
    c = p.c
    rest = [c.order("BTC", "buy", p.size(), 50000 + i)[1] for i in range(3)]
    c.order("BTC", "buy", "0.01", 61000, time_in_force="ioc")
    c.order("BTC", "sell", "0.01", 45000, reduce_only=True, trigger={"price": "50000", "kind": "stop_loss", "market": True})
    time.sleep(0.4)
    p.x.fate = fates.only(ORDERS, fate) if not callable(getattr(fate, "choose", None)) else fate.choose
    p.go(lambda: c.order("BTC", "buy", p.size(), 51000))
    p.go(lambda: c.order("BTC", "buy", p.size(), 61000, time_in_force="ioc"))
    p.go(lambda: c.ask("POST", f"/v1/orders/{rest[0]['id']}/modify", {"price": "50500"}))
    p.go(lambda: c.ask("POST", f"/v1/orders/{rest[1]['id']}/modify", {"price": "61000", "always_place": True}))
    p.go(lambda: c.ask("POST", "/v1/twaps", {"market": "ETH", "side": "buy", "size": "0.3", "duration_minutes": 7}))
    p.go(lambda: c.ask("POST", "/v1/orders/batch", {"account": c.account, "orders": [{"market": "ETH", "side": "buy", "size": "0.1", "price": "2500"}, {"market": "ETH", "side": "buy", "size": "0.11", "price": "3100", "time_in_force": "ioc"}]}))
    p.go(lambda: c.ask("POST", "/v1/trades", {"account": c.account, "market": "SOL", "side": "buy", "size": "1", "entry": {"price": "151"}, "stop_loss": {"trigger_price": "140"}}))
    p.go(lambda: c.ask("POST", "/v1/orders/market", {"account": c.account, "market": "ETH", "side": "buy", "size": "0.05"}))
    time.sleep(0.5)


def stopped_amid(fate, kill=None, flat=False):
    def scene(g):
        p = Stopping(g)
        busy(p, fate)
        ident = p.stop()
        if kill is not None:
            time.sleep(kill)
            g.kill()
            g.start(wait=False)
        p.wait(ident)
        p.watch(3)
        p.x.fate = None
        if flat:
            p.flatten(ident)
        p.wait(ident)
        p.watch(18)
        return p
    return scene


def mixed(seed):
    r = random.Random(seed)
    options = [fates.late(3), fates.late(7), fates.late(10.5), fates.refused_and_taken(4), fates.refused_and_taken(11), fates.answered_lost, fates.never_came,
               fates.held(4), fates.slow(6), fates.refused_and_taken(8, "Must deposit before performing actions. User: 0x0000000000000000000000000000000000000001"),
               fates.of_another(fates.same_kind, True), fates.of_another(fates.same_kind, False), fates.of_another(fates.other_kind, True)]

    def fate(x, request, run):
        with x.lock:
            chosen = r.choice(options)
        return chosen(x, request, run)
    return fate


def unheard_cancels(g):
    """While it stops, a proxy says `success` to each cancel and hands none on, for twenty seconds."""
    p = Stopping(g)
    o = p.c.order("BTC", "buy", p.size(), 49000)[1]
    p.c.ask("POST", f"/v1/orders/{o['id']}/cancel", {})
    for i in range(3):
        p.c.order("BTC", "buy", p.size(), 50000 + i)
    t = p.c.ask("POST", "/v1/twaps", {"market": "ETH", "side": "buy", "size": "1", "duration_minutes": 7})[1]
    p.chain.slice_s = 40
    p.c.ask("POST", "/v1/twaps/cancel", {"market": "ETH", "twap_id": int(t["exchange_id"])})
    p.c.ask("POST", "/v1/twaps", {"market": "ETH", "side": "buy", "size": "1.1", "duration_minutes": 7})
    time.sleep(1)
    p.x.fate = fates.only(CANCELS, fates.of_another(fates.same_kind, False))
    ident = p.stop()
    p.wait(ident, 20)
    p.x.fate = None
    p.wait(ident, 100)
    p.chain.move("BTC", 48000)
    p.watch(5)
    return p


def wrong_twap(g):
    """A TWAP is answered with the number of the sub-account's; then the account is stopped."""
    p = Stopping(g)
    p.chain.slice_s = 30
    p.s.ask("POST", "/v1/twaps", {"market": "BTC", "side": "buy", "size": "0.05", "duration_minutes": 9})
    p.x.fate = fates.only(("twapOrder",), fates.of_another(fates.same_kind, True))
    p.c.ask("POST", "/v1/twaps", {"market": "BTC", "side": "buy", "size": "0.06", "duration_minutes": 9})
    p.x.fate = None
    ident = p.stop()
    p.wait(ident, 120)
    p.watch(20)
    return p


def twap_of_nobody(g):
    """A TWAP that never came is answered with the number of the sub-account's."""
    p = Stopping(g)
    p.chain.slice_s = 30
    p.s.ask("POST", "/v1/twaps", {"market": "BTC", "side": "buy", "size": "0.05", "duration_minutes": 9})
    p.x.fate = fates.only(("twapOrder",), fates.of_another(fates.same_kind, False))
    status, op = p.c.ask("POST", "/v1/twaps", {"market": "BTC", "side": "buy", "size": "0.06", "duration_minutes": 9})
    p.x.fate = None
    end = time.time() + 60
    while time.time() < end:
        later = p.c.get(f"/v1/operations/{op['id']}")[1]
        p.c.get("/v1/twaps")
        time.sleep(3)
    if later["status"] == "succeeded":
        p.judge.say("high", "a TWAP that never ran is succeeded a minute later, under the number of another account's", id=op["id"], told=later)
    p.wait(p.stop(), 60)
    return p


def heartbeat(g):
    """A bot falls silent while answers are lost, and once more with a death of the gateway in the silence."""
    p = Stopping(g)
    b = g.bot_key("pulse", max_order="5000 USD", max_position="9000 USD", max_exposure="9000 USD", max_turnover_per_day="90000 USD", max_distance="50 %")
    p.bots = [b]
    for dies in (False, True):
        rest = [b.order("BTC", "buy", p.size(), 59000 + p.n)[1] for _ in range(3)]
        b.order("BTC", "buy", "0.01", 60500, time_in_force="ioc")
        b.order("BTC", "sell", "0.01", 45500, reduce_only=True, trigger={"price": "50000", "kind": "stop_loss", "market": True})
        print(b.ask("PUT", "/v1/heartbeat", {"within_s": 5}))
        p.x.fate = fates.only(ORDERS, fates.late(6))
        p.go(lambda: b.order("BTC", "buy", p.size(), 59500))
        p.go(lambda: b.ask("POST", f"/v1/orders/{rest[0]['id']}/modify", {"price": "59600"}))
        time.sleep(1)
        p.x.fate = fates.only(CANCELS, fates.answered_lost, 2)
        if dies:
            time.sleep(3)
            g.kill()
            g.start()
        time.sleep(12)
        b.ask("GET", "/v1/heartbeat")
        time.sleep(14)
        p.x.fate = None
        live = [o for o in p.chain.account(g.owner).open.values() if not o.reduce_only]
        if live:
            p.judge.say("CRITICAL", "a silent bot's orders live on", id=str(dies), live=[(o.oid, str(o.px)) for o in live])
        status, beat = b.get("/v1/heartbeat")
        if beat.get("status") != "missed":
            p.judge.say("high", "a missed heartbeat is not told", id=str(dies), told=beat)
        if b.order("BTC", "buy", p.size(), 59001)[0] not in (200, 201):
            p.judge.say("high", "after a missed heartbeat nothing is taken", id=str(dies), told=p.notes[-1:])
        b.ask("POST", "/v1/orders/cancel-all", {"account": b.account})
    return p


def resumed(g):
    """The owner's signature ends a stop; a key cannot, nor another's signature, nor that of an earlier stop."""
    p = Stopping(g)
    busy(p, fates.late(4))
    first = p.stop()
    p.wait(first)
    for path in (f"/v1/stops/{first}/resume",):
        status, a = p.c.ask("POST", path, {"account": p.c.account, "signature": "0x" + "11" * 65})
        if status == 200:
            p.judge.say("CRITICAL", "a stop was ended without a signature", id=first)
    status, _, a = g.resume(p.c, first)
    if status != 200:
        p.judge.say("high", "the owner cannot end a stop", id=first, told=a)
    p.x.fate = None
    status, o = p.c.order("BTC", "buy", p.size(), 50900)
    if status != 201:
        p.judge.say("high", "after a resume nothing is taken", id=first, told=o)
    second = p.stop()
    status, _, a = g.resume(p.c, first)
    time.sleep(1)
    if p.c.get(f"/v1/stops/{second}")[1]["status"] == "resumed":
        p.judge.say("CRITICAL", "the signature for one stop has ended another", id=second)
    p.wait(second)
    p.flatten(second)
    return p


def wrong_words(g):
    """Two orders and a TWAP are taken, and answered in the words of another's refusal; then the account is stopped and flattened."""
    p = Stopping(g)
    p.chain.slice_s = 30
    p.c.order("BTC", "buy", "0.01", 61000, time_in_force="ioc")
    words = "Order could not immediately match against any resting orders. asset=0"
    p.x.fate = fates.first_of(fates.only(("order",), fates.said({"status": "ok", "response": {"type": "order", "data": {"statuses": [{"error": words}]}}})),
                              fates.only(("twapOrder",), fates.said({"status": "ok", "response": {"type": "twapOrder", "data": {"status": {"error": "Invalid TWAP duration: 1 min(s)"}}}})))
    p.c.order("BTC", "buy", p.size(), 59000)
    p.c.order("BTC", "buy", p.size(), 59100)
    p.c.ask("POST", "/v1/twaps", {"market": "ETH", "side": "buy", "size": "1", "duration_minutes": 30})
    p.x.fate = None
    time.sleep(2)
    ident = p.stop()
    p.notes.append(p.wait(ident, 60))
    p.notes.append(p.flatten(ident, 60))
    p.chain.move("BTC", 58000)
    time.sleep(2)
    p.watch(20)
    print([str(n)[:900] for n in p.notes], flush=True)
    print(stops.position_at(p.chain.log, g.owner, time.time()), flush=True)
    return p


def burnt_then_cut(end):
    """A TWAP is on its way when a stop takes its number; then its own connection ends: with a cut, or with `duplicate nonce`."""
    def scene(g):
        p = Stopping(g)
        p.c.order("ETH", "buy", "0.01", 2500)
        p.x.fate = fates.only(("twapOrder",), fates.held_and_cut(4) if end == "cut" else fates.held(4))
        p.go(lambda: p.c.ask("POST", "/v1/twaps", {"market": "ETH", "side": "buy", "size": "0.3", "duration_minutes": 7}))
        p.go(lambda: p.c.order("ETH", "buy", "0.02", 2501))
        time.sleep(1)
        ident = p.stop()
        p.wait(ident)
        p.watch(20)
        p.x.fate = None
        g.resume(p.c, ident)
        p.c.order("ETH", "buy", "0.03", 2502)
        words = [(e["event"]["data"]["status"], e["event"]["data"]["error"]) for e in p.c.events if e["event"]["type"].startswith("operation.")]
        print(words, flush=True)
        told = [w for w, _ in words]
        if "rejected" in told and told[-1] != "rejected":
            p.judge.say("high", "an operation that was told to be over is told otherwise", id="twap", told=words)
        return p
    return scene


def all_burnt_then_cut(g):
    """The same for orders, a batch and modifies: each on its way when a stop takes its number, and then cut."""
    p = Stopping(g)
    busy(p, fates.held_and_cut(5))
    ident = p.stop()
    p.wait(ident)
    p.watch(8)
    p.x.fate = None
    over = {}
    for e in p.c.events:
        data, kind = e["event"].get("data"), e["event"]["type"]
        if kind in ("order.updated", "operation.updated"):
            if data["status"] in ("unknown", "processing") and over.get(data["id"]) in ("rejected", "succeeded", "filled", "canceled"):
                p.judge.say("high", f"told {over[data['id']]}, and then {data['status']}", id=data["id"], kind=kind, error=data["error"])
            over[data["id"]] = data["status"]
    return p


SCENES = {"all-burnt-then-cut": all_burnt_then_cut, "twap-burnt-then-cut": burnt_then_cut("cut"), "twap-burnt-then-duplicate": burnt_then_cut("duplicate"), "stop-wrong-words": wrong_words, "stop-unheard-cancels": unheard_cancels, "stop-wrong-twap": wrong_twap, "twap-of-nobody": twap_of_nobody, "heartbeat": heartbeat, "resumed": resumed,
          "stop-late": stopped_amid(fates.late(7)), "stop-late-kill": stopped_amid(fates.late(9), kill=0.3), "stop-copies": stopped_amid(fates.refused_and_taken(11)),
          "stop-copies-kill": stopped_amid(fates.refused_and_taken(9), kill=1.5, flat=True), "stop-lost-flat": stopped_amid(fates.answered_lost, flat=True),
          "stop-wrong-flat": stopped_amid(fates.of_another(fates.same_kind, True), flat=True), "stop-wrong-other": stopped_amid(fates.of_another(fates.other_kind, False), flat=True),
          **{f"stop-mixed-{n}": stopped_amid(mixed(n), kill=[None, 0.1, 2][n % 3], flat=True) for n in range(1, 13)}}
assert Truth
