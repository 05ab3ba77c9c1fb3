/** What bots and a plain key ask of the gateway: every verb that can make a position larger, and those that make it smaller. */

import { adjustMargin } from "../../src/actions/adjust-margin.ts";
import { cancelOrder } from "../../src/actions/cancel-order.ts";
import { cancelTwap } from "../../src/actions/cancel-twap.ts";
import { closePosition } from "../../src/actions/close-position.ts";
import { createTrade } from "../../src/actions/create-trade.ts";
import { createTwap } from "../../src/actions/create-twap.ts";
import { modifyOrder } from "../../src/actions/modify-order.ts";
import { placeBatch } from "../../src/actions/place-batch.ts";
import { placeMarketOrder } from "../../src/actions/place-market-order.ts";
import { placeOrder } from "../../src/actions/place-order.ts";
import { setLeverage } from "../../src/actions/set-leverage.ts";
import { decimal } from "../../src/core/decimal.ts";
import { ApiError } from "../../src/core/errors.ts";
import type { WriteAnswer } from "../../src/core/idempotency.ts";
import type { OrderTerms } from "../../src/core/order.ts";
import type { Chance } from "../simulation/chance.ts";
import { drawTerms, TOO_MUCH } from "./draw.ts";
import { ACCOUNT, type Gateway, type Holder, MARKETS } from "./gateway.ts";
import { alert, propose } from "./through-others.ts";
import type { Asker } from "./venue.ts";

/** Who asks, and under which name. */
export type By = Asker & { holder: string; key: Holder };

/** `direct`: by the bots' own requests alone, as the first seeds were drawn. */
export type Mix = "direct" | "all";

export type Asking = {
  mix: Mix;
  /** A person approves just now, or no more. */
  approving(isApproving: boolean): void;
  gateway: Gateway;
  chance: Chance;
  /** Whole dollars of a market, by its place. */
  at(asset: number): number;
  /** From now on an order of this price is this one's. */
  claim(price: string, by: Asker): void;
  /** A trade of so much has been stored for a bot. */
  reserve(holder: string, trade: { asset: number; isBuy: boolean; size: string }): void;
  /** A number that no other request has. */
  number(): number;
  /** Ids of orders that the gateway has told. */
  orders: string[];
  /** Native ids of TWAPs that the gateway has told. */
  twaps: number[];
};

/** Such that several of them may be on their way at once: each is known by its price. */
export function drawQuick(asking: Asking, by: By): () => Promise<void> {
  const kind = asking.chance.pick(["place", "place", "place", "batch", "modify"] as const);
  if (kind === "batch") return () => batch(asking, by);
  if (kind === "modify" && asking.orders.length > 0) return () => modify(asking, by);
  return () => place(asking, by);
}

const SLOW = [
  "market",
  "market",
  "close",
  "trade",
  "twap",
  "leverage",
  "margin",
  "cancel",
  "cancel",
  "cancel_twap",
] as const;

/** Through others than the bot itself. */
const INDIRECT = ["propose", "propose", "alert", "alert"] as const;

/** One of those that are told apart by who asks just then. */
export function drawSlow(asking: Asking, by: By): () => Promise<void> {
  const kinds = asking.mix === "direct" ? SLOW : ([...SLOW, ...INDIRECT] as const);
  switch (asking.chance.pick(kinds)) {
    case "propose":
      return () => propose(asking, by, drawn(asking, by));
    case "alert":
      // A hook is a bot's.
      return by.holder === "plain" ? () => place(asking, by) : () => alert(asking, by, drawn(asking, by));
    case "market":
      return () => market(asking, by);
    case "close":
      return () => close(asking, by);
    case "trade":
      return () => trade(asking, by);
    case "twap":
      return () => twap(asking, by);
    case "leverage":
      return () => leverage(asking, by);
    case "margin":
      return () => margin(asking, by);
    case "cancel":
      return () => cancel(asking, by);
    case "cancel_twap":
      return () => stopTwap(asking, by);
  }
}

/** Each rail names the largest size that it lets pass, and the next may be narrower. */
const MAX_HINTS = 3;

