import type { Account } from "../../core/account.ts";
import type { With } from "../../deps.ts";
import type { Known, ReadMark, ReadPart } from "../../exchange/picture.ts";
import { exchangeTimeOf, type Read, type Reads } from "../../exchange/reads.ts";
import { listAccounts } from "../../store/accounts.ts";
import { takePositions } from "../evidence/positions-before.ts";
import type { Repeating } from "../repeating.ts";

/** Between two parts of an account that are read, milliseconds: one costs 2 to 20 of our weight, and a minute has one at most. */
const CHECK_PICTURE_MS = 62_000;
/** By then a feed has told what it tells, milliseconds. */
const FIRST_CHECK_MS = 5_000;
/** So long a feed may take to tell what a read has shown, milliseconds. */
const TOLD_WITHIN_MS = 3_000;

/** One part of an account's state: how it is read, and what of it is compared. */
type CheckedPart = {
  read(): Promise<Read<ReadPart>>;
  known(): Known<unknown> | null;
  /** What no price moves. */
  sumOf(value: unknown): string;
};

type ToCheck = With<"clock" | "exchange" | "picture" | "settings" | "store">;

/** Once soon, for what frames leave out, and then again and again. */
export function checkPictures({ once, every }: Repeating, world: ToCheck, reads: Reads): void {
  const checks = openPictureChecks(world, reads);
  once(() => world.clock.sleep(FIRST_CHECK_MS).then(() => checks.run()));
  every(CHECK_PICTURE_MS, () => checks.run());
}

/**
 * Holds the picture of each followed account against reads, one part in turn: a channel that fell silent looks like one of
 * which nothing has changed. What a read shows otherwise, and the feed does not tell, stands as it was read.
 */
export function openPictureChecks(world: ToCheck, reads: Reads): { run(): Promise<void> } {
  const turns = new Map<string, number>();

  async function check(account: Account): Promise<void> {
    const parts = partsOf(world, reads, account.tradingAddress);
    const turn = turns.get(account.id) ?? 0;
    turns.set(account.id, turn + 1);
    const part = parts[turn % parts.length];
    if (part !== undefined) await checkPart(world, account, part);
  }

  return {
    async run() {
      const followed = listAccounts(world.store).filter(({ tradingAddress }) => world.picture.isTold(tradingAddress));
      for (const account of followed) await check(account);
    },
  };
}

async function checkPart(
  world: With<"clock" | "exchange" | "picture" | "store">,
  account: Account,
  part: CheckedPart,
): Promise<void> {
  const first = await readOther(world, part);
  if (first === null) return;
  // Nothing contradicts it.
  if (part.known() === null) {
    take(world, account, first);
    return;
  }
  const heard = part.known()?.heard ?? null;
  await world.clock.sleep(TOLD_WITHIN_MS);
  // The server that was asked may have been behind.
  const second = await readOther(world, part);
  const isStill = (part.known()?.heard ?? null) === heard;
  if (second !== null && isStill) take(world, account, second);
}

function take(world: With<"clock" | "exchange" | "picture" | "store">, account: Account, { shown, mark }: Other): void {
  if (shown.part === "state" && shown.value !== null)
    takePositions(world, { account, dex: shown.dex }, { value: shown.value, askedAtMs: mark.askedAtMs });
  else world.picture.take(account.tradingAddress, shown, mark);
}

type Other = { shown: ReadPart; mark: ReadMark };

/** Null where it could not be read, or shows what is known. */
async function readOther(world: With<"clock" | "exchange">, part: CheckedPart): Promise<Other | null> {
  const read = await part.read();
  if (read.kind === "failed") return null;
  const { value: shown, askedAtMs } = read;
  const known = part.known();
  if (known !== null && part.sumOf(known.value) === part.sumOf(shown.value)) return null;
  const timeMs = shown.part === "state" && shown.value !== null ? shown.value.timeMs : exchangeTimeOf(world, askedAtMs);
  return { shown, mark: { timeMs, askedAtMs } };
}

/** The mode first: frames do not always name it. */
function partsOf({ settings, picture }: With<"picture" | "settings">, reads: Reads, user: string): CheckedPart[] {
  const dexes = ["", ...settings.dexes];
  return [
    {
      read: () => reads.mode(user, "read").then(asPart((value) => ({ part: "mode", value }))),
      known: () => picture.mode(user),
      sumOf: (value) => JSON.stringify(value),
    },
    {
      read: () => reads.spot(user, "read").then(asPart((value) => ({ part: "spot", value }))),
      known: () => picture.spot(user),
      sumOf: sumOfMembers(["coin", "total"]),
    },
    ...dexes.map(
      (dex): CheckedPart => ({
        read: () => reads.clearinghouse(user, dex, "read").then(asPart((value) => ({ part: "state", dex, value }))),
        known: () => picture.state(user, dex),
        // A state, as above.
        sumOf: (value) => sumOfMembers(["coin", "signedSize"])((value as { positions: unknown }).positions),
      }),
    ),
    {
      read: () => reads.twapHistory(user, "read").then(asPart((value) => ({ part: "twaps", value }))),
      known: () => picture.twaps(user),
      sumOf: sumOfMembers(["twapId", "status"]),
    },
    ...dexes.map(
      (dex): CheckedPart => ({
        read: () => reads.openOrders(user, dex, "read").then(asPart((value) => ({ part: "open", dex, value }))),
        known: () => picture.openOrders(user, dex),
        sumOf: sumOfMembers(["oid"]),
      }),
    ),
  ];
}

function asPart<T>(make: (value: T) => ReadPart): (read: Read<T>) => Read<ReadPart> {
  return (read) => (read.kind === "failed" ? read : { ...read, value: make(read.value) });
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
