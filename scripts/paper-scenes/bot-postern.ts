/**
 * A client of Postern, as README says one should be: one Idempotency-Key for one thing that is to happen, the same key again while
 * there is no answer or nobody knows, and what is said in the end is what the gateway said. The gateway is started for it.
 */
import { type Asked, readAsked, sayEnd, sayNoSuchTask } from "./asked.ts";
import { type Gateway, openGateway } from "./gateway.ts";

type Order = {
  id: string;
  status: string;
  size: string;
  filled_size: string | null;
  price: string;
  error: string | null;
};
type Position = { market: string; side: string; size: string };
type Answer<T> = { status: number; body: T };

/** A client waits as long as others do. Milliseconds. */
const TIMEOUT_MS = 10_000;
const PAUSE_MS = 1_000;
/** Repeats of a request and looks at an order. */
const PATIENCE = 45;
/** What an entry has before it is given up for what is filled. Milliseconds. */
const ENTRY_MS = 5_000;

const TASKS: Record<string, (asked: Asked, gateway: Gateway) => Promise<never>> = {
  place,
  follow,
  move,
  cancel,
  bracket,
  stop,
  close,
};

const asked = readAsked();
const task = TASKS[asked.task] ?? sayNoSuchTask;
const gateway = await openGateway(asked);
process.on("exit", () => process.kill(gateway.processId, "SIGKILL"));
await task(asked, gateway);

async function ask<T>(path: string, body?: object, key?: string): Promise<Answer<T>> {
  const response = await fetch(gateway.url + path, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      Authorization: `Bearer ${gateway.apiKey}`,
      ...(body === undefined ? {} : { "Content-Type": "application/json" }),
      ...(key === undefined ? {} : { "Idempotency-Key": key }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  // The gateway answers JSON, errors too.
  return { status: response.status, body: (await response.json()) as T };
}

/** The same key until an answer is there that is no "not now" and no "nobody knows yet". */
async function write(path: string, body: object): Promise<Order> {
  const key = crypto.randomUUID();
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    const answer = await ask<Order>(path, body, key).catch(() => null);
    if (answer !== null && (answer.status === 200 || answer.status === 201)) return answer.body;
    if (answer !== null) console.error(path, answer.status, JSON.stringify(answer.body));
    if (answer !== null && answer.status >= 400 && answer.status < 500 && answer.status !== 429) break;
    await Bun.sleep(PAUSE_MS);
  }
  return sayEnd({ isDone: false, position: null, open: null });
}

async function read(id: string): Promise<Order | null> {
  const answer = await ask<Order>(`/v1/orders/${id}`).catch(() => null);
  return answer?.status === 200 ? answer.body : null;
}

/** Read again until it is as wanted; the last that was read otherwise. */
async function readUntil(order: Order, isEnough: (order: Order) => boolean): Promise<Order> {
  let last = order;
  for (let looks = 0; looks < PATIENCE && !isEnough(last); looks += 1) {
    await Bun.sleep(PAUSE_MS);
    last = (await read(order.id)) ?? last;
  }
  return last;
}

function isOver({ status }: Order): boolean {
  return ["filled", "canceled", "rejected"].includes(status);
}

function limit({ market, side, size, price }: Asked, more: object): Promise<Order> {
  return write("/v1/orders", { account: gateway.accountId, market, side, size, price, ...more });
}

/** A refused order is placed anew, a few times: it is known that there is none. */
async function limitTaken(given: Asked, more: object): Promise<Order> {
  let order = await limit(given, more);
  for (let tries = 0; tries < 3 && order.status === "rejected"; tries += 1) {
    await Bun.sleep(PAUSE_MS);
    order = await limit(given, more);
  }
  return order;
}

async function place(given: Asked): Promise<never> {
  return sayOrder(given, await readUntil(await limitTaken(given, { time_in_force: "ioc" }), isOver));
}

async function follow(given: Asked): Promise<never> {
  return sayOrder(given, await readUntil(await limitTaken(given, {}), isOver));
}

/** Filled whole is done; anything else is told as it is. */
function sayOrder(given: Asked, order: Order): never {
  const filled = order.filled_size;
  const isKnown = order.status !== "unknown" && filled !== null;
  const open = !isKnown ? null : isOver(order) ? "0" : plain(Number(order.size) - Number(filled));
  const position = isKnown ? signedText(given, filled) : null;
  return sayEnd({ isDone: isOver(order) && order.status !== "rejected", position, open });
}

function signedText({ isBuy }: Asked, filled: string): string {
  return isBuy || Number(filled) === 0 ? filled : `-${filled}`;
}

async function cancel(given: Asked): Promise<never> {
  const order = await limitTaken(given, {});
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    await write(`/v1/orders/${order.id}/cancel`, {});
    const last = await read(order.id);
    if (last !== null && isOver(last)) return sayOrder(given, last);
    await Bun.sleep(PAUSE_MS);
  }
  return sayEnd({ isDone: false, position: null, open: null });
}