/** Asks; and where a rail has refused it and names a size that passes, for that. */
async function withHints(
  asking: Asking,
  size: string,
  ask: (size: string, key: string) => Promise<WriteAnswer>,
): Promise<void> {
  let wanted = size;
  for (let hints = 0; hints <= MAX_HINTS; hints += 1) {
    const refusal = await told(asking, ask(wanted, keyOf(asking)));
    const fits = /Largest size that passes: ([0-9.]+)\./.exec(refusal ?? "")?.[1] ?? "0";
    if (size !== TOO_MUCH || fits === "0") return;
    wanted = fits;
  }
}

/** In words why nothing was sent; null where something was stored. */
async function told({ orders, twaps }: Asking, answer: Promise<WriteAnswer>): Promise<string | null> {
  try {
    const { body } = await answer;
    const shown = JSON.parse(body) as {
      object: string;
      id: string;
      action?: string;
      exchange_id?: string | null;
      orders?: { id: string }[];
    };
    if (shown.object === "order") orders.push(shown.id);
    for (const { id } of shown.orders ?? []) orders.push(id);
    const { exchange_id: twapId } = shown;
    if (shown.action === "twap" && twapId !== null && twapId !== undefined) twaps.push(Number(twapId));
    return null;
  } catch (error) {
    if (error instanceof ApiError) return error.message;
    throw error;
  }
}

function keyOf(asking: Asking): string {
  return `key-${asking.number()}-of-a-run`;
}

function drawn(asking: Asking, by: By): OrderTerms {
  const { chance } = asking;
  const asset = chance.pick([0, 0, 0, 1, 1, 2]);
  const terms = drawTerms(chance, { asset, at: asking.at(asset), number: asking.number() });
  asking.claim(terms.price, by);
  return terms;
}

/** Only one request has this key: what is told from another by it is of no matter. */
const FINGERPRINT = "of this run";

function place(asking: Asking, by: By): Promise<void> {
  const terms = drawn(asking, by);
  return withHints(asking, terms.size, (size, idempotencyKey) =>
    placeOrder(asking.gateway.deps, by.key.caller, {
      ...terms,
      size,
      accountId: ACCOUNT.id,
      idempotencyKey,
      fingerprint: FINGERPRINT,
    }),
  );
}

function batch(asking: Asking, by: By): Promise<void> {
  const { chance, gateway } = asking;
  const all = Array.from({ length: chance.between(2, 3) }, () => drawn(asking, by));
  const perpetual = all
    .filter(({ market }) => market !== "@1")
    .map((terms) => (terms.size === TOO_MUCH ? { ...terms, size: "0.03" } : terms));
  const wanted = { accountId: ACCOUNT.id, idempotencyKey: keyOf(asking), fingerprint: FINGERPRINT, orders: perpetual };
  if (perpetual.length === 0) return Promise.resolve();
  return told(asking, placeBatch(gateway.deps, by.key.caller, wanted)).then(() => undefined);
}

function modify(asking: Asking, by: By): Promise<void> {
  const { chance, gateway, orders } = asking;
  const terms = drawn(asking, by);
  const id = chance.pick(orders);
  return withHints(asking, terms.size, (size, idempotencyKey) =>
    modifyOrder(gateway.deps, by.key.caller, {
      id,
      size,
      price: terms.price,
      trigger: null,
      alwaysPlace: terms.timeInForce !== "alo",
      idempotencyKey,
      fingerprint: FINGERPRINT,
    }),
  );
}

function market(asking: Asking, by: By): Promise<void> {
  const { chance, gateway } = asking;
  const size = chance.isLucky(0.6) ? TOO_MUCH : "0.05";
  const wanted = {
    accountId: ACCOUNT.id,
    market: MARKETS[chance.pick([0, 1])]?.name ?? "",
    side: chance.pick(["buy", "sell"] as const),
    reduceOnly: chance.isLucky(0.3),
    maxSlippageBps: chance.pick([50, 300]),
    fingerprint: FINGERPRINT,
  };
  return withHints(asking, size, (fits, idempotencyKey) =>
    placeMarketOrder(gateway.deps, by.key.caller, { ...wanted, size: fits, idempotencyKey }),
  );
}

