/** An account as its feed and reads show it, in any order in which they come. */
import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { decimal } from "../../src/core/decimal.ts";
import type { FeedEvent } from "../../src/exchange/feed-event.ts";
import { createPicture, type Known, type Picture } from "../../src/exchange/picture.ts";
import type { AccountMode, ClearinghouseState, Position, SpotBalance } from "../../src/wire/answer/account.ts";
import type { AccountPart } from "../../src/wire/answer/account-frame.ts";
import type { BasicOrder, FrontendOrder } from "../../src/wire/answer/order-status.ts";
import type { TwapRecord } from "../../src/wire/answer/twap.ts";

const WHO = "0x1";
const DEXES = ["", "xyz"] as const;
const MINUTE_MS = 60_000;

/** What the picture does not look into. */
const POSITION = { coin: "BTC", signedSize: decimal("1") } as Position;

function stateOf(timeMs: number, count = 0): ClearinghouseState {
  return { timeMs, positions: Array.from({ length: count }, () => POSITION) } as unknown as ClearinghouseState;
}

function orderOf(oid: string): FrontendOrder {
  return { oid, cloid: null, coin: "BTC" } as unknown as FrontendOrder;
}

function part(shown: AccountPart): FeedEvent {
  return { kind: "account_part", shown };
}

function head(serverTimeMs: number, mode: AccountMode | null = null): FeedEvent {
  return part({ part: "head", value: { serverTimeMs, mode } });
}

function state(timeMs: number, count = 0, dex = ""): FeedEvent {
  return part({ part: "state", dex, value: stateOf(timeMs, count) });
}

function openList(...oids: string[]): FeedEvent {
  return part({ part: "open", dex: "", value: oids.map(orderOf) });
}

function update(oid: string, status: string, statusTimestampMs: number): FeedEvent {
  const order = { oid, cloid: null, coin: "BTC" } as BasicOrder;
  return { kind: "order_updates", updates: [{ order, status, statusTimestampMs }] };
}

const DISCONNECTED: FeedEvent = { kind: "disconnected", reason: "cut" };
const GAP: FeedEvent = { kind: "gap", reason: "unreadable" };

function heard(...events: FeedEvent[]): Picture {
  const picture = createPicture();
  for (const event of events) picture.hear(WHO, event);
  return picture;
}

const LEFT: [what: string, events: FeedEvent[], has: boolean, isJust: boolean][] = [
  ["the next list lacks it", [openList("1", "2"), openList("2")], true, true],
  ["something else was told since", [openList("1"), openList(), head(200)], true, false],
  ["it is listed again", [openList("1"), openList(), openList("1")], false, false],
  ["no list has held it", [openList("2"), openList("2")], false, false],
  ["it stands in the newest", [openList("1"), openList("1", "2")], false, false],
  ["the list of another connection lacks it", [openList("1"), DISCONNECTED, head(200), openList()], false, false],
  ["it left the list of another connection", [openList("1"), openList(), DISCONNECTED], false, false],
];

test.each(LEFT)("whether an order has left the list of its feed: %s", (_what, events, has, isJust) => {
  const picture = heard(head(100), ...events);
  expect([picture.hasLeftList(WHO, "1"), picture.justLeftList(WHO)]).toEqual([has, isJust ? ["1"] : []]);
});

test("of orders that left a list the oldest are forgotten, past 5,000", () => {
  const many = Array.from({ length: 5_001 }, (_, nth) => String(nth));
  const picture = heard(head(100), openList(...many), openList());
  expect([picture.hasLeftList(WHO, "0"), picture.hasLeftList(WHO, "1")]).toEqual([false, true]);
});

