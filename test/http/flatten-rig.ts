/** What tests of flattening share: how it is asked for, and an exchange that fills what executes at once. */

import { add, decimal, isZero, subtract } from "../../src/core/decimal.ts";
import { signedSize } from "../../src/core/signed-size.ts";
import { inTransaction } from "../../src/store/commit.ts";
import { listNewFilledLegs } from "../../src/store/filled-legs.ts";
import { insertFills, type StoredFill } from "../../src/store/fills.ts";
import { markTakenUp } from "../../src/store/restores.ts";
import { restores, takeUps } from "../../src/store/schema-restore.ts";
import { stateOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

export type Shown = {
  id: string;
  status: string;
  flatten: { status: string; left: object[]; order_ids: string[] } | null;
};

export async function stopOf(rig: Rig, scope: string, apiKey: string = KEYS.both): Promise<string> {
  return ((await (await rig.ask({ path: "/v1/stop", apiKey, body: { scope } })).json()) as Shown).id;
}

export async function flatten(
  rig: Rig,
  id: string,
  { apiKey = KEYS.both, body = {} }: { apiKey?: string; body?: object } = {},
) {
  const answer = await rig.ask({ path: `/v1/stops/${id}/flatten`, apiKey, body });
  const told = (await answer.json()) as Shown & { error?: { code: string } };
  return { code: told.error?.code ?? String(answer.status), told };
}

export async function pass(rig: Rig, seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 4; step += 1) await rig.clock.advance(250);
}

type Sale = { s: string; p: string; r: boolean; b: boolean; t: object };

/** Fills what executes at once, and shows less held afterwards. */
export function exchangeThatFills(rig: Rig, held: { szi: number }): Sale[] {
  const sales: Sale[] = [];
  rig.answers.set("twapHistory", () => []);
  rig.answers.set("meta", () => null);
  rig.answers.set("clearinghouseState", ({ dex }) =>
    stateOf((dex ?? "") === "" && held.szi !== 0 ? [{ coin: "BTC", szi: String(held.szi) }] : [], rig.clock.nowMs()),
  );
  const level = { px: "59990", sz: "10", n: 1 };
  rig.answers.set("l2Book", () => ({
    coin: "BTC",
    time: rig.clock.nowMs(),
    levels: [[level], [{ ...level, px: "60010" }]],
  }));
  const { send } = rig.deps.exchange;
  rig.deps.exchange.send = async (body, ...rest) => {
    const { action } = JSON.parse(body) as { action: { type: string; orders?: (Sale & { c: string })[] } };
    const [order] = action.orders ?? [];
    if (order === undefined || !JSON.stringify(order.t).includes("Ioc")) return send(body, ...rest);
    sales.push(order);
    held.szi = Number((held.szi - (order.b ? -Number(order.s) : Number(order.s))).toFixed(5));
    const statuses = [{ filled: { totalSz: order.s, avgPx: "59990", oid: 90_000 + sales.length, cloid: order.c } }];
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  return sales;
}

/** As a server shows it that is behind: what was held so long ago, of then. */
export function showFrom(rig: Rig, past: (atMs: number) => { szi: number; agoMs: number } | null): void {
  const now = rig.answers.get("clearinghouseState");
  rig.answers.set("clearinghouseState", (request) => {
    const shown = past(rig.clock.nowMs());
    if (shown === null || (request["dex"] ?? "") !== "") return now?.(request) ?? null;
    const positions = shown.szi === 0 ? [] : [{ coin: "BTC", szi: String(shown.szi) }];
    return stateOf(positions, rig.clock.nowMs() - shown.agoMs);
  });
}

export async function endOf(rig: Rig, id: string): Promise<Shown["flatten"]> {
  return ((await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as Shown).flatten;
}

/** As the index of fills learns of it. */
export function indexFill({ deps: { store } }: Rig, fill: Partial<StoredFill> & { timeMs: number }): void {
  const base = { accountId: ACCOUNTS.main, id: `${fill.timeMs}-${fill.market ?? "ETH"}-1`, market: "ETH", oid: "77" };
  const terms = { side: "buy", price: "3000", size: "0.5", fee: "0", feeToken: "USDC", builderFee: null } as const;
  const rest = { realizedPnl: "0", startPosition: "0", direction: "Open Long", twapId: null, transactionHash: "0x00" };
  const row = { ...base, ...terms, ...rest, isTaker: true, isLiquidation: false, ...fill };
  // Decimals of these texts are canonical.
  inTransaction(store, () => insertFills(store, [row as StoredFill], { atMs: fill.timeMs, toldFromMs: 0 }));
}

/** As the index of fills learns of all that was told to be filled and is not kept. @param start what was held before that @returns after it */
export function keepFills(rig: Rig, start: string): string {
  const { store } = rig.deps;
  let held = decimal(start);
  for (const { market, oid, side, filled, kept } of listNewFilledLegs(store, ACCOUNTS.main)) {
    const size = subtract(filled, kept);
    if (oid === null || isZero(size)) continue;
    const timeMs = rig.clock.nowMs();
    indexFill(rig, { id: `${timeMs}-${market}-${oid}`, market, oid, side, size, startPosition: held, timeMs });
    held = add(held, signedSize(side, size));
  }
  return held;
}

export async function shownStop(rig: Rig, id: string): Promise<Shown> {
  return (await (await rig.ask({ path: `/v1/stops/${id}`, apiKey: KEYS.both })).json()) as Shown;
}

/** From here on as after a restore, while what was signed since the backup is not read; what is returned says that it is. */
export function awaitTakeUp({ deps: { store }, clock }: Pick<Rig, "deps" | "clock">): () => void {
  const atMs = clock.nowMs();
  const accountId = ACCOUNTS.main;
  inTransaction(store, () => {
    const { id: restoreId } = store
      .insert(restores)
      .values({ restoredAtMs: atMs })
      .returning({ id: restores.id })
      .get();
    store.insert(takeUps).values({ accountId, restoreId, snapshotAtMs: atMs, takenUpAtMs: null }).run();
  });
  store.memory.restores = null;
  return () =>
    inTransaction(store, () => markTakenUp(store, accountId, { takenUpAtMs: clock.nowMs(), readToMs: clock.nowMs() }));
}