async function close(asking: Asking, by: By): Promise<void> {
  const { chance, gateway } = asking;
  const wanted = {
    accountId: ACCOUNT.id,
    market: MARKETS[chance.pick([0, 1])]?.name ?? "",
    fraction: decimal(chance.pick(["1", "0.5"])),
    maxSlippageBps: 100,
    touches: chance.pick(["own", "own", "all"] as const),
    keepsTriggers: true,
    idempotencyKey: keyOf(asking),
    fingerprint: FINGERPRINT,
  };
  await told(asking, closePosition(gateway.deps, by.key.caller, wanted));
}

/** What protects it is the gateway's own, and stands in the bot's books all the same. */
function trade(asking: Asking, by: By): Promise<void> {
  const { chance, gateway } = asking;
  const asset = chance.pick([0, 1]);
  const at = asking.at(asset);
  const side = chance.pick(["buy", "sell"] as const);
  const price = String(at + asking.number());
  const far = Math.round(at * (side === "buy" ? 0.95 : 1.05)) + asking.number();
  const limit = Math.round(far * (side === "buy" ? 0.98 : 1.02)) + asking.number();
  asking.claim(price, by);
  asking.claim(String(limit), { asker: "gateway", holder: by.holder });
  const wanted = {
    accountId: ACCOUNT.id,
    market: MARKETS[asset]?.name ?? "",
    side,
    price,
    timeInForce: chance.pick(["gtc", "ioc"] as const),
    stopLoss: { triggerPrice: String(far), limitPrice: String(limit) },
    takeProfit: null,
    fingerprint: FINGERPRINT,
  };
  return withHints(asking, TOO_MUCH, async (size, idempotencyKey) => {
    const answer = await createTrade(gateway.deps, by.key.caller, { ...wanted, size, idempotencyKey });
    asking.reserve(by.holder, { asset, isBuy: side === "buy", size });
    return answer;
  });
}

function twap(asking: Asking, by: By): Promise<void> {
  const { chance, gateway } = asking;
  const wanted = {
    market: MARKETS[chance.pick([0, 1])]?.name ?? "",
    side: chance.pick(["buy", "sell"] as const),
    durationMinutes: 30,
    randomize: false,
    reduceOnly: chance.isLucky(0.2),
    fingerprint: FINGERPRINT,
  };
  return withHints(asking, TOO_MUCH, (size, idempotencyKey) =>
    createTwap(gateway.deps, by.key.caller, { ...wanted, size, idempotencyKey }),
  );
}

async function leverage(asking: Asking, by: By): Promise<void> {
  const { chance, gateway } = asking;
  const wanted = {
    market: MARKETS[chance.pick([0, 1])]?.name ?? "",
    leverage: chance.pick([2, 3, 5, 8, 20]),
    marginType: "cross",
    idempotencyKey: keyOf(asking),
    fingerprint: FINGERPRINT,
  } as const;
  await told(asking, setLeverage(gateway.deps, by.key.caller, wanted));
}

async function margin(asking: Asking, by: By): Promise<void> {
  const { chance, gateway } = asking;
  const wanted = {
    market: "BTC",
    amount: chance.pick(["10", "-10"]),
    idempotencyKey: keyOf(asking),
    fingerprint: FINGERPRINT,
  };
  await told(asking, adjustMargin(gateway.deps, by.key.caller, wanted));
}

async function cancel(asking: Asking, by: By): Promise<void> {
  const { chance, gateway, orders } = asking;
  if (orders.length === 0) return;
  const wanted = { id: chance.pick(orders), idempotencyKey: keyOf(asking), fingerprint: FINGERPRINT };
  await told(asking, cancelOrder(gateway.deps, by.key.caller, wanted));
}

async function stopTwap(asking: Asking, by: By): Promise<void> {
  const { chance, gateway, twaps } = asking;
  if (twaps.length === 0) return;
  const wanted = { twapId: chance.pick(twaps), market: "BTC", idempotencyKey: keyOf(asking), fingerprint: FINGERPRINT };
  await told(asking, cancelTwap(gateway.deps, by.key.caller, wanted));
}