describe("what was told", () => {
  test("counts as of the newest time that its connection has shown, if no price moves it", () => {
    const picture = heard(head(100), openList("1"), state(150), head(900));
    expect(picture.openOrders(WHO, "")).toMatchObject({ timeMs: 100, asOfMs: 900, isTold: true });
    expect(picture.state(WHO, "")).toMatchObject({ timeMs: 150, asOfMs: 900 });
  });

  test("counts as of its own time where there are positions", () => {
    expect(heard(state(150, 1), head(900)).state(WHO, "")).toMatchObject({ asOfMs: 150 });
  });

  test("is nothing before its connection has shown any time", () => {
    const picture = heard(openList("1"));
    expect([picture.openOrders(WHO, ""), picture.isTold(WHO)]).toEqual([null, false]);
  });

  test("counts as of its own time once its connection has ended, also when the next one tells other things", () => {
    const picture = heard(head(100), openList("1"), head(500), DISCONNECTED);
    expect(picture.openOrders(WHO, "")).toMatchObject({ asOfMs: 100, isTold: false });
    picture.hear(WHO, head(900));
    expect(picture.openOrders(WHO, "")).toMatchObject({ asOfMs: 100, isTold: false });
  });

  test("stands as of its time after a frame that cannot be read", () => {
    const picture = heard(head(100), openList("1"), state(100), part({ part: "spot", value: [] }), head(400));
    for (const dex of DEXES) picture.hear(WHO, part({ part: "state", dex, value: null }));
    picture.hear(WHO, part({ part: "open", dex: "", value: null }));
    picture.hear(WHO, part({ part: "spot", value: null }));
    picture.hear(WHO, head(900));
    for (const known of [picture.openOrders(WHO, ""), picture.state(WHO, ""), picture.spot(WHO)])
      expect(known).toMatchObject({ asOfMs: 100, isTold: false });
  });

  test("of TWAPs stands as of its time after a gap", () => {
    const picture = heard(head(100), { kind: "twap_records", records: [], isSnapshot: true }, GAP, head(900));
    expect(picture.twaps(WHO)).toMatchObject({ asOfMs: 100, isTold: false });
  });

  test("is not taken back by an older frame, nor by an older read", () => {
    const picture = heard(state(500, 1), state(400, 0));
    picture.take(WHO, { part: "state", dex: "", value: stateOf(450) }, { timeMs: 450, askedAtMs: 9_000 });
    expect(picture.state(WHO, "")).toMatchObject({ timeMs: 500, value: { timeMs: 500 } });
  });
});

describe("a channel that told the same every few seconds", () => {
  /** Heads tell the time; every `everyMs` of it the channel tells once more. */
  function paced(times: number, everyMs: number, tell: (timeMs: number, nth: number) => FeedEvent): Picture {
    const picture = createPicture();
    for (let nth = 0; nth < times; nth += 1)
      for (const event of [head((nth + 1) * everyMs), tell((nth + 1) * everyMs, nth)]) picture.hear(WHO, event);
    return picture;
  }
  const states = (timeMs: number) => state(timeMs);
  const spots = () => part({ part: "spot", value: [] });
  const lists = () => openList("1");
  const known = (picture: Picture) => picture.state(WHO, "") ?? picture.spot(WHO) ?? picture.openOrders(WHO, "");

  test("and does not any more is of when it did, as soon as three of them are missing", () => {
    for (const tell of [states, spots, lists]) {
      const picture = paced(4, 5_000, tell);
      picture.hear(WHO, head(35_000));
      expect(known(picture)).toMatchObject({ isTold: true, asOfMs: 35_000 });
      picture.hear(WHO, head(35_001));
      expect(known(picture)).toMatchObject({ isTold: false, asOfMs: 20_000, toldToMs: 20_000 });
    }
  });

  test("is given three of its own slowest, and ten seconds at the least", () => {
    const rows: [everyMs: number, quietMs: number, isTold: boolean][] = [
      [1_000, 10_000, true],
      [1_000, 10_001, false],
      [20_000, 60_000, true],
      [20_000, 60_001, false],
    ];
    for (const [everyMs, quietMs, isTold] of rows) {
      const picture = paced(4, everyMs, states);
      picture.hear(WHO, head(4 * everyMs + quietMs));
      expect({ everyMs, quietMs, isTold: known(picture)?.isTold }).toEqual({ everyMs, quietMs, isTold });
    }
  });

  test("is one only after three of them, of one connection, and none told twice at once or with something new", () => {
    const long = head(500_000);
    const three = paced(3, 5_000, states);
    const twice = paced(18, 5_000, (_timeMs, nth) => openList(String(nth)));
    for (let nth = 0; nth < 9; nth += 1)
      for (const event of [head(100_000 + nth * 5_000), openList(`${nth}`), openList(`${nth}`)]) twice.hear(WHO, event);
    const news = paced(9, 5_000, (_timeMs, nth) => openList(String(nth)));
    const anew = paced(4, 5_000, states);
    for (const event of [DISCONNECTED, head(25_000), state(25_000)]) anew.hear(WHO, event);
    for (const picture of [three, twice, news, anew]) {
      picture.hear(WHO, long);
      expect(known(picture)).toMatchObject({ isTold: true, asOfMs: 500_000 });
    }
  });

  test("is told again when it tells again", () => {
    const picture = paced(4, 5_000, spots);
    for (const event of [head(90_000), spots(), head(95_000)]) picture.hear(WHO, event);
    expect(picture.spot(WHO)).toMatchObject({ isTold: true, asOfMs: 95_000 });
  });
});

