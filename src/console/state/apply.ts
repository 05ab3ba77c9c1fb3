/** What the gateway says of one thing, put where it belongs. Anything else is left alone. */
import { member } from "../api/request.ts";
import type { ApiFill, ApiOperation, ApiOrder, ApiTrade } from "../api/resources.ts";
import type { App } from "./app.ts";
import { addFills } from "./fills.ts";

/** Rows of history that the page holds. */
const MAX_ROWS = 500;

const ENDED = new Set(["filled", "canceled", "rejected"]);
const LIVING = new Set(["open", "waiting_for_trigger"]);

/** After each list that is being read, whose answer may be of before this. */
function onceMore({ state: { meanwhile } }: App, take: () => void): void {
  for (const told of meanwhile) told.push(take);
}

export function takeOrder(app: App, resource: unknown): void {
  if (member(resource, "object") !== "order") return;
  // `object` says which of the gateway's described shapes it is.
  const order = resource as ApiOrder;
  onceMore(app, () => takeOrder(app, resource));
  const { history, openOrders } = app.state;
  if (history.value !== null) history.value = merged(history.value, order).slice(0, MAX_ROWS);
  if (openOrders.value !== null) {
    const others = openOrders.value.filter(({ id }) => id !== order.id);
    openOrders.value = LIVING.has(order.status) ? merged(openOrders.value, order) : others;
  }
  app.changed();
}

/**
 * A list of what is open is shared for a second and may be older than an event. Of orders placed here the gateway's own
 * history knows better: what it has closed is not open, and what it has open is not missing.
 */
export function agreeOnOpen({ state: { openOrders, history } }: App): void {
  if (openOrders.value === null || history.value === null) return;
  const ended = new Set(history.value.filter(({ status }) => ENDED.has(status)).map(({ id }) => id));
  const listed = new Set(openOrders.value.map(({ id }) => id));
  const missing = history.value.filter(({ id, status }) => LIVING.has(status) && !listed.has(id));
  openOrders.value = [...missing, ...openOrders.value.filter(({ id }) => !ended.has(id))];
}

export function takeOperation(app: App, resource: unknown): void {
  if (member(resource, "object") !== "operation") return;
  // As above.
  const operation = resource as ApiOperation;
  onceMore(app, () => takeOperation(app, resource));
  const { operations } = app.state;
  const known = operations.value?.find(({ id }) => id === operation.id);
  const whole = { ...known, ...operation };
  if (operations.value !== null) operations.value = merged(operations.value, whole).slice(0, MAX_ROWS);
  app.changed();
}

/** One that has ended goes from the list: its orders are in the history. */
export function takeTrade(app: App, resource: unknown): void {
  if (member(resource, "object") !== "trade") return;
  // As above.
  const trade = resource as ApiTrade;
  onceMore(app, () => takeTrade(app, resource));
  const { trades } = app.state;
  if (trades.value === null) return;
  const others = trades.value.filter(({ id }) => id !== trade.id);
  trades.value = trade.ended_at === null ? merged(trades.value, trade) : others;
  app.changed();
}

export function takeFill(app: App, resource: unknown): void {
  if (member(resource, "object") !== "fill") return;
  // As above.
  addFills(app.state.fills, [resource as ApiFill]);
  app.changed();
}

/** In its place where it is known, in front where it is new. */
function merged<Item extends { id: string }>(items: readonly Item[], item: Item): Item[] {
  const at = items.findIndex(({ id }) => id === item.id);
  return at === -1 ? [item, ...items] : items.with(at, item);
}

/** Proven never to have left: it is as if it had not been asked for. */
export function remove(app: App, id: unknown): void {
  onceMore(app, () => remove(app, id));
  const { history, openOrders, operations } = app.state;
  for (const loaded of [history, openOrders]) {
    if (loaded.value !== null) loaded.value = loaded.value.filter((order) => order.id !== id);
  }
  if (operations.value !== null) operations.value = operations.value.filter((operation) => operation.id !== id);
  app.changed();
}
