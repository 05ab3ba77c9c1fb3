"""Everything that was told against everything that was done. `CRITICAL`: false, double or lost."""
import time
from calendar import timegm
from decimal import Decimal

D = Decimal
UNSEEN = ("Too many cumulative requests", "does not exist", "Must deposit")
OVER = {"canceled", "filled", "rejected"}


def seconds(iso):
    return timegm(time.strptime(iso[:19], "%Y-%m-%dT%H:%M:%S")) + float("0" + iso[19:-1])


class Truth:
    """Legs by order id, each with its life in seconds."""

    def __init__(self, chain):
        with chain.lock:
            self.log = list(chain.log)
        self.legs, self.life, self.fills = {}, {}, {}
        for e in self.log:
            if e["what"] == "order" and e["order"].source != "twap":
                self.life.setdefault(e["order"].oid, []).append((e["at"], e["status"]))
            elif e["what"] == "fill":
                self.fills.setdefault(e["order"].oid, []).append((e["at"], e["order"], D(e["fill"]["sz"])))
        for e in self.log:
            if e["what"] == "taken":
                root = self.root(e["order"])
                if e["order"] not in self.legs.setdefault(root, []):
                    self.legs[root].append(e["order"])

    def root(self, order):
        while order.replaced is not None:
            order = order.replaced
        if order.cloid is None:
            return f"native-{order.oid}"
        h = order.cloid[2:]
        return f"{h[:8]}-{h[8:12]}-{h[12:16]}-{h[16:20]}-{h[20:]}"

    def began(self, leg):
        for at, status in self.life.get(leg.oid, []):
            if status in ("open", "triggered"):
                return at
        return None

    def ended(self, leg):
        for at, status in self.life.get(leg.oid, []):
            if status not in ("open", "triggered"):
                return at
        return float("inf")

    def ever(self, leg):
        return self.began(leg) is not None or leg.oid in self.fills

    def live(self, ident, since, until):
        return any(self.began(leg) is not None and self.began(leg) <= until and self.ended(leg) > since for leg in self.legs.get(ident, []))

    def filled(self, ident, at):
        return sum((size for leg in self.legs.get(ident, []) for t, _, size in self.fills.get(leg.oid, []) if t <= at), D(0))