describe("a history of TWAPs", () => {
  const stateOfTwap = (timestampMs: number) => ({ coin: "BTC", timestampMs }) as TwapRecord["state"];
  const record = (twapId: string, status: string, timestampMs = 100): TwapRecord => ({
    timeS: 0,
    state: stateOfTwap(timestampMs),
    status,
    description: null,
    twapId,
  });
  const records = (...all: TwapRecord[]): FeedEvent => ({ kind: "twap_records", records: all, isSnapshot: false });
  const snapshot = (...all: TwapRecord[]): FeedEvent => ({ kind: "twap_records", records: all, isSnapshot: true });
  const running = (...ids: string[]): FeedEvent => ({
    kind: "running_twaps",
    dex: "",
    twaps: ids.map((twapId) => ({ twapId, state: stateOfTwap(150) })),
  });

  test("is of its time once it lacks for five seconds what the running ones show", () => {
    const rows: [what: string, events: FeedEvent[], isTold: boolean][] = [
      ["one that began", [snapshot(), running("1"), head(5_101)], false],
      ["one that began a moment ago", [snapshot(), running("1"), head(5_100)], true],
      ["one that ended", [snapshot(record("1", "activated")), running(), head(5_101)], false],
      ["nothing", [snapshot(record("1", "activated")), running("1"), head(5_101)], true],
      ["nothing any more", [snapshot(), running("1"), records(record("1", "activated", 150)), head(5_101)], true],
      ["an end", [snapshot(record("1", "finished"), record("1", "activated")), running(), head(5_101)], true],
      ["one that waits", [snapshot(record("1", "waitingForTrigger")), running(), head(5_101)], true],
      ["one older than itself", [snapshot(record("2", "activated", 200)), running("1", "2"), head(5_101)], true],
      ["of another dex", [snapshot({ ...record("1", "activated"), state: TSLA_TWAP }), running(), head(5_101)], true],
    ];
    for (const [what, events, isTold] of rows)
      expect([what, heard(head(100), ...events).twaps(WHO)?.isTold]).toEqual([what, isTold]);
  });

  test("of a new connection is not held against the running ones of the last", () => {
    const picture = heard(head(100), snapshot(), running("1"), DISCONNECTED, head(200), snapshot(), head(9_000));
    expect(picture.twaps(WHO)).toMatchObject({ isTold: true, asOfMs: 9_000 });
  });
});

const TSLA_TWAP = { coin: "xyz:TSLA", timestampMs: 100 } as TwapRecord["state"];