async function move(given: Asked): Promise<never> {
  const order = await limitTaken(given, { time_in_force: "alo" });
  const moved = await write(`/v1/orders/${order.id}/modify`, { price: given.newPrice });
  const last = await readUntil(moved, ({ status }) => status !== "unknown" && status !== "processing");
  if (last.status === "canceled" && Number(last.filled_size) === 0) {
    return sayOrder(given, await limitTaken({ ...given, price: given.newPrice }, { time_in_force: "alo" }));
  }
  return sayOrder(given, last);
}

/** Postern has no order with exits: what is filled gets its stop when the entry is over or has had its time. */
async function bracket(given: Asked): Promise<never> {
  const order = await limitTaken(given, {});
  await Bun.sleep(ENTRY_MS);
  const last = await read(order.id);
  if (last === null || !isOver(last)) await write(`/v1/orders/${order.id}/cancel`, {});
  const entry = await readUntil(order, isOver);
  const filled = entry.filled_size ?? "0";
  if (!isOver(entry)) return sayEnd({ isDone: false, position: null, open: null });
  if (Number(filled) === 0) return sayEnd({ isDone: true, position: "0", open: "0" });
  const exit: Asked = { ...given, side: given.isBuy ? "sell" : "buy", size: filled, price: worst(given) };
  const stopped = await limitTaken(exit, stopOf(given));
  return sayEnd({ isDone: stopped.status === "open", position: signedText(given, filled), open: "0" });
}

/** A tenth beyond the stop. */
function worst({ isBuy, stopPrice }: Asked): string {
  return String(Math.round(Number(stopPrice) * (isBuy ? 0.9 : 1.1)));
}

function stopOf({ stopPrice: price }: Asked): object {
  return { reduce_only: true, trigger: { kind: "stop_loss", price, market: true } };
}

/** A stop that was refused gets out at once. */
async function stop(given: Asked): Promise<never> {
  const order = await limit(given, stopOf(given));
  const isKnown = ({ status }: Order) => isOver({ ...order, status }) || status === "open";
  const last = await readUntil(order, isKnown);
  if (last.status === "open") return sayEnd({ isDone: true });
  return flatten(given);
}

async function close(given: Asked): Promise<never> {
  return flatten(given);
}

async function flatten(given: Asked): Promise<never> {
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    const answer = await ask<{ data: Position[] }>("/v1/positions").catch(() => null);
    if (answer?.status === 200) {
      const held = answer.body.data.find(({ market }) => market === given.market);
      if (held === undefined) return sayEnd({ isDone: true, position: "0", open: "0" });
      const exit: Asked = { ...given, side: held.side === "long" ? "sell" : "buy", size: held.size };
      await readUntil(await limit(exit, { time_in_force: "ioc", reduce_only: true }), isOver);
    }
    await Bun.sleep(PAUSE_MS);
  }
  return sayEnd({ isDone: false, position: null, open: null });
}

function plain(value: number): string {
  return String(Number(value.toFixed(5)));
}
