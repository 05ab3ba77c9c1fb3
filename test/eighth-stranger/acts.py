"""What a signed action does to the true exchange, and what the exchange says to it."""
import time
from decimal import Decimal

import codec
from chain import COIN_OF, MAX_LEVERAGE, SIZE_DECIMALS, SPOT_COINS

D = Decimal
NEVER = "Order was never placed, already canceled, or filled. asset="


def err(text):
    return {"status": "err", "response": text}


def ok(kind, data=None):
    return {"status": "ok", "response": {"type": kind, **({"data": data} if data is not None else {})}}


def signer_of(body):
    a = body["action"]
    if a["type"] == "approveAgent":
        fields = [("hyperliquidChain", "string"), ("agentAddress", "address"), ("agentName", "string"), ("nonce", "uint64")]
        domain = {"name": "HyperliquidSignTransaction", "version": "1", "chainId": int(a["signatureChainId"], 16), "verifyingContract": "0x" + "0" * 40}
        digest = codec.digest_of(domain, "HyperliquidTransaction:ApproveAgent", fields, {**a, "agentName": a.get("agentName") or ""})
    else:
        digest = codec.action_digest(a, body["nonce"], body.get("vaultAddress"), body.get("expiresAfter"))
    return codec.recover(digest, body["signature"])


def act(chain, body, signer=None):
    """Carries out one body as the exchange would. The answer is the true one."""
    signer = signer or signer_of(body)
    with chain.lock:
        chain.block = chain.now()
        try:
            return _act(chain, body, signer)
        finally:
            chain.block = None


def _act(chain, body, signer):
    action, now = body["action"], chain.now()
    if action["type"] == "approveAgent":
        name, _, until = (action.get("agentName") or "").partition(" valid_until ")
        chain.agents[action["agentAddress"].lower()] = {"master": signer, "name": name, "until": int(until or now + 90 * 86400000)}
        chain.tell("agent", agent=action["agentAddress"].lower(), master=signer)
        return ok("default")
    agent = chain.agents.get(signer)
    if not agent and signer not in chain.accounts:
        chain.tell("stranger", signer=signer, action=action)
        return err(f"User or API Wallet {signer} does not exist.")
    owner = agent["master"] if agent else signer
    vault = body.get("vaultAddress")
    if vault and chain.subaccounts.get(vault.lower()) != owner:
        return err(f"Vault not registered: {vault}")
    account = chain.account(vault or owner)
    used = chain.nonces.setdefault(signer, set())
    if body["nonce"] in used:
        chain.tell("duplicate", nonce=body["nonce"], action=action)
        return err(f"Invalid nonce: duplicate nonce {body['nonce']}")
    if len(used) >= 100 and body["nonce"] < sorted(used)[-100]:
        return err(f"Invalid nonce: nonce too low {body['nonce']} < {sorted(used)[-100]}")
    used.add(body["nonce"])
    if body.get("expiresAfter") is not None and body["expiresAfter"] < now:
        chain.tell("expired", nonce=body["nonce"], action=action)
        return err("Action already expired")
    account.requests += 1
    chain.tell("action", account=account.address, nonce=body["nonce"], action=action, sent=body.get("_sent"), signer=signer)
    answer = HANDLERS.get(action["type"], _unknown)(chain, account, action)
    chain.tell("answer", account=account.address, nonce=body["nonce"], answer=answer)
    return answer


def _unknown(chain, account, action):
    chain.tell("harness", why="action that this exchange does not have: " + action["type"])
    return err("not here")


def _spec_fault(spec):
    coin = COIN_OF.get(spec["a"])
    if not coin:
        return "Invalid asset"
    if D(spec["s"]) <= 0 or -D(spec["s"]).normalize().as_tuple().exponent > SIZE_DECIMALS[coin]:
        return "Order has invalid size."
    return None


def _order(chain, account, action, source="order"):
    if action.get("grouping") not in ("na", None) and not isinstance(action.get("grouping"), dict):
        chain.tell("harness", why="grouping " + str(action.get("grouping")))
    for spec in action["orders"]:
        fault = _spec_fault(spec)
        if fault:
            return ok("order", {"statuses": [{"error": fault}]})
    out = []
    for spec in action["orders"]:
        o = chain.make(account, COIN_OF[spec["a"]], spec, source)
        chain.tell("taken", account=account.address, order=o)
        out.append(chain.execute(account, o))
    return ok("order", {"statuses": out})