describe("an order that was told open", () => {
  test("is one until a list shows it, its end is told or its connection ends", () => {
    const oids = (picture: Picture) => picture.toldOpen(WHO).map(({ oid }) => oid);
    const open = [head(100), openList(), update("1", "open", 110), update("2", "open", 120)];
    expect(oids(heard(...open))).toEqual(["1", "2"]);
    expect(oids(heard(...open, openList("2")))).toEqual(["1"]);
    expect(oids(heard(...open, update("1", "canceled", 130)))).toEqual(["2"]);
    expect(oids(heard(...open, DISCONNECTED))).toEqual([]);
  });

  test("is not told open again after its end, whatever comes late", () => {
    const picture = heard(head(100), update("1", "filled", 130), update("1", "open", 110));
    expect([picture.toldOpen(WHO), picture.toldOf(WHO, "1")?.isOver]).toEqual([[], true]);
  });

  test("has its record until its list is told or read anew, and is none when it is over by it", () => {
    const records = (picture: Picture) => picture.toldOpen(WHO).map(({ oid, record }) => [oid, record !== null]);
    const look = () => {
      const picture = heard(head(100), openList("9"), update("1", "open", 110), update("2", "open", 120));
      picture.takeRecord(WHO, "1", orderOf("1"));
      picture.takeRecord(WHO, "2", null);
      return picture;
    };
    const [told, read] = [look(), look()];
    expect(records(told)).toEqual([["1", true]]);
    // Its list stays as it was: what is beside it says nothing of how new it is.
    expect(told.openOrders(WHO, "")?.value.map(({ oid }) => oid)).toEqual(["9"]);
    told.hear(WHO, openList("9"));
    read.take(WHO, { part: "open", dex: "", value: [] }, { timeMs: 130, askedAtMs: 130 });
    expect([records(told), records(read)]).toEqual([[["1", false]], [["1", false]]]);
  });

  test("has fired from when that was told, whatever comes late", () => {
    const picture = heard(head(100), update("1", "triggered", 130), update("1", "open", 110), update("2", "open", 120));
    expect(["1", "2"].map((oid) => picture.toldOf(WHO, oid)?.hasFired)).toEqual([true, false]);
  });
});

describe("balances that are read", () => {
  const spot = (total: string): FeedEvent => part({ part: "spot", value: balances(total) });
  const balances = (total: string) => [{ coin: "USDC", total: decimal(total) } as SpotBalance];
  const take = (picture: Picture, total: string, timeMs: number) =>
    picture.take(WHO, { part: "spot", value: balances(total) }, { timeMs, askedAtMs: timeMs });
  const told = () => heard(head(1_000), spot("5"), head(2_000), spot("7"));

  test("are those of a server that is behind where the feed has just told them to be over", () => {
    const picture = told();
    expect(take(picture, "5", 3_000)).toBe(false);
    expect(picture.spot(WHO)).toMatchObject({ value: balances("7"), isTold: true });
  });

  test("are taken where the feed never told them, told them again, tells nothing any more, or told that long ago", () => {
    expect(take(told(), "6", 3_000)).toBe(true);
    expect(take(told(), "5", 30_000)).toBe(true);
    for (const event of [spot("5"), DISCONNECTED]) {
      const picture = told();
      picture.hear(WHO, event);
      expect(take(picture, "5", 3_000)).toBe(true);
    }
  });
});

describe("a mode", () => {
  const readMode = (picture: Picture, value: AccountMode, timeMs: number) =>
    picture.take(WHO, { part: "mode", value }, { timeMs, askedAtMs: timeMs });

  test("that frames name is theirs, and one that they do not is nobody's before a read", () => {
    expect(heard(head(100, "unified")).mode(WHO)).toMatchObject({ value: "unified", timeMs: 100 });
    expect(heard(head(100)).mode(WHO)).toBeNull();
  });

  test("that was read as standard is what frames mean that name none, until a read says else", () => {
    const picture = heard(head(100));
    readMode(picture, "standard", 150);
    picture.hear(WHO, head(900));
    expect(picture.mode(WHO)).toMatchObject({ value: "standard", asOfMs: 900, heard: null });
    readMode(picture, "unified", 800);
    expect(picture.mode(WHO)).toMatchObject({ value: "unified" });
  });

  test("that was read as unified and no frame names holds for a minute", () => {
    const picture = heard(head(100));
    readMode(picture, "unified", 150);
    picture.hear(WHO, head(MINUTE_MS));
    expect(picture.mode(WHO)).toMatchObject({ value: "unified", asOfMs: MINUTE_MS, isTold: true });
    picture.hear(WHO, head(MINUTE_MS + 150));
    expect(picture.mode(WHO)).toMatchObject({ value: "unified", asOfMs: 150, isTold: false });
  });

  test("that was read where nobody tells anything is of when it was read", () => {
    const picture = createPicture();
    readMode(picture, "standard", 150);
    expect(picture.mode(WHO)).toMatchObject({ asOfMs: 150, isTold: false });
  });
});

type Step =
  | { kind: "event"; event: FeedEvent; shownMs: number | null }
  | { kind: "state_read"; dex: string; timeMs: number }
  | { kind: "list_read"; dex: string; timeMs: number };

