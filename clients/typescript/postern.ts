/**
 * A client of Postern in one file, without a dependency: for Node.js 20 and newer, Bun, and pages that the gateway's own address
 * serves. `/llms/postern.js` of a gateway is the same without types.
 *
 *   const postern = new Postern({ url: "http://127.0.0.1:8787", apiKey, account });
 *   const order = await postern.placeOrder({ market: "BTC", side: "buy", size: "0.001", price: "60000" });
 *
 * - One call of a write is one wish, under one Idempotency-Key: made once, or given by you (`{ key }`). It is repeated under that key
 *   until the gateway has said what became of it, and never asked for under a second one.
 * - A write returns what the gateway knows, which may be `rejected`, or throws a `PosternError`. Where its `outcome` is
 *   `nothing_sent` nothing happened. Where it is `unknown` anything may have: call again with `{ key: error.idempotencyKey }`, and
 *   never without. To outlive a crash of your program, make the key yourself (`newKey`) and write it down before the call.
 * - Money is decimal text. Nothing is rounded but by `round`, in the direction that you name.
 *
 * Members of requests and answers are named as at `/docs`, which describes them.
 */

export type Side = "buy" | "sell";
export type OrderStatus =
  | "processing"
  | "open"
  | "filled"
  | "canceled"
  | "rejected"
  | "unknown"
  | "waiting_for_trigger";
export type Trigger = { price: string; kind: "take_profit" | "stop_loss"; market: boolean };

export type Order = {
  object: "order";
  id: string;
  account: string;
  market: string;
  side: Side;
  size: string;
  price: string;
  time_in_force: "gtc" | "ioc" | "alo";
  reduce_only: boolean;
  trigger?: Trigger;
  network: string;
  status: OrderStatus;
  exchange_order_id: string | null;
  filled_size: string | null;
  average_price: string | null;
  error: string | null;
  created_at: string;
};

export type OrderWish = Pick<Order, "market" | "side" | "size" | "price"> &
  Partial<Pick<Order, "time_in_force" | "reduce_only" | "trigger">>;
export type MarketOrderWish = Pick<Order, "market" | "side" | "size"> & {
  reduce_only?: boolean;
  max_slippage_bps?: number;
};
export type ModifyWish = { price?: string; size?: string; trigger?: Trigger; always_place?: boolean };
export type CloseWish = {
  market: string;
  fraction?: string;
  max_slippage_bps?: number;
  touches?: "own" | "all";
  keep_triggers?: boolean;
};
export type CancelAllWish = { market?: string; side?: Side; touches?: "own" | "all"; keep_protection?: boolean };
export type StopWish = { scope: "bot" | "account"; keep_protection?: boolean };

/** What an order has to fit, as `GET /v1/markets` tells it. */
export type MarketRules = {
  market: string;
  size_decimals: number;
  price_decimals: number;
  price_significant_figures: number;
};

/** Any other resource; `/docs` has its members. */
export type Resource = { object: string; [member: string]: unknown };
export type Page<Item> = { object: "list"; data: Item[]; has_more: boolean; next_cursor: string | null };
export type Query = Readonly<Record<string, string | number>>;

/** One event of `/v1/events`; `id` is the place to come back to. */
export type PosternEvent = { object: "event"; id: string; type: string; data: Resource; [member: string]: unknown };
/** How everything stands: forget what you had. Orders that are not in it are over, or were never sent: ask for them by id. */
export type PosternState = {
  object: "state";
  id: string;
  type: "state";
  orders: Order[];
  positions: Resource[];
  account: Resource;
};

export type Clock = { nowMs(): number; sleep(ms: number): Promise<void> };
export type Options = {
  /** Address of the gateway: `http://127.0.0.1:8787`. */
  url: string;
  apiKey: string;
  /** Id of the key's account. */
  account: string;
  /** Stands before every key that is made: two bots on one account have names of their own. */
  keyPrefix?: string;
  /** How long a call goes on asking, milliseconds. */
  patienceMs?: number;
  /** A stream that says nothing for longer is none any more, milliseconds. The gateway says something every 15 seconds. */
  silentAfterMs?: number;
  clock?: Clock;
};
export type WriteOptions = { key?: string };

