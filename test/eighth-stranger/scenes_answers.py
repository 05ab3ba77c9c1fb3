"""Answers that are well formed and not the answer: each action and each read, with another's, an earlier one's, or rows turned round."""
import threading
import time

import fates
from chain import COIN_OF
from gateway import SUB
from judge import Judge

ACTIONS = ("order", "batchModify", "cancel", "cancelByCloid", "twapOrder", "twapCancel", "updateLeverage", "updateIsolatedMargin")


class Play:
    """One gateway, a main and a sub-account with some life, and sizes that are never used twice."""

    def __init__(self, g):
        self.g, self.x, self.chain, self.judge = g, g.exchange, g.chain, Judge(g)
        self.c, self.s, self.n = g.plain_key().follow(), g.plain_key(g.sub), 0
        self.notes = []

    def size(self):
        self.n += 1
        return f"{0.001 + self.n * 0.00001:.5f}"

    def warm(self):
        """An earlier answer of each kind, of both accounts."""
        for who in (self.c, self.s):
            o = who.order("BTC", "buy", self.size(), 50000)[1]
            who.ask("POST", f"/v1/orders/{o['id']}/modify", {"price": "50001"})
            who.ask("POST", f"/v1/orders/{o['id']}/cancel", {})
            who.order("BTC", "buy", self.size(), 61000, time_in_force="ioc")
            who.ask("POST", "/v1/leverage", {"market": "SOL", "leverage": 7, "margin_type": "isolated"})
            who.order("SOL", "buy", "3", 160, time_in_force="ioc")
            who.ask("POST", "/v1/margin", {"market": "SOL", "amount": "1.5"})
            t = who.ask("POST", "/v1/twaps", {"market": "ETH", "side": "buy", "size": "0.1", "duration_minutes": 5})[1]
            who.ask("POST", "/v1/twaps/cancel", {"market": "ETH", "twap_id": int(t["exchange_id"])})

    def resting(self, **more):
        return self.sure(lambda: self.c.order("BTC", "buy", self.size(), 50000 + self.n, **more))["id"]

    def sure(self, ask):
        """An ask without a fate, until it is answered."""
        for _ in range(20):
            status, answer = ask()
            if status in (200, 201):
                return answer
            self.notes.append({"prelude": status, "answer": answer})
            time.sleep(1)
        raise RuntimeError(f"{status} {answer}")

    def trigger(self):
        stop = {"price": "50000", "kind": "stop_loss", "market": True}
        return self.sure(lambda: self.c.order("BTC", "sell", self.size(), 45000, reduce_only=True, trigger=stop))["id"]

    # --- each thing that can be asked --------------------------------------------------------------------------------
    def asks(self):
        c = self.c
        batch = lambda: {"account": c.account, "orders": [{"market": "BTC", "side": "buy", "size": self.size(), "price": "50100"},
                         {"market": "BTC", "side": "buy", "size": self.size(), "price": "61000", "time_in_force": "ioc"},
                         {"market": "BTC", "side": "buy", "size": self.size(), "price": "61000", "time_in_force": "alo"}, {"market": "BTC", "side": "buy", "size": self.size(), "price": "50200"}]}
        return {
            "place": lambda: (None, lambda _: c.order("BTC", "buy", self.size(), 50500)),
            "ioc": lambda: (None, lambda _: c.order("BTC", "buy", self.size(), 61500, time_in_force="ioc")),
            "alo": lambda: (None, lambda _: c.order("BTC", "buy", self.size(), 61500, time_in_force="alo")),
            "stop": lambda: (None, lambda _: c.order("BTC", "sell", self.size(), 45000, reduce_only=True, trigger={"price": "49000", "kind": "stop_loss", "market": True})),
            "market": lambda: (None, lambda _: c.ask("POST", "/v1/orders/market", {"account": c.account, "market": "BTC", "side": "buy", "size": self.size()})),
            "batch": lambda: (None, lambda _: c.ask("POST", "/v1/orders/batch", batch())),
            "modify": lambda: (self.resting(), lambda i: c.ask("POST", f"/v1/orders/{i}/modify", {"price": f"{51000 + self.n}"})),
            "modify-always": lambda: (self.resting(), lambda i: c.ask("POST", f"/v1/orders/{i}/modify", {"price": "61000", "always_place": True})),
            "modify-stop": lambda: (self.trigger(), lambda i: c.ask("POST", f"/v1/orders/{i}/modify", {"trigger": {"price": f"{48000 + self.n}", "kind": "stop_loss", "market": True}, "always_place": True})),
            "cancel": lambda: (self.resting(), lambda i: c.ask("POST", f"/v1/orders/{i}/cancel", {})),
            "cancel-stop": lambda: (self.trigger(), lambda i: c.ask("POST", f"/v1/orders/{i}/cancel", {})),
            "cancel-all": lambda: (self.resting(), lambda _: c.ask("POST", "/v1/orders/cancel-all", {"account": c.account, "market": "BTC"})),
            "close": lambda: (None, lambda _: c.ask("POST", "/v1/positions/close", {"account": c.account, "market": "BTC", "fraction": "0.1"})),
            "twap": lambda: (None, lambda _: c.ask("POST", "/v1/twaps", {"market": "BTC", "side": "buy", "size": self.size() + "7"[:0], "duration_minutes": 5 + self.n % 50, "reduce_only": False} | {"size": f"{0.01 + self.n * 0.00001:.5f}"})),
            "twap-cancel": lambda: (self.twap(), lambda i: c.ask("POST", "/v1/twaps/cancel", {"market": "ETH", "twap_id": i})),
            "leverage": lambda: (None, lambda _: c.ask("POST", "/v1/leverage", {"market": "SOL", "leverage": 3 + self.n % 15, "margin_type": "isolated"})),
            "margin": lambda: (None, lambda _: c.ask("POST", "/v1/margin", {"market": "SOL", "amount": f"{1 + self.n * 0.01:.2f}"})),
        }

    def twap(self):
        body = {"market": "ETH", "side": "buy", "size": f"{1 + self.n * 0.0001:.4f}", "duration_minutes": 9}
        return int(self.sure(lambda: self.c.ask("POST", "/v1/twaps", body))["exchange_id"])

    def one(self, name, label, fate, names=ACTIONS, times=1):
        """The thing `name`, with the first request of those names having that fate."""
        self.n += 1
        ready, go = self.asks()[name]()
        if ready is not None:
            time.sleep(0.3)
        before = len(self.chain.log)
        self.x.fate = fates.only(names, fate, times)
        status, answer = go(ready)
        self.x.fate = None
        done = [e for e in self.chain.log[before:] if e["what"] in ("action", "answer")]
        self.notes.append({"ask": name, "fate": label, "status": status, "answer": answer, "done": [e.get("action", {}).get("type") or e["answer"] for e in done], "at": time.time()})
        self.true_operation(name, label, status, answer, before)

    def true_operation(self, name, label, status, answer, before):
        if name not in ("twap", "twap-cancel", "leverage", "margin") or status != 200:
            return
        ran = [e for e in self.chain.log[before:] if e["what"] in ("twap", "leverage", "margin") and e["account"] == self.g.owner
               and e.get("status") != "finished" and not (name == "twap-cancel" and e.get("status") == "activated")]
        told = answer.get("status")
        if told == "succeeded" and not ran:
            self.judge.say("high", f"{name} told succeeded, and it never ran ({label})", id=answer.get("id"), told=answer)
        if told == "rejected" and ran:
            self.judge.say("CRITICAL", f"{name} told rejected, and it ran ({label})", id=answer.get("id"), told=answer)
        if name == "twap" and told == "succeeded" and ran and str(ran[0]["twap"]["id"]) != answer["exchange_id"]:
            self.judge.say("CRITICAL", f"twap told under another's number ({label})", id=answer.get("id"), told=answer, true=ran[0]["twap"]["id"])

    def end(self):
        self.x.fate = self.x.frame_fate = None
        self.judge.at_rest(self.c)
        self.judge.at_rest(self.s, 20)
        self.judge.all_told()
        return self.judge