const TIME = fc.integer({ min: 1, max: 400 });
const DEX = fc.constantFrom(...DEXES);
const OID = fc.constantFrom("1", "2", "3");

function told(event: FeedEvent, shownMs: number | null = null): Step {
  return { kind: "event", event, shownMs };
}

const STEP: fc.Arbitrary<Step> = fc.oneof(
  TIME.map((timeMs) => told(head(timeMs), timeMs)),
  fc.tuple(TIME, fc.nat(1), DEX).map(([timeMs, count, dex]) => told(state(timeMs, count, dex), timeMs)),
  DEX.map((dex) => told(part({ part: "state", dex, value: null }))),
  fc.tuple(DEX, fc.array(OID)).map(([dex, oids]) => told(part({ part: "open", dex, value: oids.map(orderOf) }))),
  DEX.map((dex) => told(part({ part: "open", dex, value: null }))),
  fc.boolean().map((isRead) => told(part({ part: "spot", value: isRead ? [] : null }))),
  fc
    .tuple(OID, fc.constantFrom("open", "filled", "canceled"), TIME)
    .map(([oid, status, timeMs]) => told(update(oid, status, timeMs), timeMs)),
  fc.constant(told(DISCONNECTED)),
  fc.constant(told(GAP)),
  fc.tuple(DEX, TIME).map(([dex, timeMs]): Step => ({ kind: "state_read", dex, timeMs })),
  fc.tuple(DEX, TIME).map(([dex, timeMs]): Step => ({ kind: "list_read", dex, timeMs })),
);

function take(picture: Picture, step: Exclude<Step, { kind: "event" }>): void {
  const { dex, timeMs } = step;
  const mark = { timeMs, askedAtMs: timeMs };
  if (step.kind === "state_read") picture.take(WHO, { part: "state", dex, value: stateOf(timeMs) }, mark);
  else picture.take(WHO, { part: "open", dex, value: [] }, mark);
}

/** By name: every part that is known. */
function partsOf(picture: Picture): Map<string, Known<unknown>> {
  const parts = DEXES.flatMap((dex) => [
    [`state ${dex}`, picture.state(WHO, dex)] as const,
    [`open ${dex}`, picture.openOrders(WHO, dex)] as const,
  ]);
  const known = [...parts, ["spot", picture.spot(WHO)] as const];
  return new Map(known.flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
}

test("in any order of frames, reads and endings", () => {
  fc.assert(
    fc.property(fc.array(STEP, { minLength: 20, maxLength: 60 }), (steps) => {
      const picture = createPicture();
      /** What the present connection has shown, and which parts; and the newest of states. */
      let newestMs: number | null = null;
      let told = new Set<string>();
      const states = new Map<string, number>();
      const over = new Set<string>();
      for (const step of steps) {
        if (step.kind === "event") {
          picture.hear(WHO, step.event);
          if (step.event.kind === "disconnected") [newestMs, told] = [null, new Set()];
          if (step.shownMs !== null) newestMs = Math.max(newestMs ?? 0, step.shownMs);
          if (step.event.kind === "account_part") told.add(nameOf(step.event.shown));
          if (step.event.kind === "order_updates")
            for (const { order, status } of step.event.updates) if (status !== "open") over.add(order.oid);
        } else take(picture, step);
        for (const [name, { timeMs, asOfMs, toldToMs, isTold }] of partsOf(picture)) {
          expect(toldToMs).toBe(isTold ? Math.max(timeMs, newestMs ?? 0) : timeMs);
          const newest: number = isTold ? Math.max(timeMs, newestMs ?? 0) : timeMs;
          expect({ name, asOfMs, isBounded: asOfMs <= newest }).toEqual({ name, asOfMs, isBounded: true });
          expect({ name, isTold: isTold && !told.has(name) }).toEqual({ name, isTold: false });
          if (name.startsWith("state")) expect(timeMs).toBeGreaterThanOrEqual(states.get(name) ?? 0);
          if (name.startsWith("state")) states.set(name, timeMs);
        }
        for (const { oid } of picture.toldOpen(WHO)) expect([oid, over.has(oid)]).toEqual([oid, false]);
      }
    }),
  );
});

function nameOf(shown: AccountPart): string {
  return "dex" in shown ? `${shown.part} ${shown.dex}` : shown.part;
}
