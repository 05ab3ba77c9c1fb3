"""What the exchange shows: each read of `/info` and each frame of the websocket, made of the true state."""
import time
from decimal import Decimal

from chain import MAX_LEVERAGE, PERPS, SPOT, SPOT_COINS, TOKENS, XYZ
from codec import plain

D = Decimal


def dex_of(coin):
    return "xyz" if coin.startswith("xyz:") else ""


def meta(dex):
    listed = XYZ if dex == "xyz" else PERPS
    return {"universe": [{"szDecimals": m[1], "name": m[0], "maxLeverage": m[2], "marginTableId": m[2]} for m in listed], "marginTables": [], "collateralToken": 0}


def perp_context(chain, coin):
    mid = plain(chain.mid[coin])
    return {"funding": "0.0000125", "openInterest": "1000.0", "prevDayPx": mid, "dayNtlVlm": "1000000.0", "premium": "0.0", "oraclePx": mid, "markPx": mid,
            "midPx": mid, "impactPxs": [plain(chain.bid(coin)), plain(chain.ask(coin))], "dayBaseVlm": "100.0"}


def spot_meta():
    universe = [{"tokens": [s[2], 0], "name": s[0], "index": s[1], "isCanonical": s[1] == 0} for s in SPOT]
    tokens = [{"name": t[0], "szDecimals": t[2], "weiDecimals": 8, "index": i, "tokenId": f"0x{i + 1:032x}", "isCanonical": True, "evmContract": None,
               "fullName": None, "deployerTradingFeeShare": "0.0"} for i, t in enumerate(TOKENS)]
    return {"universe": universe, "tokens": tokens}


def spot_context(chain, coin):
    mid = plain(chain.mid[coin])
    return {"prevDayPx": mid, "dayNtlVlm": "1000.0", "markPx": mid, "midPx": mid, "circulatingSupply": "1000000.0", "coin": coin, "totalSupply": "1000000.0", "dayBaseVlm": "1000.0"}


def book(chain, coin):
    bid, ask = chain.bid(coin), chain.ask(coin)
    step = max(bid * D("0.0002"), D("0.00001"))
    levels = [[{"px": plain(chain.tick(coin, bid - i * step, False)), "sz": "100000.0", "n": 3} for i in range(5)],
              [{"px": plain(chain.tick(coin, ask + i * step, True)), "sz": "100000.0", "n": 3} for i in range(5)]]
    return {"coin": coin, "time": chain.now(), "levels": levels}


def state(chain, account, dex):
    out, notional, used, isolated = [], D(0), D(0), D(0)
    for coin, p in account.positions.items():
        if dex_of(coin) != dex:
            continue
        kind, leverage = account.leverage.get(coin, ("cross", 20 if dex == "" else 10))
        value = abs(p["szi"]) * chain.mid[coin]
        pnl = p["szi"] * (chain.mid[coin] - p["entry"])
        margin = value / leverage if kind == "cross" else abs(p["szi"]) * p["entry"] / leverage + account.margin.get(coin, D(0)) + pnl
        notional, used = notional + value, used + margin
        isolated += margin if kind == "isolated" else 0
        raw = {"rawUsd": plain((margin - p["szi"] * chain.mid[coin]).quantize(D("1e-6")))} if kind == "isolated" else {}
        out.append({"type": "oneWay", "position": {"coin": coin, "szi": plain(p["szi"]), "leverage": {"type": kind, "value": leverage, **raw},
                    "entryPx": plain(p["entry"].quantize(D("1e-6"))), "positionValue": plain(value.quantize(D("1e-6"))),
                    "unrealizedPnl": plain(pnl.quantize(D("1e-6"))), "returnOnEquity": "0.0", "liquidationPx": None,
                    "marginUsed": plain(margin.quantize(D("1e-6"))), "maxLeverage": MAX_LEVERAGE[coin],
                    "cumFunding": {"allTime": "0.0", "sinceOpen": "0.0", "sinceChange": "0.0"}}})
    equity = chain.equity(account, dex)
    q = D("1e-6")
    summary = {"accountValue": plain(equity.quantize(q)), "totalNtlPos": plain(notional.quantize(q)), "totalRawUsd": plain(equity.quantize(q)), "totalMarginUsed": plain(used.quantize(q))}
    cross = {**summary, "accountValue": plain((equity - isolated).quantize(q)), "totalMarginUsed": plain((used - isolated).quantize(q))}
    free = max(D(0), equity - isolated - max(used - isolated, (notional / 10)))
    return {"marginSummary": summary, "crossMarginSummary": cross, "crossMaintenanceMarginUsed": "0.0", "withdrawable": plain(free.quantize(q)),
            "assetPositions": out, "time": chain.now()}


