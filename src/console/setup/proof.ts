/**
 * The proof that everything works: an order far from the price, which may only rest, placed with the new key and
 * canceled again. What is under way survives a reload: the order by its Idempotency-Key, the rest by what is open.
 */
import { type ApiAnswer, member, request } from "../api/request.ts";
import type { ApiMarket, ApiOrder, List } from "../api/resources.ts";
import { add, cutToFigures, divide, multiply } from "../figures/decimal.ts";
import { act } from "../state/act.ts";
import type { App } from "../state/app.ts";
import { signIn } from "../state/session.ts";
import type { MadeKey, SetupState } from "./progress.ts";

type TrialPlan = { market: string; price: string; size: string; now: string };
export type Proof = {
  plan: TrialPlan | null;
  /**
   * `new`: nothing was asked yet. `looking`: the price and what an earlier try has left are read; nothing may be placed
   * before both are known. `waiting`: asking failed, and is done again at `nextTryAtMs`.
   */
  stage: "new" | "looking" | "waiting" | "ready" | "placing" | "canceling" | "proven" | "failed";
  words: string | null;
  nextTryAtMs: number;
};

const MARKET = "BTC";
/** Of the price now: far enough never to trade, near enough to be taken. */
const FAR = "0.8";
/** USDC; the exchange takes no order below 10. */
const VALUE = "11";

/** The plan of a proof that is under way, so that its order is known again after a reload. */
export const PROOF_STORE = "postern.setup.proof";

/** Between two readings of the price that failed, milliseconds: doubled each time. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

export function newProof(): Proof {
  return { plan: null, stage: "new", words: null, nextTryAtMs: 0 };
}

function tell(app: App, proof: Proof, change: Partial<Proof>): void {
  Object.assign(proof, change);
  app.changed();
}

/** Asks until there is a plan, with longer and longer pauses; a newer call takes over from one that waits. */
export async function prepareProof(app: App, state: SetupState, key: MadeKey): Promise<void> {
  if (state.proof.stage === "looking") return;
  const mine = { ...state.proof };
  state.proof = mine;
  for (let pauseMs = FIRST_PAUSE_MS; app.state.setup?.proof === mine; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    tell(app, mine, { stage: "looking", words: null });
    const read = await readPlan(app, key);
    if (app.state.setup?.proof !== mine) return;
    if (!("failure" in read)) tell(app, mine, { plan: keptPlan(app) ?? read });
    const failed = "failure" in read ? read : await goOn(app, mine);
    if (failed === null || app.state.setup?.proof !== mine) return;
    const waitMs = Math.max(pauseMs, failed.retryAfterMs);
    tell(app, mine, { stage: "waiting", words: failed.failure, nextTryAtMs: app.nowMs() + waitMs });
    await app.sleep(waitMs);
  }
}

type Failure = { failure: string; retryAfterMs: number };

async function readPlan(app: App, key: MadeKey): Promise<TrialPlan | Failure> {
  if (app.state.session === null) await signIn(app, key.apiKey, "window");
  if (app.state.session === null) return failure(app.state.signIn.failure ?? "the key could not sign in");
  const bearer = key.apiKey;
  const [markets, prices] = await Promise.all([
    request<List<ApiMarket>>({ method: "GET", path: "/v1/markets", bearer }),
    request<List<{ market: string; mid_price: string }>>({ method: "GET", path: "/v1/prices", bearer }),
  ]);
  if (markets.kind !== "ok") return refusal(markets);
  if (prices.kind !== "ok") return refusal(prices);
  const market = markets.body.data.find((one) => one.market === MARKET) ?? markets.body.data[0];
  const now = prices.body.data.find((one) => one.market === market?.market)?.mid_price;
  return market === undefined || now === undefined
    ? failure("the exchange has no price to go by.")
    : planOf(market, now);
}

function failure(words: string, retryAfterMs = 0): Failure {
  return { failure: words, retryAfterMs };
}

