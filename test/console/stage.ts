/** The page without a browser: its state, a clock that stands, a gateway that answers as told, and what a drawing says. */
import { join } from "node:path";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const CONSOLE = join(import.meta.dir, "../../src/console");
type Step = (app: object, state: Record<string, unknown>, more?: object) => unknown;
type Steps = {
  page: (app: object) => unknown;
  proofStep: Step;
  botLimits: (app: object, key: object) => unknown;
  botOf: (key: object) => unknown;
  kindOf: (order: object) => unknown;
  orderWords: (app: object, order: object) => string;
  refresh: (app: object) => Promise<void>;
  beginRenewal: (app: object) => void;
  notify: (app: object, tone: string, text: string) => void;
  signOut: (app: object) => void;
  newProof: () => object;
  prepareProof: (app: object, state: object, key: object) => Promise<void>;
  prove: (app: object, proof: object) => Promise<void>;
  newSigning: () => object;
  emptyState: (nowMs: number, storage: object) => Record<string, unknown>;
};
const modules = [
  "setup/proof-step.ts",
  "setup/proof.ts",
  "setup/steps.ts",
  "views/page.ts",
  "views/bot-limits.ts",
  "views/one-order.ts",
  "state/forms.ts",
  "state/notices.ts",
  "state/renewal.ts",
  "state/session.ts",
  "state/state.ts",
].map((path) => import(join(CONSOLE, path)));
// Their own types are a browser's; each name is exported by one of them.
export const {
  page,
  proofStep,
  botLimits,
  botOf,
  kindOf,
  orderWords,
  refresh,
  beginRenewal,
  notify,
  signOut,
  newProof,
  prepareProof,
  prove,
  newSigning,
  emptyState,
} = Object.assign({}, ...(await Promise.all(modules))) as Steps;

const realFetch = globalThis.fetch;
/** Paths that were asked for, until `forget`. */
export const asked: string[] = [];
export function forget(): void {
  globalThis.fetch = realFetch;
  asked.length = 0;
}

/** The gateway answers each path as told, where a promise is told when it comes; what is not told fails with 503. */
export function answering(answers: Readonly<Record<string, unknown>>): void {
  const fake = async (path: string) => {
    asked.push(path);
    const body = await answers[path];
    if (body instanceof Response) return body;
    if (body !== undefined) return Response.json(body);
    return Response.json({ error: { code: "exchange_unavailable", message: "No exchange." } }, { status: 503 });
  };
  // The page asks with a path and options, and nothing else.
  globalThis.fetch = fake as unknown as typeof fetch;
}

/** The rails that the form proposes, as the list of keys has them. */
export const HELD_TO = {
  bot: "grid-1",
  may: "increase,reduce,modify,cancel",
  markets: "BTC,ETH",
  max_order: "500 USD",
  max_position: "1000 USD",
  max_exposure: "1500 USD",
  max_turnover_per_day: "5000 USD",
  max_loss_per_day: "50 USD",
  max_actions_per_day: "2000",
  max_distance: "2 %",
  max_stop_distance: "10 %",
  max_leverage: "any",
  max_open_orders: "40",
  touches: "own",
  sources: "any",
};

export const KEY = {
  apiKey: `api_trade_${"ab".repeat(32)}`,
  grant: { account: "a", keyHash: "h", scopes: ["trading:read", "trading:write"], issuedAtMs: 0 },
  isRegistered: true,
  isTaken: true,
};
export const OWNER = `0x${"12".repeat(20)}`;
export const SETUP = {
  step: "finish",
  network: "paper",
  is_real_money: false,
  agent: null,
  builder: null,
  account: { id: "a", owner_address: OWNER },
  api_keys: [{ key_hash: "h" }],
};

export type Stage = {
  app: { state: Record<string, unknown> };
  state: Record<string, unknown>;
  pauses: number[];
  pass(): Promise<void>;
};

