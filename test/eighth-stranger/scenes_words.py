"""A refusal that was another's: the action is carried out, and its answer says why another was refused. Some words cannot be about this one."""
import time

import fates
from judge import Truth
from scenes_answers import Play


def refused(text):
    return {"status": "ok", "response": {"type": "order", "data": {"statuses": [{"error": text}]}}}


IOC = "Order could not immediately match against any resting orders. asset={}"
ALO = "Post only order would have immediately matched, bbo was 59994@60006. asset={}"
REDUCE = "Reduce only order would increase position. asset={}"
MINIMUM = "Order must have minimum value of $10. asset={}"
TICK = "Price must be divisible by tick size. asset={}"
MARGIN = "Insufficient margin to place order. asset={}"
SPOT = "Insufficient spot balance asset={}"
TRIGGER = "Invalid TP/SL price. asset={}"
MARKET = "No liquidity available for market order. asset={}"
CANCEL = "Order was never placed, already canceled, or filled. asset={}"
MODIFY = "Cannot modify canceled or filled order"

# order kind, text, asset of the text, whether these words cannot be about this order
CASES = [("gtc", IOC, 0, True), ("gtc", ALO, 0, True), ("gtc", REDUCE, 0, True), ("gtc", MINIMUM, 0, True), ("gtc", TICK, 0, True), ("gtc", SPOT, 0, True), ("gtc", TRIGGER, 0, True),
         ("gtc", MARKET, 0, True), ("gtc", CANCEL, 0, True), ("gtc", MARGIN, 4, True), ("gtc", MARGIN, 0, False), ("alo", IOC, 0, True), ("alo", ALO, 1, True), ("alo", ALO, 0, False),
         ("ioc", ALO, 0, True), ("ioc", IOC, 1, True), ("ioc", IOC, 0, False), ("stop", IOC, 0, True), ("stop", ALO, 0, True), ("stop", MINIMUM, 1, True), ("stop", REDUCE, 0, False)]


def place(p, kind):
    c, size = p.c, p.size()
    if kind == "stop":
        return c.order("BTC", "sell", size, 45000, reduce_only=True, trigger={"price": f"{49000 + p.n}", "kind": "stop_loss", "market": True})
    return c.order("BTC", "buy", size, 61000 if kind == "ioc" else 50000 + p.n, **({} if kind == "gtc" else {"time_in_force": kind}))


def watch(p, label, status, answer, certain, seconds=12):
    """Whether what was told as refused is told as it is, soon after; the exchange shows it all the while."""
    told = answer.get("status")
    p.notes.append((label, status, told, answer.get("error")))
    if told != "rejected":
        return
    end = time.time() + seconds
    while time.time() < end:
        later = p.c.get("/v1/orders/" + answer["id"])[1]
        if later.get("status") != "rejected":
            p.notes.append((label, "later", later["status"]))
            return
        time.sleep(2)
    runs = any(Truth(p.chain).ever(leg) for leg in Truth(p.chain).legs.get(answer["id"], []))
    if runs:
        p.judge.say("CRITICAL" if certain else "soft", f"told rejected by words that are another's, and it runs ({label})", id=answer["id"], error=answer["error"], certain=certain)


def words(g):
    p = Play(g)
    p.c.order("BTC", "buy", "0.1", 61000, time_in_force="ioc")
    for kind, text, asset, certain in CASES:
        p.n += 1
        text = text.format(asset)
        p.x.fate = fates.only(("order",), fates.said(refused(text)), 1)
        status, answer = place(p, kind)
        p.x.fate = None
        watch(p, f"{kind}: {text}", status, answer, certain)
    return Quick(p)


def words_of_modifies(g):
    """The same for modifies: they are carried out, and told as refused."""
    p = Play(g)
    for always in (False, True):
        for text in (MODIFY, IOC.format(0), ALO.format(1), REDUCE.format(0), TICK.format(0), MARGIN.format(4), CANCEL.format(0), "Attempted to modify to invalid new order"):
            ident = p.resting()
            time.sleep(0.3)
            p.x.fate = fates.only(("batchModify",), fates.said(refused(text)), 1)
            status, answer = p.c.ask("POST", f"/v1/orders/{ident}/modify", {"price": f"{51000 + p.n}", **({"always_place": True} if always else {})})
            p.x.fate = None
            p.notes.append((always, text, status, answer.get("status"), answer.get("error"), answer.get("exchange_order_id")))
            watch(p, f"modify {always}: {text}", status, answer, True)
    return Quick(p)


