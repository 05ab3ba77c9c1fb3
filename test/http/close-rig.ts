/** An exchange that fills what executes at once, and closing as its client asks for it. */
import { inSeconds, stateOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

export type Sent = { s: string; p: string; r: boolean; b: boolean; t: object; c: string };
export type Shown = { id: string; size: string; side: string; price: string; status: string; reduce_only: boolean };

/** `fills` false: nobody hears what becomes of what executes at once. */
export type Held = { szi: number; fills?: boolean };

/** Fills what executes at once, and shows less held afterwards; the rest it takes. */
export function exchangeThatFills(rig: Rig, held: Held): Sent[] {
  const sales: Sent[] = [];
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
    const { action } = JSON.parse(body) as { action: { orders?: Sent[] } };
    const [order] = action.orders ?? [];
    if (held.fills === false) {
      if (order !== undefined) sales.push(order);
      return { kind: "unknown", reason: "silence" };
    }
    if (order === undefined || !JSON.stringify(order.t).includes("Ioc")) return send(body, ...rest);
    sales.push(order);
    held.szi = Number((held.szi - (order.b ? -Number(order.s) : Number(order.s))).toFixed(5));
    const statuses = [
      { filled: { totalSz: order.s, avgPx: order.b ? "60010" : "59990", oid: 90_000 + sales.length, cloid: order.c } },
    ];
    const response = { type: "order", data: { statuses } };
    return { kind: "answered", httpStatus: 200, body: JSON.stringify({ status: "ok", response }) };
  };
  return sales;
}

let made = 0;

type Asking = { apiKey?: string; key?: string };

export function close(rig: Rig, terms: object = {}, { apiKey = KEYS.both, key }: Asking = {}): Promise<Response> {
  made += 1;
  const body = { account: ACCOUNTS.main, market: "BTC", ...terms };
  const idempotencyKey = key ?? `close-${made}-of-this-test`;
  return inSeconds(rig, rig.ask({ path: "/v1/positions/close", apiKey, idempotencyKey, body }));
}

export async function pass(rig: Rig, seconds: number): Promise<void> {
  for (let step = 0; step < seconds * 4; step += 1) await rig.clock.advance(250);
}

export const STOP_LOSS = {
  side: "sell",
  size: "0.5",
  price: "50000",
  reduce_only: true,
  trigger: { price: "55000", kind: "stop_loss", market: true },
};

export async function statusOf(rig: Rig, placed: Response): Promise<string> {
  const { id } = (await placed.json()) as Shown;
  return ((await (await rig.ask({ path: `/v1/orders/${id}`, apiKey: KEYS.both })).json()) as Shown).status;
}
