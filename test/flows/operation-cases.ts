import { expect } from "bun:test";
import { FIRST, type PaperRig } from "../support/paper-rig.ts";

/** The four operations, each with what it needs, what it brings about, and how it is refused. */
export type Case = {
  route: string;
  body: object;
  /** Brings about what the action needs. */
  prepare(rig: PaperRig): Promise<void>;
  /** True when the exchange shows that the action was carried out. */
  isDone(rig: PaperRig): Promise<boolean>;
  /** The same action, which the exchange refuses after it has taken its nonce. */
  refused: { body: object; prepare(rig: PaperRig): Promise<void>; words: string };
  /** In words of the operation. */
  action: string;
};

async function nothing(): Promise<void> {}
export const ISOLATED = { market: "ETH", leverage: 5, margin_type: "isolated" };

/** An isolated long of 1 ETH at 3200. */
export async function openPosition(rig: PaperRig): Promise<void> {
  await rig.answer(FIRST, { route: "POST /v1/leverage", body: ISOLATED });
  await rig.trade("sell", "1", "3200", 1);
  await buyEther(rig, "1");
}

async function buyEther(rig: PaperRig, size: string): Promise<void> {
  const body = { account: FIRST.account.id, market: "ETH", side: "buy", size, price: "3200", time_in_force: "ioc" };
  expect((await rig.answer(FIRST, { route: "POST /v1/orders", body })).body).toMatchObject({ status: "filled" });
}

async function startTwap(rig: PaperRig): Promise<void> {
  const { body } = await rig.answer(FIRST, { route: "POST /v1/twaps", body: TWAP });
  expect(body).toMatchObject({ status: "succeeded", exchange_id: "1" });
}

export const TWAP = { market: "BTC", side: "buy", size: "0.1", duration_minutes: 30 };

export async function margin(rig: PaperRig): Promise<string | undefined> {
  type State = { assetPositions: { position: { coin: string; leverage: { rawUsd?: string } } }[] };
  // As the exchange answers; only what is named is looked at.
  const state = (await rig.info({ type: "clearinghouseState", user: FIRST.account.tradingAddress })) as State;
  return state.assetPositions.find(({ position }) => position.coin === "ETH")?.position.leverage.rawUsd;
}

async function leverage(rig: PaperRig): Promise<number> {
  const request = { type: "activeAssetData", user: FIRST.account.tradingAddress, coin: "ETH" };
  return ((await rig.info(request)) as { leverage: { value: number } }).leverage.value;
}

export function twaps(rig: PaperRig): number[] {
  return [...rig.paper.venue.twaps.keys()];
}

export const CASES: Record<string, Case> = {
  "a leverage change": {
    route: "POST /v1/leverage",
    body: { ...ISOLATED, leverage: 7 },
    prepare: nothing,
    isDone: async (rig) => (await leverage(rig)) === 7,
    // With the position as large as it is, its margin does not cover a lower leverage.
    refused: { body: { ...ISOLATED, leverage: 2 }, prepare: openPosition, words: "Isolated" },
    action: "leverage",
  },
  "a margin change": {
    route: "POST /v1/margin",
    body: { market: "ETH", amount: "12.345678" },
    prepare: openPosition,
    isDone: async (rig) => (await margin(rig)) === "-2547.654322",
    refused: {
      body: { market: "ETH", amount: "-600" },
      prepare: openPosition,
      words: "does not have sufficient margin",
    },
    action: "isolated_margin",
  },
  "a TWAP": {
    route: "POST /v1/twaps",
    body: TWAP,
    prepare: nothing,
    isDone: async (rig) => twaps(rig).length === 1,
    refused: { body: { ...TWAP, size: "0.00001" }, prepare: nothing, words: "too small" },
    action: "twap",
  },
  "the cancel of a TWAP": {
    route: "POST /v1/twaps/cancel",
    body: { market: "BTC", twap_id: 1 },
    prepare: startTwap,
    isDone: async (rig) => twaps(rig).length === 0,
    refused: { body: { market: "BTC", twap_id: 1 }, prepare: cancelTwapElsewhere, words: "never placed" },
    action: "twap_cancel",
  },
};

async function cancelTwapElsewhere(rig: PaperRig): Promise<void> {
  await startTwap(rig);
  await rig.elsewhere(FIRST, { type: "twapCancel", a: 0, t: 1n });
}