function refusal(answer: Exclude<ApiAnswer<unknown>, { kind: "ok" }>): Failure {
  return failure(answer.message, answer.kind === "refused" ? (answer.retryAfterS ?? 0) * 1_000 : 0);
}

function keptPlan(app: App): TrialPlan | null {
  try {
    // Written by `prove` and by nothing else.
    return JSON.parse(app.sessionStorage.getItem(PROOF_STORE) ?? "null") as TrialPlan | null;
  } catch {
    return null;
  }
}

export function planOf(market: ApiMarket, now: string): TrialPlan {
  const price = cutToFigures(multiply(now, FAR), market.price_significant_figures, market.price_decimals);
  const smallest = market.size_decimals === 0 ? "1" : `0.${"1".padStart(market.size_decimals, "0")}`;
  const size = add(divide(VALUE, price, market.size_decimals) ?? "0", smallest);
  return { market: market.market, price, size, now };
}

/** An order of an interrupted proof is canceled, not placed again; without one, another may be placed. */
async function goOn(app: App, proof: Proof): Promise<Failure | null> {
  const session = app.state.session;
  if (session === null) return failure("this window has no key any more.");
  if (app.state.intentions.length > 0) {
    tell(app, proof, { stage: "placing" });
    while (app.state.intentions.some(({ state }) => state !== "unsure")) await app.sleep(250);
  }
  // The gateway's own history: the list of what is open at the exchange may be a second old.
  const path = "/v1/orders?limit=20";
  const answer = await request<List<ApiOrder>>({ method: "GET", path, bearer: session.apiKey });
  if (answer.kind !== "ok") return refusal(answer);
  const left = answer.body.data.find((order) => isOf(proof, order));
  if (left === undefined) tell(app, proof, { stage: "ready" });
  else await cancel(app, proof, left.id);
  return null;
}

const LIVING = new Set(["processing", "open", "unknown"]);

/** Ours by its looks: post-only, of the size and at the price that were planned, and not over. */
function isOf({ plan }: Proof, { market, size, price, time_in_force: tif, status }: ApiOrder): boolean {
  return LIVING.has(status) && tif === "alo" && market === plan?.market && size === plan.size && price === plan.price;
}

export function mayPlace({ plan, stage }: Proof): boolean {
  return plan !== null && (stage === "ready" || stage === "failed");
}

export async function prove(app: App, proof: Proof): Promise<void> {
  const { plan } = proof;
  const account = app.state.session?.me.account;
  if (plan === null || account === undefined || !mayPlace(proof)) return;
  tell(app, proof, { stage: "placing", words: null });
  app.sessionStorage.setItem(PROOF_STORE, JSON.stringify(plan));
  const { market, price, size } = plan;
  const body = { account, market, side: "buy", size, price, time_in_force: "alo", reduce_only: false };
  const outcome = await act(app, { path: "/v1/orders", body, words: `proof: buy ${size} ${market} at ${price}` });
  if (outcome === null)
    return tell(app, proof, {
      stage: "failed",
      words: "No answer yet. The order above is asked for again with the same key.",
    });
  if (outcome.kind === "refused") return tell(app, proof, { stage: "failed", words: outcome.message });
  const [id, status, error] = ["id", "status", "error"].map((name) => member(outcome.body, name));
  if (status === "rejected")
    return tell(app, proof, { stage: "failed", words: `The exchange refused it: ${String(error)}` });
  await cancel(app, proof, String(id));
}

async function cancel(app: App, proof: Proof, id: string): Promise<void> {
  tell(app, proof, { stage: "canceling" });
  const outcome = await act(app, { path: `/v1/orders/${id}/cancel`, body: {}, words: "cancel the proof" });
  const status = outcome?.kind === "done" ? member(outcome.body, "status") : null;
  if (status === "canceled") return tell(app, proof, { stage: "proven", words: null });
  const reason = outcome?.kind === "refused" ? outcome.message : "its end is not known yet; a cancel stays in force";
  tell(app, proof, {
    stage: "failed",
    words: `The order was placed, but not canceled: ${reason}. Look at the open orders.`,
  });
}
