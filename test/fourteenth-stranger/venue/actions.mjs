// What `/exchange` does with a signed action, once its signer is known.
import { dec } from "./decimal.mjs";

function wanted(venue, raw) {
  const market = venue.market(raw.a);
  const trigger = raw.t.trigger
    ? { px: dec(raw.t.trigger.triggerPx), isMarket: raw.t.trigger.isMarket, tpsl: raw.t.trigger.tpsl }
    : null;
  return {
    coin: market.coin,
    isBuy: raw.b,
    px: dec(raw.p),
    sz: dec(raw.s),
    reduceOnly: raw.r,
    tif: raw.t.limit?.tif ?? null,
    trigger,
    cloid: raw.c?.toLowerCase() ?? null,
  };
}

const never = (asset) => ({ error: `Order was never placed, already canceled, or filled. asset=${asset}` });
const ok = (type, statuses) => ({ status: "ok", response: { type, data: { statuses } } });
const plainOk = { status: "ok", response: { type: "default" } };

function modify(venue, { oid, order }, isAlways) {
  const next = wanted(venue, order);
  const old = [...venue.open.values()].find((one) => one.oid === oid || one.cloid === oid);
  if (old === undefined && !isAlways) return { error: "Cannot modify canceled or filled order" };
  if (!isAlways && (next.trigger !== null || next.tif === "Ioc"))
    return { error: "Attempted to modify to invalid new order" };
  if (old !== undefined && (old.isBuy !== next.isBuy || old.coin !== next.coin))
    return { error: "Attempted to modify to invalid new order" };
  if (old !== undefined) venue.close(old, "canceled");
  if (!isAlways) next.tif = "Alo";
  return venue.submit(next);
}

function twapOrder(venue, { twap }) {
  const market = venue.market(twap.a);
  const started = venue.startTwap({
    coin: market.coin,
    isBuy: twap.b,
    sz: twap.s,
    reduceOnly: twap.r,
    minutes: twap.m,
    randomize: twap.t,
  });
  return { status: "ok", response: { type: "twapOrder", data: { status: { running: { twapId: started.id } } } } };
}

export function carryOut(venue, action) {
  switch (action.type) {
    case "order":
      return ok(
        "order",
        action.orders.map((order) => venue.submit(wanted(venue, order))),
      );
    case "cancel":
      return ok(
        "cancel",
        action.cancels.map((one) => (venue.cancel((order) => order.oid === one.o) ? "success" : never(one.a))),
      );
    case "cancelByCloid":
      return ok(
        "cancel",
        action.cancels.map((one) =>
          venue.cancel((order) => order.cloid === one.cloid.toLowerCase()) ? "success" : never(one.asset),
        ),
      );
    case "batchModify":
      return ok(
        "order",
        action.modifies.map((one) => modify(venue, one, action.a === true)),
      );
    case "updateLeverage":
      venue.leverage.set(venue.market(action.asset).coin, {
        type: action.isCross ? "cross" : "isolated",
        value: action.leverage,
      });
      return plainOk;
    case "updateIsolatedMargin":
      return plainOk;
    case "twapOrder":
      return twapOrder(venue, action);
    case "twapCancel": {
      const isDone = venue.endTwap(action.t, "terminated");
      return {
        status: "ok",
        response: {
          type: "twapCancel",
          data: { status: isDone ? "success" : { error: "TWAP was never placed, already canceled, or filled." } },
        },
      };
    }
    case "noop":
      return plainOk;
    default:
      return { status: "err", response: `Unsupported here: ${action.type}` };
  }
}
