/**
 * The proof that everything works: an order far from the price, which may only rest, placed with the new key and
 * canceled again. What is under way survives a reload: the order by its Idempotency-Key, the rest by what is open.
 */
import { html, nothing, type TemplateResult } from "lit-html";
import { type Answer, member, request } from "../api/request.ts";
import type { List, Market, Order } from "../api/resources.ts";
import { add, cutToFigures, divide, multiply } from "../figures/decimal.ts";
import { figure, money } from "../figures/format.ts";
import { act } from "../state/act.ts";
import type { App } from "../state/app.ts";
import { signIn } from "../state/session.ts";
import { closeSetup, type MadeKey, type SetupState, takeStep } from "./progress.ts";
import type { Setup } from "./resources.ts";

type Plan = { market: string; price: string; size: string; now: string };
type Proof = {
  plan: Plan | null;
  /** `new`: nothing was asked yet. `waiting`: asking failed, and is done again at `nextTryAtMs`. */
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
const STORE = "postern.setup.proof";

/** Between two readings of the price that failed, milliseconds: doubled each time. */
const FIRST_PAUSE_MS = 2_000;
const MAX_PAUSE_MS = 30_000;

let proof = newProof();

function newProof(): Proof {
  return { plan: null, stage: "new", words: null, nextTryAtMs: 0 };
}

export function proofStep(app: App, state: SetupState, { setup, key }: { setup: Setup; key: MadeKey }): TemplateResult {
  if (!key.grant.scopes.includes("trading:write"))
    return finishing(app, { state, key }, "This key may read only, so there is no order to prove it with.");
  // Once: every further question is asked by time or by hand, never by a drawing.
  if (proof.stage === "new") void prepare(app, key);
  const { plan, stage, words } = proof;
  const isRunning = stage === "placing" || stage === "canceling";
  return html`
    <p class="words">A post-only order far from the price is placed with the new key and canceled at once. It cannot trade${setup.is_real_money ? "; its margin is held for a moment" : ""}.</p>
    ${
      plan === null
        ? waitingFor(app, key)
        : html`<p class="words"><strong>buy ${plan.size} ${plan.market} at ${figure(plan.price)}</strong>,
      ${money(multiply(plan.size, plan.price))} USDC; the price is ${figure(plan.now)}.</p>`
    }
    <ol class="steps" aria-live="polite">
      <li>${stage === "placing" ? "Placing…" : stage === "canceling" || stage === "proven" ? "Placed: it rests at the exchange." : "Place it"}</li>
      <li>${stage === "canceling" ? "Canceling…" : stage === "proven" ? "Canceled." : "Cancel it"}</li>
    </ol>
    ${stage === "failed" && words !== null ? html`<p class="late" role="alert">${words}</p>` : nothing}
    ${
      stage === "proven"
        ? finishing(app, { state, key }, "It works from end to end.")
        : html`<div class="buttons">
          <button type="button" class="primary" ?disabled=${plan === null || isRunning} @click=${() => void prove(app)}>${isRunning ? "Wait…" : "Place and cancel it"}</button>
          <button type="button" ?disabled=${isRunning} @click=${() => void finish(app, key)}>Finish without it</button>
        </div>`
    }`;
}

function waitingFor(app: App, key: MadeKey): TemplateResult {
  if (proof.stage !== "waiting") return html`<p class="empty">Looking at the price…</p>`;
  const seconds = Math.max(0, Math.ceil((proof.nextTryAtMs - app.state.nowMs) / 1_000));
  return html`
    <p class="late" role="alert">The price could not be read: ${proof.words}</p>
    <p class="note">Asked again in ${seconds} s.</p>
    <button type="button" @click=${() => void prepare(app, key)}>Try again now</button>`;
}

function finishing(app: App, { state, key }: { state: SetupState; key: MadeKey }, words: string): TemplateResult {
  return html`<p class="words">${words}</p>
    <button type="button" class="primary" ?disabled=${state.isBusy} @click=${() => void finish(app, key)}>Finish set-up</button>`;
}

async function finish(app: App, key: MadeKey): Promise<void> {
  const isDone = await takeStep(app, "/v1/setup/finish", {});
  if (!isDone) return;
  proof = newProof();
  app.sessionStorage.removeItem(STORE);
  closeSetup(app);
  location.hash = "#/trade";
  if (app.state.session === null) await signIn(app, key.apiKey, "window");
}

function tell(app: App, change: Partial<Proof>): void {
  Object.assign(proof, change);
  app.changed();
}

/** Asks until there is a plan, with longer and longer pauses; a newer call takes over from one that waits. */
async function prepare(app: App, key: MadeKey): Promise<void> {
  if (proof.stage === "looking") return;
  const mine = { ...proof };
  proof = mine;
  for (let pauseMs = FIRST_PAUSE_MS; isWanted(app, mine); pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    tell(app, { stage: "looking", words: null });
    const read = await readPlan(app, key);
    if (!isWanted(app, mine)) return;
    if (!("failure" in read)) {
      tell(app, { plan: keptPlan(app) ?? read, stage: "ready" });
      return goOn(app);
    }
    const waitMs = Math.max(pauseMs, read.retryAfterMs);
    tell(app, { stage: "waiting", words: read.failure, nextTryAtMs: app.nowMs() + waitMs });
    await app.sleep(waitMs);
  }
}

function isWanted(app: App, mine: Proof): boolean {
  return proof === mine && app.state.setup !== null;
}

type Failure = { failure: string; retryAfterMs: number };

async function readPlan(app: App, key: MadeKey): Promise<Plan | Failure> {
  if (app.state.session === null) await signIn(app, key.apiKey, "window");
  if (app.state.session === null) return failure(app.state.signIn.failure ?? "the key could not sign in");
  const bearer = key.apiKey;
  const [markets, prices] = await Promise.all([
    request<List<Market>>({ method: "GET", path: "/v1/markets", bearer }),
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

function refusal(answer: Exclude<Answer<unknown>, { kind: "ok" }>): Failure {
  return failure(answer.message, answer.kind === "refused" ? (answer.retryAfterS ?? 0) * 1_000 : 0);
}

function keptPlan(app: App): Plan | null {
  try {
    // Written by `prove` and by nothing else.
    return JSON.parse(app.sessionStorage.getItem(STORE) ?? "null") as Plan | null;
  } catch {
    return null;
  }
}

export function planOf(market: Market, now: string): Plan {
  const price = cutToFigures(multiply(now, FAR), market.price_significant_figures, market.price_decimals);
  const smallest = market.size_decimals === 0 ? "1" : `0.${"1".padStart(market.size_decimals, "0")}`;
  const size = add(divide(VALUE, price, market.size_decimals) ?? "0", smallest);
  return { market: market.market, price, size, now };
}

/** An order of an interrupted proof is canceled, not placed again. */
async function goOn(app: App): Promise<void> {
  const session = app.state.session;
  if (session === null) return;
  if (app.state.intentions.length > 0) {
    tell(app, { stage: "placing" });
    while (app.state.intentions.some(({ state }) => state !== "unsure")) await app.sleep(250);
  }
  // The gateway's own history: the list of what is open at the exchange may be a second old.
  const path = "/v1/orders?limit=20";
  const answer = await request<List<Order>>({ method: "GET", path, bearer: session.apiKey });
  const left = answer.kind === "ok" ? answer.body.data.find(isProof) : undefined;
  if (left !== undefined) await cancel(app, left.id);
  else if (proof.stage === "placing") tell(app, { stage: "ready" });
}

const LIVING = new Set(["processing", "open", "unknown"]);

/** Ours by its looks: post-only, of the size and at the price that were planned, and not over. */
function isProof({ market, size, price, time_in_force: tif, status }: Order): boolean {
  const { plan } = proof;
  return LIVING.has(status) && tif === "alo" && market === plan?.market && size === plan.size && price === plan.price;
}

async function prove(app: App): Promise<void> {
  const { plan } = proof;
  const account = app.state.session?.me.account;
  if (plan === null || account === undefined || proof.stage === "placing") return;
  tell(app, { stage: "placing", words: null });
  app.sessionStorage.setItem(STORE, JSON.stringify(plan));
  const { market, price, size } = plan;
  const body = { account, market, side: "buy", size, price, time_in_force: "alo", reduce_only: false };
  const outcome = await act(app, { path: "/v1/orders", body, words: `proof: buy ${size} ${market} at ${price}` });
  if (outcome === null)
    return tell(app, {
      stage: "failed",
      words: "No answer yet. The order above is asked for again with the same key.",
    });
  if (outcome.kind === "refused") return tell(app, { stage: "failed", words: outcome.message });
  const [id, status, error] = ["id", "status", "error"].map((name) => member(outcome.body, name));
  if (status === "rejected") return tell(app, { stage: "failed", words: `The exchange refused it: ${String(error)}` });
  await cancel(app, String(id));
}

async function cancel(app: App, id: string): Promise<void> {
  tell(app, { stage: "canceling" });
  const outcome = await act(app, { path: `/v1/orders/${id}/cancel`, body: {}, words: "cancel the proof" });
  const status = outcome?.kind === "done" ? member(outcome.body, "status") : null;
  if (status === "canceled") return tell(app, { stage: "proven", words: null });
  const reason = outcome?.kind === "refused" ? outcome.message : "its end is not known yet; a cancel stays in force";
  tell(app, { stage: "failed", words: `The order was placed, but not canceled: ${reason}. Look at the open orders.` });
}