/** Longer than a gateway takes to answer a write, milliseconds. */
const ANSWER_WITHIN_MS = 15_000;
const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 8_000;
/** Between two looks at what is not settled: the gateway asks the exchange once a second at most. */
const LOOK_PAUSE_MS = 1_000;
const MAX_STREAM_PAUSE_MS = 30_000;
/** Pages of one list, of 500 rows each. */
const MAX_PAGES = 100;
/** Characters of one event. */
const MAX_EVENT_CHARACTERS = 4_000_000;
const KEY = /^[!-~]{8,128}$/;
/** At most as long as what a calculation may leave; what is sent is shorter. */
const DECIMAL = /^([0-9]{1,40})(?:\.([0-9]{1,40}))?$/;

/** `code` is one of the gateway's, or `no_answer`, `unsettled`, `not_a_decimal`, `rounds_to_zero`, `invalid_idempotency_key`, `too_many_pages`. */
export class PosternError extends Error {
  override readonly name = "PosternError";
  readonly code: string;
  /** HTTP status; null where no answer of the gateway came. */
  readonly status: number | null;
  /** `unknown`: what was asked for may have happened. Ask again under the same key, and under no other. */
  readonly outcome: "nothing_sent" | "unknown";
  /** Of a write, whatever became of it. */
  readonly idempotencyKey: string | null;
  /** What the gateway showed last of what is not settled. */
  readonly resource: Resource | null;
  /** When the gateway said that asking again may do, milliseconds; null where it did not. */
  readonly retryAfterMs: number | null;

  constructor(code: string, message: string, about: Partial<Omit<PosternError, keyof Error | "code">> = {}) {
    super(message);
    this.code = code;
    this.status = about.status ?? null;
    this.outcome = about.outcome ?? "nothing_sent";
    this.idempotencyKey = about.idempotencyKey ?? null;
    this.resource = about.resource ?? null;
    this.retryAfterMs = about.retryAfterMs ?? null;
  }
}

type Answer = { status: number; body: Resource; retryAfterMs: number | null };
/** Where a resource that a 202 has shown is read again, and when it is settled. Left out: the write itself is repeated. */
type Look = { path(resource: Resource): string; isSettled(resource: Resource): boolean };
type Asked = { method: "GET" | "POST"; path: string; body?: object };

const OVER: readonly unknown[] = ["filled", "canceled", "rejected"];
const ORDER_KNOWN: Look = {
  path: ({ id }) => `/v1/orders/${named(id)}`,
  isSettled: ({ status }) => status !== "unknown" && status !== "processing",
};
/** A cancel that was taken stays in force until the order is over. */
const ORDER_OVER: Look = { path: ORDER_KNOWN.path, isSettled: ({ status }) => OVER.includes(status) };
const ALL_CANCELED: Look = {
  path: ({ id }) => `/v1/cancel-alls/${named(id)}`,
  isSettled: ({ status }) => status === "done",
};
/** A stop stands once it is answered. */
const STANDS: Look = { path: ({ id }) => `/v1/stops/${named(id)}`, isSettled: () => true };

const CLOCK: Clock = {
  nowMs: () => performance.now(),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
};

export class Postern {
  readonly account: string;
  readonly #base: string;
  readonly #apiKey: string;
  readonly #options: Required<Pick<Options, "keyPrefix" | "patienceMs" | "silentAfterMs" | "clock">>;

  constructor({ url, apiKey, account, ...options }: Options) {
    this.#base = new URL(url).href.replace(/\/$/, "");
    this.#apiKey = apiKey;
    this.account = account;
    this.#options = { keyPrefix: "", patienceMs: 120_000, silentAfterMs: 40_000, clock: CLOCK, ...options };
  }

