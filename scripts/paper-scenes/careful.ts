/**
 * What a careful user of a client library does, the same for each library: every order has a client order id; after whatever was no
 * clear answer it is looked for three times, a second apart, by that id and by the position, and only then placed again under the same id; what
 * is said in the end was read.
 */
import { type Asked, readAsked, sayEnd, sayNoSuchTask, signed } from "./asked.ts";

export type Order = {
  id: `0x${string}`;
  isBuy: boolean;
  size: string;
  price: string;
  kind: "ioc" | "post-only" | "gtc" | "stop";
  isReduceOnly: boolean;
  stopPrice?: string;
  takeProfitPrice?: string;
};

/** What the exchange shows of an order; `filled` is a plain number of coins. */
export type Sight = { isOpen: boolean; filled: number; price: number };

export type Library = {
  /** Resolve when the exchange has said that it was done, and throw otherwise. */
  place(order: Order): Promise<void>;
  move(order: Order, price: string): Promise<void>;
  cancel(order: Order): Promise<void>;
  /** Null: no such order. */
  look(order: Order): Promise<Sight | null>;
  /** Signed coins. */
  position(): Promise<number>;
  /** Resolves at news of an order over the stream. */
  news(): Promise<void>;
};

const TRIES = 3;
const LOOKS = 3;
const PAUSE_MS = 1_000;
/** Without news the order is looked at all the same. */
const POLL_MS = 5_000;
/** Looks at an order that is there, and at a position, before the bot gives up. */
const PATIENCE = 40;

export async function trade(open: (asked: Asked) => Promise<Library>): Promise<never> {
  const asked = readAsked();
  const tasks: Record<string, (asked: Asked, library: Library) => Promise<never>> = {
    place,
    follow,
    move,
    cancel,
    bracket,
    stop,
    close,
  };
  const task = tasks[asked.task] ?? sayNoSuchTask;
  return task(asked, await open(asked));
}

function orderOf({ isBuy, size, price }: Asked, kind: Order["kind"]): Order {
  const digits = [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0"));
  return { id: `0x${digits.join("")}`, isBuy, size, price, kind, isReduceOnly: kind === "stop" };
}

async function place(asked: Asked, library: Library): Promise<never> {
  const order = orderOf(asked, "ioc");
  const before = await library.position();
  const isPlaced = await placeOnce(library, order, before);
  if (!isPlaced) return sayEnd({ isDone: false });
  const sight = await lookUntil(library, order, () => true);
  // No record, and it was placed: the position has shown it.
  const filled = sight?.filled ?? Math.abs((await library.position()) - before);
  return sayEnd({ isDone: filled === Number(order.size), position: signed(asked, plain(filled)), open: "0" });
}

/** True when the order is at the exchange; false when it was tried often enough. */
async function placeOnce(library: Library, order: Order, before: number): Promise<boolean> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    try {
      await library.place(order);
      return true;
    } catch (error) {
      console.error(`placing: ${wordsOf(error)}`);
    }
    for (let looks = 0; looks < LOOKS; looks += 1) {
      await pause(PAUSE_MS);
      if ((await tried(library.look(order))) != null) return true;
      const position = await tried(library.position());
      if (position !== null && position !== before) return true;
    }
  }
  return false;
}

/** What is shown of an order that is known to be there, once it is shown as wanted; null when it never is. */
async function lookUntil(library: Library, order: Order, isEnough: (sight: Sight) => boolean): Promise<Sight | null> {
  for (let looks = 0; looks < PATIENCE; looks += 1) {
    const sight = (await tried(library.look(order))) ?? null;
    if (sight !== null && isEnough(sight)) return sight;
    await pause(PAUSE_MS);
    if (sight === null && looks > TRIES) return null;
  }
  return null;
}

function isOver({ isOpen }: Sight): boolean {
  return !isOpen;
}

async function follow(asked: Asked, library: Library): Promise<never> {
  const order = orderOf(asked, "gtc");
  if (!(await placeOnce(library, order, await library.position()))) return sayEnd({ isDone: false });
  for (let looks = 0; looks < PATIENCE; looks += 1) {
    const sight = (await tried(library.look(order))) ?? null;
    if (sight !== null && isOver(sight)) return sayResult(asked, order, sight);
    await Promise.race([library.news(), pause(POLL_MS)]);
    await pause(PAUSE_MS);
  }
  return sayEnd({ isDone: false, position: null, open: null });
}