/** Sleeps end when `pass` is called. */
export function openStage(): Stage {
  const pauses: number[] = [];
  let wake: () => void = () => undefined;
  const state: Record<string, unknown> = {
    token: "t",
    setup: SETUP,
    isBusy: false,
    isLooking: false,
    failure: null,
    isOver: false,
    address: "",
    view: null,
    validDays: "90",
    signing: newSigning(),
    approval: null,
    mayWrite: true,
    key: null,
    proof: newProof(),
  };
  const app = {
    state: { ...emptyState(0, storage()), setup: state } as Record<string, unknown>,
    sessionStorage: storage(),
    localStorage: storage(),
    nowMs: () => 0,
    sleep: (ms: number) => {
      pauses.push(ms);
      return new Promise<void>((resolve) => {
        wake = resolve;
      });
    },
    randomBytes: (length: number) => new Uint8Array(length),
    changed: () => undefined,
  };
  const pass = async () => {
    wake();
    await settled();
  };
  return { app, state, pauses, pass };
}

function storage() {
  return { getItem: () => null, setItem: () => undefined, removeItem: () => undefined, length: 0, key: () => null };
}

export function settled(): Promise<void> {
  return Bun.sleep(5);
}

/** Everything that a drawing says, and its buttons by their words. */
export function look(drawing: unknown): { text: string; buttons: Map<string, () => void> } {
  const buttons = new Map<string, () => void>();
  function walk(part: unknown): string {
    if (Array.isArray(part)) return part.map(walk).join(" ");
    // Of an attribute that is there or not.
    if (typeof part === "boolean") return String(part);
    if (typeof part !== "object" || part === null) return typeof part === "string" ? part : "";
    if ("_$litDirective$" in part) return walkRows(part as unknown as { values: readonly unknown[] });
    if (!("strings" in part)) return "";
    // Made by lit's `html`.
    const { strings, values } = part as { strings: readonly string[]; values: readonly unknown[] };
    for (const [index, value] of values.entries()) {
      const label = /^[^<]*>([^<]+)(?:<\/button>|$)/.exec(strings[index + 1] ?? "")?.[1];
      if (typeof value === "function" && label !== undefined) buttons.set(label, value as () => void);
    }
    return strings.map((text, index) => text + walk(values[index])).join("");
  }
  /** What `repeat` draws of its rows; any other directive says nothing. */
  function walkRows({ values: [rows, ...rest] }: { values: readonly unknown[] }): string {
    const draw = rest.at(-1);
    return Array.isArray(rows) && typeof draw === "function" ? rows.map((row) => walk(draw(row))).join(" ") : "";
  }
  return { text: walk(drawing), buttons };
}

const AGENT = { name: "postern-1", address: OWNER, is_unlocked: true, valid_until: "1970-01-02T00:00:00.000Z" };
export const FRESH = { ...AGENT, valid_until: "1971-01-02T00:00:00.000Z" };
export const STATUS = {
  phase: "ready",
  orders: { are_taken: true },
  feed_not_live_because: null,
  replica_fault: null,
  market_feed_live: null,
  agent: AGENT,
  unknown_orders: { count: 0, oldest_age_s: null },
  unknown_operations: { count: 0 },
  unsettled_actions: 0,
  fills_read_at: null,
  markets_read_at: null,
  builder_fee: null,
  exchange_budget: { actions_used: null, weight: { orders: { left: 61, wait_s: 0 } } },
};
const ME = { account: "a", network: "paper", scopes: ["trading:read", "trading:write"], key_hash: "h", limits: null };

export function signedIn(screen: string): Stage["app"] {
  const { app } = openStage();
  const read = { value: STATUS, readAtMs: 0, asOfMs: null, failure: null };
  const session = { apiKey: KEY.apiKey, me: ME };
  Object.assign(app.state, { setup: null, session, status: read, route: { screen, argument: "" } });
  return app;
}