  /** A key for one wish. */
  newKey(): string {
    const bytes = crypto.getRandomValues(new Uint8Array(16));
    return this.#options.keyPrefix + [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  }

  placeOrder(wish: OrderWish, options?: WriteOptions): Promise<Order> {
    return this.#write("/v1/orders", this.#ours(wish), options, ORDER_KNOWN);
  }

  /** At the best price of now, or worse by `max_slippage_bps`; what is not found there is not bought or sold. */
  placeMarketOrder(wish: MarketOrderWish, options?: WriteOptions): Promise<Order> {
    return this.#write("/v1/orders/market", this.#ours(wish), options, ORDER_KNOWN);
  }

  modifyOrder(id: string, wish: ModifyWish, options?: WriteOptions): Promise<Order> {
    return this.#write(`/v1/orders/${named(id)}/modify`, wish, options);
  }

  cancelOrder(id: string, options?: WriteOptions): Promise<Order> {
    return this.#write(`/v1/orders/${named(id)}/cancel`, {}, options, ORDER_OVER);
  }

  cancelAll(wish: CancelAllWish = {}, options?: WriteOptions): Promise<Resource> {
    return this.#write("/v1/orders/cancel-all", this.#ours(wish), options, ALL_CANCELED);
  }

  closePosition(wish: CloseWish, options?: WriteOptions): Promise<Order> {
    return this.#write("/v1/positions/close", this.#ours(wish), options, ORDER_KNOWN);
  }

  /** Returns as soon as it stands; `getStop` and the events `stop.*` tell when nothing is left that can increase. */
  stop(wish: StopWish, options?: WriteOptions): Promise<Resource> {
    return this.#write("/v1/stop", wish, options, STANDS);
  }

  getOrder(id: string): Promise<Order> {
    return this.read(`/v1/orders/${named(id)}`);
  }

  listOrders(query: Query = {}): Promise<Page<Order>> {
    return this.read("/v1/orders", query);
  }

  positions(query: Query = {}): Promise<Page<Resource>> {
    return this.read("/v1/positions", query);
  }

  /** Balances: perpetuals of each dex, and spot. */
  balances(): Promise<Resource> {
    return this.read("/v1/account");
  }

  fills(query: Query = {}): Promise<Page<Resource>> {
    return this.read("/v1/fills", query);
  }

  getStop(id: string): Promise<Resource> {
    return this.read(`/v1/stops/${named(id)}`);
  }

  listStops(): Promise<Page<Resource>> {
    return this.read("/v1/stops");
  }

  /** The rules of a market, for `round`. */
  getMarket(name: string): Promise<MarketRules & Resource> {
    return this.read(`/v1/markets/${named(name)}`);
  }

  /** Any other read. It is repeated while the gateway says that it may be, or says nothing. */
  read<Answered extends { object: string }>(path: string, query: Query = {}): Promise<Answered> {
    const texts = Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]);
    const text = new URLSearchParams(texts).toString();
    return this.#ask({ method: "GET", path: text === "" ? path : `${path}?${text}` }, null, null);
  }

  /** Any other write: repeated under its one key until it is settled. */
  write(path: string, body: object, options?: WriteOptions): Promise<Resource> {
    return this.#write(path, body, options);
  }

  /** Every row of a list, page by page. */
  async *all<Item>(path: string, query: Query = {}): AsyncGenerator<Item> {
    let next: Query = { limit: 500, ...query };
    for (let pages = 0; pages < MAX_PAGES; pages += 1) {
      const { data, next_cursor: cursor }: Page<Item> = await this.read(path, next);
      yield* data;
      if (cursor === null) return;
      next = { ...next, cursor };
    }
    throw new PosternError("too_many_pages", `${path} has more than ${MAX_PAGES} pages: ask for less of it`);
  }

  /**
   * Everything that happens, in order, across broken connections and restarts of either side. Keep `id` of what you have
   * dealt with, and give it as `after` to go on from there. Without it, and wherever the gateway does not know the place any
   * more, a `state` comes first: what is open, held and owned, read anew. Ends with `signal`; throws where the key opens nothing
   * any more.
   */
  async *follow({
    after = null,
    signal,
  }: {
    after?: string | null;
    signal?: AbortSignal;
  } = {}): AsyncGenerator<PosternEvent | PosternState> {
    let place = after;
    let isStateOwed = after === null;
    let pauseMs = LOOK_PAUSE_MS;
    while (!isEnded(signal)) {
      let waitMs: number | null = null;
      try {
        for await (const event of this.#stream(place, signal)) {
          pauseMs = LOOK_PAUSE_MS;
          place = event.id;
          isStateOwed ||= event.type === "reset";
          if (event.type !== "ready" && event.type !== "reset") yield event;
          else if (isStateOwed) {
            yield await this.#state(place);
            isStateOwed = false;
          }
        }
      } catch (error) {
        if (!(error instanceof PosternError) || !isPassing(error)) throw error;
        waitMs = error.retryAfterMs;
      }
      await endOr(signal, this.#options.clock.sleep(waitMs ?? pauseMs));
      pauseMs = Math.min(2 * pauseMs, MAX_STREAM_PAUSE_MS);
    }
  }

  #ours(wish: object): object {
    return { account: this.account, ...wish };
  }

  #write<Answered extends { object: string }>(
    path: string,
    body: object,
    { key = this.newKey() }: WriteOptions = {},
    look: Look | null = null,
  ): Promise<Answered> {
    if (!KEY.test(key))
      throw new PosternError("invalid_idempotency_key", "A key has 8 to 128 visible ASCII characters.");
    refuseNumbers(body);
    return this.#ask({ method: "POST", path, body }, key, look);
  }

  /** Asks until there is an answer that says what happened, or patience ends: then what is known is thrown. */
  async #ask<Answered extends { object: string }>(
    first: Asked,
    key: string | null,
    look: Look | null,
  ): Promise<Answered> {
    const { clock, patienceMs } = this.#options;
    const untilMs = clock.nowMs() + patienceMs;
    let asked = first;
    let about: Pick<PosternError, "idempotencyKey" | "outcome" | "resource"> = {
      idempotencyKey: key,
      outcome: "nothing_sent",
      resource: null,
    };
    for (let tries = 0; ; tries += 1) {
      const answer = await this.#send(asked, key);
      let error: PosternError;
      let waitMs: number | null;
      if (answer === null) {
        if (key !== null) about = { ...about, outcome: "unknown" };
        error = about.resource === null ? noAnswer(about) : unsettled(about);
        waitMs = Math.min(FIRST_PAUSE_MS * 2 ** tries, MAX_PAUSE_MS);
      } else if (answer.status >= 400) {
        error = refusal(answer, about);
        waitMs = answer.retryAfterMs;
      } else {
        const isKnown = asked === first ? answer.status !== 202 : false;
        // What was asked for is what the gateway answers with, as it is described.
        if (isKnown || look?.isSettled(answer.body) === true) return answer.body as unknown as Answered;
        about = { ...about, outcome: "unknown", resource: answer.body };
        if (look !== null) asked = { method: "GET", path: look.path(answer.body) };
        error = unsettled(about);
        waitMs = LOOK_PAUSE_MS;
      }
      if (waitMs === null || clock.nowMs() + waitMs > untilMs) throw error;
      await clock.sleep(Math.max(waitMs, FIRST_PAUSE_MS));
    }
  }

  /** One request; null where no answer of the gateway came back, which says nothing of what happened. */
  async #send({ method, path, body }: Asked, key: string | null): Promise<Answer | null> {
    const headers: Record<string, string> = { Authorization: `Bearer ${this.#apiKey}` };
    if (body !== undefined) headers["Content-Type"] = "application/json";
    if (body !== undefined && key !== null) headers["Idempotency-Key"] = key;
    try {
      const response = await fetch(this.#base + path, {
        method,
        headers,
        redirect: "error",
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return await answerOf(response);
    } catch {
      return null;
    }
  }

  /** The events of one connection, until it ends, breaks or falls silent. */
  async *#stream(place: string | null, signal: AbortSignal | undefined): AsyncGenerator<PosternEvent> {
    const ending = new AbortController();
    const end = () => ending.abort();
    signal?.addEventListener("abort", end);
    const opening = setTimeout(end, ANSWER_WITHIN_MS);
    try {
      const headers = {
        Authorization: `Bearer ${this.#apiKey}`,
        ...(place === null ? {} : { "Last-Event-ID": place }),
      };
      const response = await fetch(`${this.#base}/v1/events`, { headers, redirect: "error", signal: ending.signal });
      if (response.status !== 200 || response.body === null) {
        const answer = await answerOf(response);
        throw answer === null ? noAnswer() : refusal(answer, {});
      }
      clearTimeout(opening);
      yield* eventsOf(piecesOf(response.body, this.#options.silentAfterMs));
    } catch (error) {
      throw error instanceof PosternError ? error : noAnswer();
    } finally {
      clearTimeout(opening);
      signal?.removeEventListener("abort", end);
      end();
    }
  }

  async #state(id: string): Promise<PosternState> {
    const orders: Order[] = [];
    for (const status of ["open", "processing", "unknown"]) {
      for await (const order of this.all<Order>("/v1/orders", { status })) orders.push(order);
    }
    const positions: Resource[] = [];
    for await (const position of this.all<Resource>("/v1/positions")) positions.push(position);
    return { object: "state", id, type: "state", orders, positions, account: await this.balances() };
  }
}

