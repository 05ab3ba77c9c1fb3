/** Trades at the HTTP edge: asking for them, and an exchange for them to be asked of. */
import { activeAsset, MARK, refusalOf, stateOf } from "./rails-rig.ts";
import { ACCOUNTS, KEYS, type Rig } from "./rig.ts";

type Shown = {
  id: string;
  status: string;
  path: string;
  size: string;
  stop_loss: { trigger_price: string; price: string; market: boolean };
  take_profit: { trigger_price: string; price: string; market: boolean } | null;
  error: string | null;
  entry: { price: string; time_in_force: string; order: string | null };
};

const BODY = {
  market: "BTC",
  side: "buy",
  size: "0.01",
  entry: { price: MARK },
  stop_loss: { trigger_price: "58000" },
};

type Asking = { apiKey?: string | null; key?: string };
let made = 0;

export function ask(rig: Rig, path: string, body: object, { apiKey = KEYS.both, key }: Asking = {}): Promise<Response> {
  made += 1;
  return rig.ask({ path, apiKey, idempotencyKey: key ?? `trade-${made}-of-this-test`, body });
}

export function create(rig: Rig, terms: object = {}, asking: Asking = {}): Promise<Response> {
  return ask(rig, "/v1/trades", { account: ACCOUNTS.main, ...BODY, ...terms }, asking);
}

export async function created(rig: Rig, terms: object = {}, asking: Asking = {}): Promise<Shown> {
  const answer = await create(rig, terms, asking);
  if (answer.status !== 201) throw new Error(await refusalOf(answer));
  return (await answer.json()) as Shown;
}

export async function read(rig: Rig, path: string, apiKey: string = KEYS.both): Promise<Response> {
  return rig.ask({ path, apiKey });
}

export async function listed(rig: Rig, query = ""): Promise<Shown[]> {
  return ((await (await read(rig, `/v1/trades${query}`)).json()) as { data: Shown[] }).data;
}

/** Of all that a request of these could write. */
export function rows(rig: Rig): number[] {
  const count = (table: string) =>
    rig.deps.store.$client.query<{ n: number }, []>(`select count(*) as n from ${table}`).get()?.n ?? -1;
  return ["trades", "orders", "attempts", "idempotency"].map(count);
}

/** The exchange takes nothing: what is stored is what was asked for, and nothing has come of it. */
export function silent(rig: Rig): Rig {
  rig.deps.exchange.send = async (body) => {
    rig.sent.push(body);
    return { kind: "unknown", reason: "silence" };
  };
  return rig;
}

export function guard(trigger: string, limit?: string): object {
  return { trigger_price: trigger, ...(limit === undefined ? {} : { limit_price: limit }) };
}

type Account = { equity: string; leverage: { type: string; value: number }; mode?: string; spot?: string };

export function backed(rig: Rig, { equity, leverage, mode = "default", spot = "0" }: Account): Rig {
  const summary = { accountValue: equity, totalNtlPos: "0", totalRawUsd: equity, totalMarginUsed: "0" };
  rig.answers.set("clearinghouseState", () => ({
    ...stateOf([], rig.clock.nowMs()),
    marginSummary: summary,
    crossMarginSummary: summary,
  }));
  rig.answers.set("userAbstraction", () => mode);
  rig.answers.set("activeAssetData", ({ coin }) => activeAsset(String(coin), leverage));
  rig.answers.set("spotClearinghouseState", () => ({
    balances: [{ coin: "USDC", token: 0, total: spot, hold: "0", entryNtl: "0" }],
  }));
  return rig;
}

export const CROSS = { type: "cross", value: 20 };

export function isolated(value: number): Account["leverage"] {
  return { type: "isolated", value };
}