class Judge:
    def __init__(self, gateway):
        self.g, self.found, self.are_terms_unique = gateway, [], True

    def say(self, severity, what, **facts):
        if not any(f["what"] == what and f["severity"] == severity and f["facts"].get("id") == facts.get("id") for f in self.found):
            self.found.append({"severity": severity, "what": what, "facts": facts})

    def orders_in(self, answer):
        if not isinstance(answer, dict):
            return
        kind = answer.get("object")
        if kind == "order" and "status" in answer:
            yield answer
        elif kind in ("order_batch",):
            yield from answer["orders"]
        elif kind == "list":
            for row in answer["data"]:
                yield from self.orders_in(row)
        elif kind == "event" and answer["type"] in ("order.created", "order.updated"):
            yield answer["data"]

    def all_told(self, at_rest_from=None):
        truth = Truth(self.g.chain)
        for told in list(self.g.told):
            answer = told.get("event") or told.get("answer")
            if told.get("event"):
                at = told["to"]
                for o in self.orders_in(answer):
                    self.order(truth, o, min(seconds(answer["created_at"]), at) - 1, at, None, "event")
            elif told["status"] in (200, 201, 202):
                for o in self.orders_in(answer):
                    since = told["from"] if not told["as_of"] else seconds(told["as_of"])
                    self.order(truth, o, since - 1.0, told["to"], told["client"], told["method"] + " " + told["path"])
        self.doubles(truth)
        self.harness()
        return truth

    def order(self, truth, o, since, at, client, where):
        ident, status = o["id"], o["status"]
        legs = truth.legs.get(ident, [])
        if client is not None and o["account"] != client.account:
            self.say("CRITICAL", "an order of another account", id=ident, where=where)
        if ident[14] == "8":
            return
        taken = [leg for leg in legs if truth.ever(leg)]
        unseen = any(w in (o["error"] or "") for w in UNSEEN) and taken and min(map(truth.began, taken), key=lambda t: t or 0) is not None
        if status == "rejected":
            # A trigger that has fired and found nothing is rejected though it had waited.
            taken = [leg for leg in taken if leg.oid in truth.fills or leg.status in ("open", "filled", "canceled")]
        if status == "rejected" and taken and unseen and at < min(truth.began(leg) or 0 for leg in taken) + 20:
            pass  # What one server refuses unseen another may carry out within 15 s: docs/clients.md.
        elif status == "rejected" and taken:
            self.say("CRITICAL", "told rejected, and it ran", id=ident, where=where, at=at, legs=[(leg.oid, truth.life.get(leg.oid)) for leg in taken], told=o)
        elif status in OVER and truth.live(ident, at, float("inf")):
            self.say("CRITICAL", f"told {status}, and it lives", id=ident, where=where, at=at, legs=[(leg.oid, truth.life.get(leg.oid)) for leg in taken], told=o)
        elif status in ("canceled", "filled") and not taken and not legs:
            self.say("CRITICAL" if status == "filled" else "high", f"told {status}, and it never came", id=ident, where=where, told=o)
        elif status in ("open", "waiting_for_trigger") and not truth.live(ident, since, at):
            # A list of the history reconciles nothing (specification 4.4).
            self.say("CRITICAL" if not taken else "soft" if where == "event" or "?limit" in where else "high", f"told {status}, and it is not", id=ident, where=where, at=at, since=since, told=o,
                     legs=[(leg.oid, truth.life.get(leg.oid)) for leg in legs])
        if o["filled_size"] is not None:
            size = D(o["filled_size"])
            if size > truth.filled(ident, at):
                self.say("CRITICAL", "told more filled than was", id=ident, where=where, at=at, told=o, true=str(truth.filled(ident, at)))
            elif status in OVER and size < truth.filled(ident, at - 2):
                self.say("high", "told less filled than was, at the end", id=ident, where=where, at=at, told=o, true=str(truth.filled(ident, at - 2)))

    def doubles(self, truth):
        seen = {}
        for ident, legs in truth.legs.items():
            first = [leg for leg in legs if leg.source == "order" and truth.ever(leg)]
            if len(first) > 1:
                self.say("CRITICAL", "one order placed twice", id=ident, legs=[leg.oid for leg in first])
            for leg in first:
                seen.setdefault((leg.account, leg.coin, leg.is_buy, leg.original, leg.px), set()).add(ident)
        wanted = {}
        for told in self.g.told:
            b = told.get("body")
            if told.get("method") == "POST" and isinstance(b, dict) and "account" in b and "price" in b and told["path"] == "/v1/orders":
                wanted.setdefault((self.g.address[b["account"]], b["market"], b["side"] == "buy", D(b["size"]), D(b["price"])), set()).add((told["client"].bot or told["client"].account, told["key"]))
        for terms, names in wanted.items():
            if self.are_terms_unique and len(seen.get(terms, ())) > len(names):
                self.say("CRITICAL", "more orders than names", id=str(terms), ids=sorted(seen[terms]), names=sorted(map(str, names)))

    def harness(self):
        for e in self.g.chain.log:
            if e["what"] == "harness":
                self.say("harness", e["why"])
            elif e["what"] == "stranger":
                self.say("harness", "a signer that is unknown here", id=e["action"]["type"])

    # --- at rest ---------------------------------------------------------------------------------------------------
    def at_rest(self, client, seconds_left=75):
        """Waits until nothing is unknown, then compares what is told of the account with what is true."""
        end = time.time() + seconds_left
        ids, operations = set(), set()
        for told in list(self.g.told):
            answer = told.get("answer") or told.get("event")
            if told["client"].account == client.account and isinstance(answer, dict):
                ids |= {o["id"] for o in self.orders_in(answer)}
                if answer.get("object") == "operation":
                    operations.add(answer["id"])
        pending = {*ids}
        while pending and time.time() < end:
            for ident in list(pending):
                status, o = client.get(f"/v1/orders/{ident}")
                if status == 404 or (status == 200 and o["status"] not in ("unknown", "processing")):
                    pending.discard(ident)
            if pending:
                time.sleep(2)
        for ident in pending:
            story = client.get(f"/v1/orders/{ident}/story")[1]
            self.say("high", "still unknown at rest", id=ident, story=str(story)[:1500])
        truth = Truth(self.g.chain)
        for ident in ids - pending:
            status, o = client.get(f"/v1/orders/{ident}")
            if status != 200:
                if any(truth.ever(leg) for leg in truth.legs.get(ident, [])):
                    self.say("CRITICAL", "not found at rest, and it ran", id=ident, answer=o)
                continue
            now = time.time()
            self.order(truth, o, now - 1, now, client, "at rest")
            filled = truth.filled(ident, now)
            if ident[14] != "8" and D(o["filled_size"] or 0) != filled:
                self.say("high", "filled size at rest", id=ident, told=o, true=str(filled))
        self.operations(client, operations, end)
        self.lists(client, truth, end)

    def operations(self, client, idents, end):
        for ident in idents:
            status, op = client.until(f"/v1/operations/{ident}", lambda a: a["status"] not in ("processing", "unknown"), max(1, end - time.time()), 2)
            if status == 200 and op["status"] in ("processing", "unknown"):
                self.say("soft" if "history" in (op.get("error") or "") or "in force" in (op.get("error") or "") or "cash" in (op.get("error") or "") else "high", "operation unknown at rest", id=ident, told=op)

    def lists(self, client, truth, end):
        account = self.g.chain.account(self.g.address[client.account])
        faults = ["not asked"]
        while faults and time.time() < max(end, time.time() + 0.1):
            faults = self.differences(client, account)
            if faults:
                time.sleep(2)
            if time.time() > end:
                break
        for what, facts in faults:
            self.say("high", what, id=client.account, **facts)

    def differences(self, client, account):
        out = []
        got = self.every(client, "/v1/orders?status=open&limit=500")
        if got is None:
            return [("the list of open orders cannot be had", {})]
        true = sorted(str(o) for o in account.open)
        if sorted(o["exchange_order_id"] or "?" for o in got) != true:
            out.append(("open orders at rest", {"told": [(o["id"], o["exchange_order_id"], o["status"]) for o in got], "true": true}))
        got = self.every(client, "/v1/fills?limit=500")
        true = sorted(str(f["oid"]) + f["sz"].removesuffix(".0") for f in account.fills)
        if got is None or sorted(f["exchange_order_id"] + f["size"] for f in got) != true:
            out.append(("fills at rest", {"told": len(got or []), "true": len(true)}))
        got = self.every(client, "/v1/positions?limit=500")
        true = {c: abs(p["szi"]) * (1 if p["szi"] > 0 else -1) for c, p in account.positions.items()}
        told = {p["market"]: D(p["size"]).copy_abs() * (1 if p["side"] == "long" else -1) for p in got or []}
        if got is None or told != true:
            out.append(("positions at rest", {"told": str(told), "true": str(true)}))
        status, twaps = client.get("/v1/twaps")
        if status == 200:
            running = sorted(t["exchange_id"] for t in twaps["data"] if t["status"] == "running")
            true = sorted(str(t["id"]) for t in account.twaps.values() if t["status"] == "activated")
            if running != true:
                out.append(("running TWAPs at rest", {"told": running, "true": true}))
        return out

    def every(self, client, path):
        rows, cursor = [], ""
        for _ in range(50):
            status, page = client.get(path + cursor)
            if status != 200:
                return None
            rows += page["data"]
            if not page["has_more"]:
                return rows
            cursor = f"&cursor={page['next_cursor']}"
        return rows
