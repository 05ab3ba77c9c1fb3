import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { type Guest, type Standing, whoLeaves } from "../../src/core/crowd.ts";

const ROOM = { connections: 8, perClient: 4 };

let nextId = 0;

function guests(count: number, some: Partial<Guest>): Guest[] {
  return Array.from({ length: count }, () => {
    nextId += 1;
    return {
      client: "a",
      isProxy: false,
      standing: "silent" as Standing,
      silentMs: nextId,
      ...some,
      id: nextId,
    };
  });
}

/** Who is gone, by client and standing. */
function gone(all: readonly Guest[], room = ROOM): string[] {
  const ids = new Set(whoLeaves(all, room));
  return all.filter(({ id }) => ids.has(id)).map(({ client, standing }) => `${client} ${standing}`);
}

describe("when there are more connections than there is room for", () => {
  test("nobody goes while there is room", () => {
    expect(gone([...guests(4, { client: "a" }), ...guests(4, { client: "b" })])).toEqual([]);
  });

  test("those that were silent longest go first", () => {
    const [old, young, middle] = [30, 10, 20].map((silentMs) => guests(1, { silentMs })[0]);
    const all = [old, young, middle].filter((one) => one !== undefined);
    expect(whoLeaves(all, { connections: 1, perClient: 8 })).toEqual([old?.id ?? 0, middle?.id ?? 0]);
  });

  test("what never sent a byte goes before what did, and that before what a key has spoken on", () => {
    const all = [
      ...guests(1, { standing: "known", silentMs: 9_000 }),
      ...guests(1, { standing: "sending", silentMs: 9_000 }),
      ...guests(1, { standing: "stranger", silentMs: 5_000 }),
      ...guests(1, { standing: "silent", silentMs: 1 }),
    ];
    const left = (connections: number) => gone(all, { connections, perClient: 8 });
    expect(left(3)).toEqual(["a silent"]);
    expect(left(2)).toEqual(["a stranger", "a silent"]);
    expect(left(1)).toEqual(["a known", "a stranger", "a silent"]);
  });

  test("who opens the most loses them, and pushes nobody else out", () => {
    const all = [...guests(2, { client: "trader", silentMs: 60_000 }), ...guests(20, { client: "flood", silentMs: 1 })];
    expect(new Set(gone(all, { connections: 8, perClient: 100 }))).toEqual(new Set(["flood silent"]));
    expect(gone(all, { connections: 8, perClient: 100 })).toHaveLength(14);
  });

  test("one client has no more than its share, though there is room; a proxy carries many", () => {
    expect(gone(guests(6, { client: "a" }))).toEqual(["a silent", "a silent"]);
    expect(gone(guests(6, { client: "proxy", isProxy: true }))).toEqual([]);
  });

  test("a proxy's connections go after everybody else's", () => {
    const all = [...guests(8, { client: "proxy", isProxy: true }), ...guests(3, { client: "b" })];
    expect(gone(all)).toEqual(["b silent", "b silent", "b silent"]);
  });

  test("what is being answered stays, however many there are", () => {
    expect(gone(guests(20, { standing: "served" }))).toEqual([]);
  });
});

const anyGuests = fc.array(
  fc.record({
    client: fc.constantFrom("a", "b", "c", "proxy"),
    standing: fc.constantFrom<Standing>("silent", "stranger", "known", "sending", "served"),
    silentMs: fc.nat(10_000),
  }),
  { maxLength: 60 },
);

test("there is room afterwards, or all that are left are answered; nobody goes without need, and none twice", () => {
  fc.assert(
    fc.property(
      anyGuests,
      fc.integer({ min: 1, max: 30 }),
      fc.integer({ min: 1, max: 20 }),
      (some, connections, perClient) => {
        const all = some.map((one, id) => ({ ...one, id, isProxy: one.client === "proxy" }));
        const leaving = new Set(whoLeaves(all, { connections, perClient }));
        const left = all.filter(({ id }) => !leaving.has(id));
        expect(all.filter(({ id, standing }) => leaving.has(id) && standing === "served")).toEqual([]);
        const idle = left.filter(({ standing }) => standing !== "served");
        expect(left.length <= connections || idle.length === 0).toBeTrue();
        for (const client of ["a", "b", "c"]) {
          const own = left.filter((one) => one.client === client);
          expect(own.length <= perClient || own.every(({ standing }) => standing === "served")).toBeTrue();
        }
        const isNeeded =
          all.length > connections ||
          ["a", "b", "c"].some((client) => all.filter((one) => one.client === client).length > perClient);
        if (!isNeeded) expect(leaving.size).toBe(0);
      },
    ),
  );
});
