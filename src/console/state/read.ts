/** Reads of `/v1` into the state. A failed reading keeps the last good value, and says so. */
import { PAGE_ROWS, request } from "../api/request.ts";
import type {
  ApiAccount,
  ApiFill,
  ApiHook,
  ApiMarket,
  ApiOperation,
  ApiOrder,
  ApiPosition,
  ApiProposal,
  ApiStop,
  ApiTrade,
  ApiTwap,
  List,
  ListedApiKey,
  Status,
  Story,
} from "../api/resources.ts";
import type { App } from "./app.ts";
import { agreeOnOpen } from "./apply.ts";
import { addFills, MAX_FILLS } from "./fills.ts";
import type { Loaded } from "./state.ts";

/** Rows of history and operations that are shown; the interface has the rest. */
const HISTORY_ROWS = 200;

/** The status with which a key is refused that was revoked, blocked, put on hold, or has ended. */
const KEY_REFUSED = 401;

/** A key that opens nothing is not asked with again and again: that would use up what the address may be refused. */
export function isRefused({ state: { session } }: App): boolean {
  return (session?.refused ?? null) !== null;
}

export async function readInto<Body, Value>(
  app: App,
  slot: Loaded<Value>,
  path: string,
  pick: (body: Body) => Value,
): Promise<void> {
  const { session, meanwhile } = app.state;
  if (session === null) return;
  const told: (() => void)[] = [];
  meanwhile.add(told);
  const answer = await request<Body>({ method: "GET", path, bearer: session.apiKey });
  meanwhile.delete(told);
  if (app.state.session !== session) return;
  if (answer.kind === "ok") {
    slot.value = pick(answer.body);
    for (const again of told) again();
    slot.readAtMs = app.nowMs();
    slot.asOfMs = answer.asOf === null ? null : Date.parse(answer.asOf);
    slot.failure = null;
  } else {
    slot.failure = answer.message;
    if (answer.kind === "refused" && answer.status === KEY_REFUSED) session.refused = answer.message;
  }
  app.changed();
}

function rows<Item>(list: List<Item>): Item[] {
  return list.data;
}

export async function readAccount(app: App): Promise<void> {
  await readInto<ApiAccount, ApiAccount>(app, app.state.account, "/v1/account", (body) => body);
}

export async function readPositions(app: App): Promise<void> {
  await readInto<List<ApiPosition>, ApiPosition[]>(app, app.state.positions, `/v1/positions?limit=${PAGE_ROWS}`, rows);
}

export async function readOpenOrders(app: App): Promise<void> {
  const path = `/v1/orders?status=open&limit=${PAGE_ROWS}`;
  await readInto<List<ApiOrder>, ApiOrder[]>(app, app.state.openOrders, path, rows);
  agreeOnOpen(app);
}

export async function readHistory(app: App): Promise<void> {
  await readInto<List<ApiOrder>, ApiOrder[]>(app, app.state.history, `/v1/orders?limit=${HISTORY_ROWS}`, rows);
  agreeOnOpen(app);
}

export async function readOperations(app: App): Promise<void> {
  const path = `/v1/operations?limit=${HISTORY_ROWS}`;
  await readInto<List<ApiOperation>, ApiOperation[]>(app, app.state.operations, path, rows);
}

/** Those that have not ended. */
export async function readTrades(app: App): Promise<void> {
  await readInto<List<ApiTrade>, ApiTrade[]>(app, app.state.trades, `/v1/trades?status=live&limit=${PAGE_ROWS}`, rows);
}

export async function readTwaps(app: App): Promise<void> {
  await readInto<List<ApiTwap>, ApiTwap[]>(app, app.state.twaps, `/v1/twaps?limit=${HISTORY_ROWS}`, rows);
}

export async function readKeys(app: App): Promise<void> {
  await readInto<List<ListedApiKey>, ListedApiKey[]>(app, app.state.keys, "/v1/api-keys?state=all", rows);
}

export async function readHooks(app: App): Promise<void> {
  await readInto<List<ApiHook>, ApiHook[]>(app, app.state.hooks, "/v1/hooks", rows);
}

export async function readStatus(app: App): Promise<void> {
  await readInto<Status, Status>(app, app.state.status, "/v1/status", (body) => body);
}

/** Those in force. */
export async function readStops(app: App): Promise<void> {
  await readInto<List<ApiStop>, ApiStop[]>(app, app.state.stops, "/v1/stops", rows);
}

/** What waits for approval, and what became of those before. */
export async function readProposals(app: App): Promise<void> {
  await readInto<List<ApiProposal>, ApiProposal[]>(app, app.state.proposals, "/v1/proposals", rows);
}

export async function readPrices(app: App): Promise<void> {
  type Price = { market: string; mid_price: string };
  await readInto<List<Price>, Map<string, string>>(
    app,
    app.state.prices,
    "/v1/prices",
    ({ data }) => new Map(data.map(({ market, mid_price }) => [market, mid_price])),
  );
}

export async function readMarkets(app: App): Promise<void> {
  await readInto<List<ApiMarket>, ApiMarket[]>(app, app.state.markets, "/v1/markets", rows);
}

/** Look at one order, as the gateway wrote it down. */
export async function readStory(app: App, id: string): Promise<void> {
  const { story } = app.state;
  if (story.id !== id) Object.assign(story, { id, value: null, readAtMs: null, failure: null });
  await readInto<Story, Story>(app, story, `/v1/orders/${encodeURIComponent(id)}/story`, (body) => body);
}

/** Rows of the newest page when only what is new is of interest. */
const NEW_FILLS = 50;

export async function readNewFills(app: App): Promise<void> {
  const { session, fills } = app.state;
  if (session === null) return;
  const answer = await request<List<ApiFill>>({
    method: "GET",
    path: `/v1/fills?limit=${NEW_FILLS}`,
    bearer: session.apiKey,
  });
  if (answer.kind === "ok" && app.state.session === session) addFills(fills, answer.body.data);
  app.changed();
}

/** The newest page, and older ones as far as the page keeps them. */
export async function readFills(app: App): Promise<void> {
  const { session, fills } = app.state;
  if (session === null || fills.isLoading) return;
  fills.isLoading = true;
  let cursor: string | null = null;
  try {
    for (let page = 0; page * PAGE_ROWS < MAX_FILLS; page += 1) {
      const after: string = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`;
      const path = `/v1/fills?limit=${PAGE_ROWS}${after}`;
      const answer = await request<List<ApiFill>>({ method: "GET", path, bearer: session.apiKey });
      if (app.state.session !== session) return;
      fills.failure = answer.kind === "ok" ? null : answer.message;
      if (answer.kind !== "ok") return;
      const added = addFills(fills, answer.body.data);
      fills.isCut = answer.body.has_more;
      cursor = answer.body.next_cursor;
      app.changed();
      if (cursor === null || added === 0) return;
    }
  } finally {
    fills.isLoading = false;
    app.changed();
  }
}