def _cancel(chain, account, action):
    out = []
    for c in action["cancels"]:
        by_cloid = "cloid" in c
        o = account.by_cloid.get(c["cloid"]) if by_cloid else account.open.get(c["o"])
        if not o or o.oid not in account.open or o.coin != COIN_OF.get(c["asset" if by_cloid else "a"]):
            out.append({"error": NEVER + str(c["asset" if by_cloid else "a"])})
        elif action.get("f") and o.is_waiting():
            out.append({"error": "Fast cancels are not for trigger orders."})
        else:
            chain.end(account, o, "canceled")
            out.append("success")
    return ok("cancel", {"statuses": out})


def _modify(chain, account, action):
    out = []
    for m in action["modifies"]:
        spec, oid = m["order"], m["oid"]
        old = account.open.get(oid) if isinstance(oid, int) else account.by_cloid.get(oid)
        living = old is not None and old.oid in account.open
        always = action.get("a") is True
        if not living and not always:
            out.append({"error": "Cannot modify canceled or filled order"})
            continue
        if not always and ("trigger" in spec["t"] or spec["t"]["limit"]["tif"] == "Ioc" or old.is_buy != spec["b"]):
            out.append({"error": "Attempted to modify to invalid new order"})
            continue
        fault = _spec_fault(spec)
        if fault:
            out.append({"error": fault})
            continue
        if living:
            chain.end(account, old, "canceled")
        if not always:
            spec = {**spec, "t": {"limit": {"tif": "Alo"}}}
        o = chain.make(account, COIN_OF[spec["a"]], spec, "modify")
        o.replaces, o.replaced = oid, old if living else None
        chain.tell("taken", account=account.address, order=o, replaces=oid)
        out.append(chain.execute(account, o))
    return ok("order", {"statuses": out})


def _leverage(chain, account, action):
    coin = COIN_OF.get(action["asset"])
    if not 1 <= action["leverage"] <= MAX_LEVERAGE.get(coin, 0):
        return err("Invalid leverage value")
    kind = "cross" if action["isCross"] else "isolated"
    if coin in account.positions and account.leverage.get(coin, ("cross", 0))[0] != kind:
        return err("Cannot switch leverage type with open position.")
    account.leverage[coin] = (kind, action["leverage"])
    chain.tell("leverage", account=account.address, coin=coin, leverage=action["leverage"], kind=kind)
    return ok("default")


def _margin(chain, account, action):
    coin = COIN_OF.get(action["asset"])
    if coin not in account.positions:
        return err("Cannot update margin for empty position.")
    if account.leverage.get(coin, ("cross", 0))[0] != "isolated":
        return err("Position does not use isolated margin.")
    amount, p = D(action["ntli"]) / 1000000, account.positions[coin]
    base = abs(p["szi"]) * p["entry"] / account.leverage[coin][1]
    have = account.margin.get(coin, D(0))
    if amount < 0 and base + have + amount < max(base, abs(p["szi"]) * chain.mid[coin] / 10):
        return err("Position does not have sufficient margin for reduction.")
    account.margin[coin] = have + amount
    chain.tell("margin", account=account.address, coin=coin, amount=amount)
    return ok("default")


def _twap(chain, account, action):
    t = action["twap"]
    coin = COIN_OF[t["a"]]
    if D(t["s"]) * chain.mid[coin] < 100:
        return ok("twapOrder", {"status": {"error": "TWAP order value too small. Min is $100."}})
    net = chain.net(account, coin)
    if t["r"] and (-net if t["b"] else net) <= 0:
        return ok("twapOrder", {"status": {"error": "Reduce-only TWAP order would increase position."}})
    one = {"id": chain.next_twap, "coin": coin, "is_buy": t["b"], "size": D(t["s"]), "reduce_only": t["r"], "minutes": t["m"], "randomize": t["t"],
           "done": D(0), "ntl": D(0), "n": 0, "status": "activated", "next": time.time() + 0.5, "at": chain.now(), "ended": None, "rows": []}
    chain.next_twap += 1
    account.twaps[one["id"]] = one
    one["rows"].append(("activated", chain.now() // 1000, chain.twap_state(account, one)))
    chain.tell("twap", account=account.address, twap=one, status="activated")
    return ok("twapOrder", {"status": {"running": {"twapId": one["id"]}}})


def _twap_cancel(chain, account, action):
    t = account.twaps.get(action["t"])
    if not t or t["status"] != "activated" or t["coin"] != COIN_OF.get(action["a"]):
        return ok("twapCancel", {"status": {"error": "TWAP was never placed, already canceled, or filled."}})
    chain.end_twap(account, t, "terminated")
    return ok("twapCancel", {"status": "success"})


def _noop(chain, account, action):
    return ok("default")


HANDLERS = {"order": _order, "cancel": _cancel, "cancelByCloid": _cancel, "batchModify": _modify, "updateLeverage": _leverage,
            "updateIsolatedMargin": _margin, "twapOrder": _twap, "twapCancel": _twap_cancel, "noop": _noop}
assert SPOT_COINS