def spot_state(chain, account):
    out = []
    for i, (name, _, _) in enumerate(TOKENS):
        hold = D(0)
        for o in account.open.values():
            if o.coin in SPOT_COINS:
                base = TOKENS[SPOT_COINS[o.coin][2]][0]
                hold += o.size * o.px if o.is_buy and name == "USDC" else o.size if not o.is_buy and name == base else 0
        out.append({"coin": name, "token": i, "total": plain(account.spot[name]), "hold": plain(hold), "entryNtl": "0.0"})
    return {"balances": out}


def open_orders(account, dex):
    return [o.wire() for o in sorted(account.open.values(), key=lambda o: -o.oid) if dex_of(o.coin) == dex]


def short(wire):
    keys = ["coin", "side", "limitPx", "sz", "oid", "timestamp", "origSz"]
    out = {k: wire[k] for k in keys}
    if wire["cloid"]:
        out["cloid"] = wire["cloid"]
    if wire["reduceOnly"]:
        out["reduceOnly"] = True
    return out


def order_status(account, oid):
    o = account.orders.get(oid) if isinstance(oid, int) else account.by_cloid.get(str(oid).lower())
    if not o or o.source == "twap":
        return {"status": "unknownOid"}
    status = "triggered" if o.fired and o.oid in account.open else o.status
    return {"status": "order", "order": {"order": o.wire(), "status": status, "statusTimestamp": o.changed}}


def history(account):
    return [{"order": w, "status": s, "statusTimestamp": at} for o, s, at, w in reversed(account.history) if o.source != "twap"][:2000]


def twap_history(account):
    rows = [{"time": at, "state": st, "status": {"status": s}, "twapId": t["id"]} for t in account.twaps.values() for s, at, st in t["rows"]]
    return sorted(rows, key=lambda r: (-r["time"], -r["twapId"]))


def twap_states(chain, account, dex):
    return [[t["id"], chain.twap_state(account, t)] for t in account.twaps.values() if t["status"] == "activated" and dex_of(t["coin"]) == dex]


def fills_by_time(account, body):
    rows = [f for f in account.fills if body.get("startTime", 0) <= f["time"] <= body.get("endTime", 1 << 60)]
    return (list(reversed(rows)) if body.get("reversed") else rows)[:2000]


def slice_fills(account, body):
    return [{"fill": f, "twapId": f["twapId"]} for f in reversed(account.fills) if f["twapId"] and body.get("startTime", 0) <= f["time"] <= body.get("endTime", 1 << 60)][:2000]


def role(chain, user):
    if user in chain.agents:
        return {"role": "agent", "data": {"user": chain.agents[user]["master"]}}
    if user in chain.subaccounts:
        return {"role": "subAccount", "data": {"master": chain.subaccounts[user]}}
    return {"role": "user" if user in chain.accounts else "missing"}


def active_data(chain, account, coin):
    kind, leverage = account.leverage.get(coin, ("cross", 20 if dex_of(coin) == "" else 10))
    free = plain((chain.equity(account, dex_of(coin)) - chain.used(account, dex_of(coin))).quantize(D("1e-6")))
    raw = {"rawUsd": "0.0"} if kind == "isolated" else {}
    return {"user": account.address, "coin": coin, "leverage": {"type": kind, "value": leverage, **raw}, "maxTradeSzs": ["100.0", "100.0"],
            "availableToTrade": [free, free], "markPx": plain(chain.mid[coin])}


FEES = {"dailyUserVlm": [], "feeSchedule": {"cross": "0.00045", "add": "0.00015", "spotCross": "0.0007", "spotAdd": "0.0004", "tiers": {"vip": [], "mm": []},
        "referralDiscount": "0.04", "stakingDiscountTiers": []}, "userCrossRate": "0.00045", "userAddRate": "0.00015", "userSpotCrossRate": "0.0007",
        "userSpotAddRate": "0.0004", "activeReferralDiscount": "0.0", "trial": None, "feeTrialEscrow": "0.0", "nextTrialAvailableTimestamp": None,
        "stakingLink": None, "activeStakingDiscount": {"bpsOfMaxSupply": "0.0", "discount": "0.0"}}


