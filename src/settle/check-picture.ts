import type { Account } from "../core/account.ts";
import type { World } from "../deps.ts";
import type { InfoRequest } from "../exchange/exchange.ts";
import type { Known, ReadMark, ReadPart } from "../exchange/picture.ts";
import { listAccounts } from "../store/accounts.ts";
import { parseAccountMode, parseClearinghouseState, parseSpotState } from "../wire/answer/account.ts";
import { parseFrontendOpenOrders } from "../wire/answer/open-orders.ts";
import { parseTwapHistory } from "../wire/answer/twap.ts";

/** Between two parts of an account that are read, milliseconds: one costs 2 to 20 of our weight, and a minute has one at most. */
export const CHECK_PICTURE_MS = 62_000;
/** So long a feed may take to tell what a read has shown, milliseconds. */
const TOLD_WITHIN_MS = 3_000;

/** One part of an account's state: how it is read, and what of it is compared. */
type Part = {
  request: InfoRequest;
  read(json: unknown): ReadPart | null;
  known(world: World, address: string): Known<unknown> | null;
  /** What no price moves. */
  sumOf(value: unknown): string;
};

/**
 * Holds the picture of each followed account against reads, one part in turn: a channel that fell silent looks like one of
 * which nothing has changed. What a read shows otherwise, and the feed does not tell, stands as it was read.
 */
export function openPictureChecks(world: World): { run(): Promise<void> } {
  const turns = new Map<string, number>();

  async function check(account: Account): Promise<void> {
    const parts = partsOf(world, account.tradingAddress);
    const turn = turns.get(account.id) ?? 0;
    turns.set(account.id, turn + 1);
    const part = parts[turn % parts.length];
    if (part !== undefined) await checkPart(world, account.tradingAddress, part);
  }

  return {
    async run() {
      const followed = listAccounts(world.store).filter(({ tradingAddress }) => world.picture.isTold(tradingAddress));
      for (const account of followed) await check(account);
    },
  };
}

async function checkPart(world: World, address: string, part: Part): Promise<void> {
  const first = await readOther(world, address, part);
  if (first === null) return;
  // Nothing contradicts it.
  if (part.known(world, address) === null) {
    world.picture.take(address, first.shown, first.mark);
    return;
  }
  const heard = part.known(world, address)?.heard ?? null;
  await world.clock.sleep(TOLD_WITHIN_MS);
  // The server that was asked may have been behind.
  const second = await readOther(world, address, part);
  const isStill = (part.known(world, address)?.heard ?? null) === heard;
  if (second !== null && isStill) world.picture.take(address, second.shown, second.mark);
}

type Other = { shown: ReadPart; mark: ReadMark };

/** Null where it could not be read, or shows what is known. */
async function readOther(world: World, address: string, part: Part): Promise<Other | null> {
  const askedAtMs = world.clock.nowMs();
  const askedMs = world.exchange.nowMs();
  const outcome = await world.exchange.info(part.request, { purpose: "read" });
  const shown = outcome.kind === "ok" ? part.read(outcome.json) : null;
  if (shown === null || shown.value === null) return null;
  const known = part.known(world, address);
  if (known !== null && part.sumOf(known.value) === part.sumOf(shown.value)) return null;
  const timeMs = shown.part === "state" ? shown.value.timeMs : askedMs;
  return { shown, mark: { timeMs, askedAtMs } };
}

/** The mode first: frames do not always name it. */
function partsOf({ settings }: World, user: string): Part[] {
  const dexes = ["", ...settings.dexes];
  return [
    {
      request: { type: "userAbstraction", user },
      read: (json) => orNothing(parseAccountMode(json), (value) => ({ part: "mode", value })),
      known: ({ picture }, address) => picture.mode(address),
      sumOf: (value) => JSON.stringify(value),
    },
    {
      request: { type: "spotClearinghouseState", user },
      read: (json) => orNothing(parseSpotState(json), (value) => ({ part: "spot", value })),
      known: ({ picture }, address) => picture.spot(address),
      sumOf: sumOfMembers(["coin", "total"]),
    },
    ...dexes.map(
      (dex): Part => ({
        request: { type: "clearinghouseState", user, dex },
        read: (json) => orNothing(parseClearinghouseState(json), (value) => ({ part: "state", dex, value })),
        known: ({ picture }, address) => picture.state(address, dex),
        // A state that was parsed above.
        sumOf: (value) => sumOfMembers(["coin", "signedSize"])((value as { positions: unknown }).positions),
      }),
    ),
    {
      request: { type: "twapHistory", user },
      read: (json) => orNothing(parseTwapHistory(json), (value) => ({ part: "twaps", value })),
      known: ({ picture }, address) => picture.twaps(address),
      sumOf: sumOfMembers(["twapId", "status"]),
    },
    ...dexes.map(
      (dex): Part => ({
        request: { type: "frontendOpenOrders", user, dex },
        read: (json) => orNothing(parseFrontendOpenOrders(json), (value) => ({ part: "open", dex, value })),
        known: ({ picture }, address) => picture.openOrders(address, dex),
        sumOf: sumOfMembers(["oid"]),
      }),
    ),
  ];
}

function orNothing<T>(value: T | null, make: (value: T) => ReadPart): ReadPart | null {
  return value === null ? null : make(value);
}

/** Of each row these members, in no order. */
function sumOfMembers(names: readonly string[]): (rows: unknown) => string {
  return (rows) => {
    // Parsed above, all of them lists of objects.
    const list = rows as readonly Record<string, unknown>[];
    return list
      .map((row) => JSON.stringify(names.map((name) => row[name])))
      .sort()
      .join();
  };
}