def words_of_twaps(g):
    """TWAPs, leverage and margin that are carried out, and told as refused in words that are another's."""
    p = Play(g)
    p.chain.slice_s = 60
    p.c.ask("POST", "/v1/leverage", {"market": "SOL", "leverage": 7, "margin_type": "isolated"})
    p.c.order("SOL", "buy", "3", 160, time_in_force="ioc")
    for text, certain in (("Reduce-only TWAP order would increase position.", True), ("TWAP order value too small. Min is $100.", True), ("Invalid TWAP duration: 1 min(s)", True), ("TWAP was never placed, already canceled, or filled.", True), ("Exceeded max number of active TWAP orders.", False)):
        p.n += 1
        p.x.fate = fates.only(("twapOrder",), fates.said({"status": "ok", "response": {"type": "twapOrder", "data": {"status": {"error": text}}}}), 1)
        operation(p, f"twap: {text}", certain, "/v1/twaps", {"market": "BTC", "side": "buy", "size": f"{0.02 + p.n * 0.0001:.4f}", "duration_minutes": 30})
    for text, certain in (("Position does not use isolated margin.", True), ("Invalid leverage value", True), ("Cannot update margin for empty position.", True), ("Update to isolated margin cannot be zero.", True)):
        p.n += 1
        p.x.fate = fates.only(("updateIsolatedMargin",), fates.said({"status": "err", "response": text}), 1)
        operation(p, f"margin: {text}", certain, "/v1/margin", {"market": "SOL", "amount": f"{1 + p.n / 100:.2f}"})
    for text, certain in (("Position does not use isolated margin.", True), ("Invalid leverage value", True), ("Cannot update margin for empty position.", True), (CANCEL.format(2), True)):
        p.n += 1
        p.x.fate = fates.only(("updateLeverage",), fates.said({"status": "err", "response": text}), 1)
        operation(p, f"leverage: {text}", certain, "/v1/leverage", {"market": "SOL", "leverage": 8 + p.n % 8, "margin_type": "isolated"})
    return Quick(p)


def operation(p, label, certain, path, body):
    status, a = p.c.ask("POST", path, body)
    p.x.fate = None
    time.sleep(10)
    later = p.c.get(f"/v1/operations/{a['id']}")[1] if "id" in a else a
    p.notes.append((label, status, a.get("status"), a.get("error"), later.get("status"), later.get("error")))
    if later.get("status") == "rejected":
        p.judge.say("CRITICAL" if certain else "soft", f"told rejected by words that are another's, and it was done ({label})", id=a["id"], error=later["error"])


def words_of_cancels(g):
    """Cancels that were answered in another's words, carried out or not."""
    p = Play(g)
    for ran in (True, False):
        for text in (CANCEL.format(1), MODIFY, IOC.format(0)):
            ident = p.resting()
            time.sleep(0.3)
            p.x.fate = fates.only(("cancel", "cancelByCloid"), fates.said({"status": "ok", "response": {"type": "cancel", "data": {"statuses": [{"error": text}]}}}, ran), 1)
            status, a = p.c.ask("POST", f"/v1/orders/{ident}/cancel", {})
            p.x.fate = None
            p.notes.append((ran, text, status, a.get("status"), a.get("error")))
    return Quick(p)


class Quick:
    """At rest with a shorter wait."""

    def __init__(self, p):
        self.p, self.notes = p, p.notes

    def end(self):
        for n in self.notes:
            print("   ", n, flush=True)
        self.p.x.fate = None
        self.p.judge.at_rest(self.p.c, 25)
        self.p.judge.all_told()
        return self.p.judge


SCENES = {"words": words, "words-of-modifies": words_of_modifies, "words-of-twaps": words_of_twaps, "words-of-cancels": words_of_cancels}