/**
 * The nearest price or size that the market takes, not above (`down`) or not below (`up`) the one given: at most
 * `price_significant_figures` and `price_decimals`, whole prices always, sizes in steps of `size_decimals`. What would be zero is an
 * error, and so is what is no plain decimal text above zero.
 */
export function round(market: MarketRules, what: "price" | "size", value: string, direction: "up" | "down"): string {
  const [, digits, fraction = ""] = DECIMAL.exec(typeof value === "string" ? value : "") ?? [];
  if (digits === undefined) {
    throw new PosternError(
      "not_a_decimal",
      `${what} has to be plain decimal text, as "0.015", and not ${String(value)}.`,
    );
  }
  const whole = digits.replace(/^0+/, "");
  const places = fraction.replace(/0+$/, "");
  const decimals = what === "size" ? market.size_decimals : decimalsOf(market, whole, places);
  const cut = BigInt(whole + places.slice(0, decimals).padEnd(decimals, "0"));
  const units = direction === "up" && places.length > decimals ? cut + 1n : cut;
  if (units > 0n) return textOf(units, decimals);
  throw new PosternError("rounds_to_zero", `${what} ${value} is zero on ${market.market}, rounded ${direction}.`);
}

function textOf(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0");
  const point = digits.length - decimals;
  return decimals === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, "");
}