def info(chain, body):
    """The true answer to a read; raises KeyError where this exchange has no such read."""
    with chain.lock:
        kind, user, dex = body["type"], str(body.get("user", "")).lower(), body.get("dex") or ""
        plainly = {"meta": lambda: meta(dex), "spotMeta": spot_meta, "perpDexs": lambda: [None, {"name": "xyz", "fullName": "XYZ", "deployer": "0x" + "8" * 40,
                   "oracleUpdater": None, "feeRecipient": None, "assetToStreamingOiCap": [], "subDeployers": [], "deployerFeeScale": "1.0"}],
                   "metaAndAssetCtxs": lambda: [meta(dex), [perp_context(chain, m[0]) for m in (XYZ if dex else PERPS)]],
                   "spotMetaAndAssetCtxs": lambda: [spot_meta(), [spot_context(chain, s[0]) for s in SPOT]],
                   "allMids": lambda: {c: plain(m) for c, m in chain.mid.items() if dex_of(c) == dex}, "exchangeStatus": lambda: {"time": chain.now(), "specialStatuses": None},
                   "l2Book": lambda: book(chain, body["coin"]) if body["coin"] in chain.mid else None, "maxBuilderFee": lambda: 0, "candleSnapshot": list,
                   "recentTrades": list, "fundingHistory": list, "perpsAtOpenInterestCap": list, "userRole": lambda: role(chain, user), "userFees": lambda: FEES,
                   "userAbstraction": lambda: "disabled", "userDexAbstraction": lambda: None, "approvedBuilders": list, "userFunding": list,
                   "userNonFundingLedgerUpdates": list, "maxMarketOrderNtls": lambda: [[40, "30000000.0"], [20, "5000000.0"], [10, "2000000.0"], [3, "500000.0"]],
                   "extraAgents": lambda: [{"name": a["name"], "address": k, "validUntil": a["until"]} for k, a in chain.agents.items() if a["master"] == user]}
        if kind in plainly:
            return plainly[kind]()
        account = chain.account(user)
        owned = {"clearinghouseState": lambda: state(chain, account, dex), "spotClearinghouseState": lambda: spot_state(chain, account),
                 "frontendOpenOrders": lambda: open_orders(account, dex), "openOrders": lambda: [short(w) for w in open_orders(account, dex)],
                 "orderStatus": lambda: order_status(account, body["oid"]), "historicalOrders": lambda: history(account),
                 "userFills": lambda: list(reversed(account.fills))[:2000], "userFillsByTime": lambda: fills_by_time(account, body),
                 "userTwapSliceFills": lambda: slice_fills(account, body), "userTwapSliceFillsByTime": lambda: slice_fills(account, body),
                 "twapHistory": lambda: twap_history(account), "activeAssetData": lambda: active_data(chain, account, body["coin"]),
                 "userRateLimit": lambda: {"cumVlm": "1000000.0", "nRequestsUsed": account.requests, "nRequestsCap": 1010000, "nRequestsSurplus": 0},
                 "subAccounts": lambda: [{"name": "sub", "subAccountUser": s, "master": m, "clearinghouseState": state(chain, chain.account(s), ""),
                                          "spotState": spot_state(chain, chain.account(s))} for s, m in chain.subaccounts.items() if m == user] or None}
        return owned[kind]()


def frame(chain, subscription):
    """The snapshot that a subscription begins with, or None where it has none."""
    kind, dex = subscription["type"], subscription.get("dex") or ""
    user = str(subscription.get("user", "")).lower()
    account = chain.account(user) if user else None
    made = {"allMids": lambda: {"mids": {c: plain(m) for c, m in chain.mid.items() if dex_of(c) == dex}, **({"dex": dex} if dex else {})},
            "l2Book": lambda: book(chain, subscription["coin"]), "bbo": lambda: bbo(chain, subscription["coin"]),
            "activeAssetCtx": lambda: {"coin": subscription["coin"], "ctx": spot_context(chain, subscription["coin"]) if subscription["coin"] in SPOT_COINS else perp_context(chain, subscription["coin"])},
            "clearinghouseState": lambda: {"dex": dex, "user": user, "clearinghouseState": state(chain, account, dex)},
            "allDexsClearinghouseState": lambda: {"user": user, "clearinghouseStates": [[d, state(chain, account, d)] for d in ("", "xyz")]},
            "openOrders": lambda: {"dex": dex, "user": user, "orders": open_orders(account, dex)}, "spotState": lambda: {"user": user, "spotState": spot_state(chain, account)},
            "twapStates": lambda: {"dex": dex, "user": user, "states": twap_states(chain, account, dex)},
            "webData3": lambda: {"userState": {"agentAddress": None, "agentValidUntil": None, "cumLedger": "0.0", "serverTime": chain.now(), "isVault": False, "user": user},
                                 "perpDexStates": [{"totalVaultEquity": "0.0"}, {"totalVaultEquity": "0.0"}]},
            "userFills": lambda: {"user": user, "fills": list(reversed(account.fills))[:500], "isSnapshot": True},
            "userFundings": lambda: {"user": user, "fundings": [], "isSnapshot": True},
            "userNonFundingLedgerUpdates": lambda: {"user": user, "nonFundingLedgerUpdates": [], "isSnapshot": True},
            "userHistoricalOrders": lambda: {"user": user, "orderHistory": history(account)[:500], "isSnapshot": True},
            "userTwapSliceFills": lambda: {"user": user, "twapSliceFills": slice_fills(account, {})[:500], "isSnapshot": True},
            "userTwapHistory": lambda: {"user": user, "history": twap_history(account), "isSnapshot": True},
            "activeAssetData": lambda: active_data(chain, account, subscription["coin"])}
    return made[kind]() if kind in made else None


def bbo(chain, coin):
    return {"coin": coin, "time": chain.now(), "bbo": [{"px": plain(chain.bid(coin)), "sz": "100000.0", "n": 1}, {"px": plain(chain.ask(coin)), "sz": "100000.0", "n": 1}]}


assert time