function sayResult(asked: Asked, order: Order, sight: Sight): never {
  const open = sight.isOpen ? plain(Number(order.size) - sight.filled) : "0";
  return sayEnd({ isDone: true, position: signed(asked, plain(sight.filled)), open });
}

async function cancel(asked: Asked, library: Library): Promise<never> {
  const order = orderOf(asked, "gtc");
  if (!(await placeOnce(library, order, await library.position()))) return sayEnd({ isDone: false });
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    await library.cancel(order).catch((error: unknown) => console.error(`cancelling: ${wordsOf(error)}`));
    const sight = (await tried(library.look(order))) ?? null;
    if (sight !== null && isOver(sight)) return sayResult(asked, order, sight);
    await pause(PAUSE_MS);
  }
  return sayEnd({ isDone: false, position: null, open: null });
}

async function move(asked: Asked, library: Library): Promise<never> {
  let order = orderOf(asked, "post-only");
  if (!(await placeOnce(library, order, await library.position()))) return sayEnd({ isDone: false });
  for (let tries = 0; tries < TRIES; tries += 1) {
    await library.move(order, asked.newPrice).catch((error: unknown) => console.error(`moving: ${wordsOf(error)}`));
    await pause(PAUSE_MS);
    const sight = await lookUntil(library, order, () => true);
    if (sight === null) continue;
    if (sight.filled > 0 || (sight.isOpen && sight.price === Number(asked.newPrice)))
      return sayResult(asked, order, sight);
    if (sight.isOpen) continue;
    order = { ...orderOf(asked, "post-only"), price: asked.newPrice };
    if (!(await placeOnce(library, order, 0))) return sayEnd({ isDone: false });
  }
  return sayEnd({ isDone: false, position: null, open: null });
}

/** An entry that is filled in part is given up after a while, and what is held gets a stop of its own. */
async function bracket(asked: Asked, library: Library): Promise<never> {
  const { stopPrice, takeProfitPrice } = asked;
  const order: Order = { ...orderOf(asked, "gtc"), stopPrice, takeProfitPrice };
  if (!(await placeOnce(library, order, 0))) return sayEnd({ isDone: false });
  await pause(POLL_MS);
  const sight = await lookUntil(library, order, () => true);
  if (sight?.isOpen === true) await library.cancel(order).catch((error: unknown) => console.error(wordsOf(error)));
  const held = await library.position();
  if (held !== 0 && Math.abs(held) < Number(order.size)) {
    const cover = { ...orderOf(asked, "stop"), isBuy: held < 0, size: plain(Math.abs(held)), stopPrice };
    if (!(await placeOnce(library, { ...cover, price: worstOf(asked, held) }, held))) return sayEnd({ isDone: false });
  }
  const last = await lookUntil(library, order, isOver);
  return sayEnd({ isDone: last !== null, position: plain(await library.position()), open: "0" });
}

/** A tenth beyond the stop. */
function worstOf({ stopPrice }: Asked, held: number): string {
  return String(Math.round(Number(stopPrice) * (held > 0 ? 0.9 : 1.1)));
}

/** A stop that is not there and did not fire gets out at once. */
async function stop(asked: Asked, library: Library): Promise<never> {
  const before = await library.position();
  const order = { ...orderOf(asked, "stop"), stopPrice: asked.stopPrice };
  await placeOnce(library, order, before);
  await pause(PAUSE_MS);
  const sight = (await tried(library.look(order))) ?? null;
  if (sight?.isOpen === true) return sayEnd({ isDone: true });
  return flatten(asked, library);
}

async function close(asked: Asked, library: Library): Promise<never> {
  return flatten(asked, library);
}

/** Closes what is shown, reduce-only, until nothing is. */
async function flatten(asked: Asked, library: Library): Promise<never> {
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    const held = await tried(library.position());
    if (held === 0) return sayEnd({ isDone: true, position: "0", open: "0" });
    if (held !== null) {
      const size = plain(Math.abs(held));
      const order: Order = { ...orderOf(asked, "ioc"), isBuy: held < 0, size, isReduceOnly: true };
      await library.place(order).catch((error: unknown) => console.error(`closing: ${wordsOf(error)}`));
    }
    await pause(PAUSE_MS);
  }
  return sayEnd({ isDone: false, position: null, open: null });
}

async function tried<T>(work: Promise<T>): Promise<T | null> {
  return work.catch((error: unknown) => {
    console.error(wordsOf(error));
    return null;
  });
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

/** Without the noise of floats. */
function plain(value: number): string {
  return String(Number(value.toFixed(5)));
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