/** Decimals that a price of this size may have: leading zeros after the point are no figures of it. */
function decimalsOf(market: MarketRules, whole: string, places: string): number {
  const figuresBefore = whole === "" ? -places.search(/[1-9]|$/) : whole.length;
  return Math.max(0, Math.min(market.price_decimals, market.price_significant_figures - figuresBefore));
}

/** A float has lost what was meant before it is sent. */
function refuseNumbers(body: object): void {
  for (const [name, value] of Object.entries(body)) {
    const isMoney = name === "price" || name === "size" || name === "fraction" || name === "amount";
    if (isMoney && value !== undefined && typeof value !== "string") {
      throw new PosternError("not_a_decimal", `${name} has to be decimal text, as "0.015".`);
    }
    if (typeof value === "object" && value !== null) refuseNumbers(value);
  }
}

function named(id: unknown): string {
  return encodeURIComponent(String(id));
}

function noAnswer(about: object = {}): PosternError {
  return new PosternError("no_answer", "No answer of the gateway came back.", about);
}

function unsettled(about: object): PosternError {
  return new PosternError("unsettled", "Nobody knows yet what became of it: ask again under the same key.", about);
}

function refusal({ status, body, retryAfterMs }: Answer, about: object): PosternError {
  const { code, message } = body["error"] as { code: string; message: string };
  return new PosternError(code, message, { ...about, status, retryAfterMs });
}

/** Asking again later may do. */
function isPassing({ code, status }: PosternError): boolean {
  return code === "no_answer" || status === 429 || status === 503;
}

function isEnded(signal: AbortSignal | undefined): boolean {
  return signal?.aborted === true;
}

/** Waits, but no longer than until the end. */
async function endOr(signal: AbortSignal | undefined, pause: Promise<void>): Promise<void> {
  const waiting = new AbortController();
  const ended = new Promise<void>((resolve) => {
    if (isEnded(signal)) resolve();
    signal?.addEventListener("abort", () => resolve(), { signal: waiting.signal });
  });
  await Promise.race([pause, ended]);
  waiting.abort();
}

/** Null where somebody between has answered in the gateway's place. */
async function answerOf(response: Response): Promise<Answer | null> {
  const body = (await response.json()) as Resource & { error?: { code?: unknown } };
  const isOurs = response.ok ? typeof body.object === "string" : typeof body.error?.code === "string";
  const seconds = response.headers.get("retry-after") ?? "";
  const retryAfterMs = /^[0-9]{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : null;
  return isOurs ? { status: response.status, body, retryAfterMs } : null;
}

/** Pieces of text as they come, until one is late. */
async function* piecesOf(body: ReadableStream<Uint8Array>, silentAfterMs: number): AsyncGenerator<string> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  try {
    for (;;) {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const silence = new Promise<"silent">((resolve) => {
        timer = setTimeout(() => resolve("silent"), silentAfterMs);
      });
      const read = await Promise.race([reader.read(), silence]).finally(() => clearTimeout(timer));
      if (read === "silent" || read.done) return;
      yield decoder.decode(read.value, { stream: true });
    }
  } finally {
    // Whoever stops listening lets the connection go, or a program may not end.
    reader.cancel().catch(() => undefined);
  }
}

/** Server-sent events. One that was cut off is none: its id was not taken, so that it is told again. */
async function* eventsOf(pieces: AsyncGenerator<string>): AsyncGenerator<PosternEvent> {
  let text = "";
  for await (const piece of pieces) {
    const blocks = (text + piece).replaceAll("\r\n", "\n").split("\n\n");
    text = blocks.pop() ?? "";
    if (text.length > MAX_EVENT_CHARACTERS) throw noAnswer();
    for (const block of blocks) {
      const data = block.split("\n").find((line) => line.startsWith("data:"));
      if (data !== undefined) yield JSON.parse(data.slice("data:".length)) as PosternEvent;
    }
  }
}