def wrong_answers(g, kinds=None, carried=(True, False)):
    """Another's answer to each action: of the same kind, of another kind, of another account; carried out or not."""
    p = Play(g)
    p.warm()
    for name in kinds or p.asks():
        for label, good in (("same kind", fates.same_kind), ("other kind", fates.other_kind), ("other account", fates.other_account)):
            for ran in carried:
                p.one(name, f"{label}, {'carried out' if ran else 'never came'}", fates.of_another(good, ran))
    return p


def lost_modifies(g):
    """As above, with modifies alone and answers that are lost, for comparison."""
    p = Play(g)
    p.warm()
    for name in ("modify", "modify-always", "modify-stop"):
        for label, fate in (("lost", fates.answered_lost), ("same kind", fates.of_another(fates.same_kind)), ("502", lambda x, q, run: (run(), fates.BAD_GATEWAY)[1])):
            p.one(name, label, fate)
    return p


def unheard_cancels(g):
    """A proxy says `success` to cancels that never came."""
    p = Play(g)
    p.warm()
    for name in ("cancel", "cancel-stop", "cancel-all"):
        p.one(name, "success, never came", fates.of_another(fates.same_kind, False), times=1)
    return p


def turned_answers(g):
    """Statuses in another order, doubled, cut; the first three requests of the action, too."""
    p = Play(g)
    p.warm()
    for name in ("batch", "cancel-all", "cancel", "place", "modify"):
        for label, change in fates.CHANGES.items():
            for times in (1, 3):
                for _ in range(2):
                    if name == "cancel-all":
                        p.resting(), p.resting()
                    p.one(name, f"{label} x{times}", fates.turned(change), times=times)
    return p


READS = ("orderStatus", "frontendOpenOrders", "openOrders", "historicalOrders", "userFills", "userFillsByTime", "twapHistory", "userTwapSliceFillsByTime",
         "clearinghouseState", "spotClearinghouseState", "activeAssetData", "userTwapSliceFills")


def wrong_reads(g, read_fate, names=READS, seconds=25):
    """Answers to actions are lost while reads of those names are wrong; then all is well again."""
    p = Play(g)
    p.warm()
    time.sleep(1)
    for name in ("place", "ioc", "stop", "batch", "modify", "modify-always", "cancel", "cancel-stop", "twap", "twap-cancel", "margin", "leverage", "close"):
        for lost in (fates.answered_lost, fates.never_came):
            ready, go = p.asks()[name]()
            p.n += 1
            p.x.fate = fates.first_of(fates.only(ACTIONS, lost, 1), fates.only(names, read_fate))
            threading.Thread(target=go, args=(ready,), daemon=True).start()
            time.sleep(0.6)
    p.x.fate = fates.only(names, read_fate)
    end = time.time() + seconds
    while time.time() < end:
        for path in ("/v1/orders?status=open", "/v1/orders?limit=100", "/v1/positions", "/v1/fills", "/v1/twaps", "/v1/operations"):
            p.c.get(path)
        for told in list(g.told)[-200:]:
            a = told.get("answer")
            if isinstance(a, dict) and a.get("object") == "order" and a["status"] == "unknown":
                p.c.get("/v1/orders/" + a["id"])
        time.sleep(1)
    return p


READ_FATES = {"cached": fates.cached, "other-user": fates.of_user(SUB), "other-dex": fates.of_dex, "another-record": fates.another_record,
              "reversed": fates.rows_of(fates.reverse), "doubled": fates.rows_of(fates.double), "cut": fates.rows_of(fates.cut), "nothing": fates.nothing,
              "kind-history": fates.of_kind("historicalOrders"), "kind-fills": fates.of_kind("userFills"), "kind-open": fates.of_kind("frontendOpenOrders"),
              "kind-state": fates.of_kind("clearinghouseState")}

SCENES = {"wrong-answers": wrong_answers, "turned-answers": turned_answers, "lost-modifies": lost_modifies, "unheard-cancels": unheard_cancels,
          **{f"reads-{k}": (lambda g, f=f: wrong_reads(g, f)) for k, f in READ_FATES.items()}}
assert COIN_OF
