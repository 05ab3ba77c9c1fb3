/** Connections as the kernel tells of them, on a real server; and how many there may be. */
import { afterEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { openCrowd, roomWithin } from "../../src/cli/crowd.ts";
import type { Descriptors, OpenConnection } from "../../src/cli/descriptors.ts";
import { openDescriptors } from "../../src/cli/descriptors.ts";
import { openGuests } from "../../src/cli/guests.ts";
import type { LogFields } from "../../src/deps.ts";

const opened: Socket[] = [];
const servers: ReturnType<typeof Bun.serve>[] = [];

afterEach(() => {
  for (const socket of opened.splice(0)) socket.destroy();
  for (const server of servers.splice(0)) void server.stop(true);
});

function real(): Descriptors {
  const descriptors = openDescriptors();
  if (descriptors === null) throw new Error("descriptors cannot be looked at here");
  return descriptors;
}

function serve(hostname: string) {
  const seen: string[] = [];
  const server = Bun.serve({
    hostname,
    port: 0,
    fetch(request, self) {
      const peer = self.requestIP(request);
      seen.push(`${peer?.address} ${peer?.port}`);
      return new Response("hello");
    },
  });
  servers.push(server);
  return { port: server.port ?? 0, seen };
}

function open(port: number, host: string): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host }, () => resolve(socket));
    socket.on("error", reject);
    opened.push(socket);
  });
}

async function look(descriptors: Descriptors, port: number, count: number): Promise<OpenConnection[]> {
  for (let tries = 0; tries < 200; tries += 1) {
    const { connections } = descriptors.look(new Set([port]));
    if (connections.length === count) return connections;
    await Bun.sleep(10);
  }
  throw new Error("they were not seen");
}

describe.each([
  ["127.0.0.1", "127.0.0.1"],
  ["::1", "::1"],
  ["::", "127.0.0.1"],
])("connections to %s from %s", (hostname, from) => {
  test("are seen with the names by which requests come, silent or not, and end when they are ended", async () => {
    const descriptors = real();
    const { port, seen } = serve(hostname);
    const silent = await open(port, from);
    const spoken = await open(port, from);
    spoken.write("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    await new Promise((resolve) => spoken.once("data", resolve));
    const found = await look(descriptors, port, 2);
    const named = found.filter(({ hasSpoken }) => hasSpoken).map((one): string => `${one.address} ${one.port}`);
    expect(named).toEqual(seen);
    const ended = new Promise((resolve) => silent.once("close", resolve));
    for (const { descriptor, hasSpoken } of found) if (!hasSpoken) descriptors.end(descriptor);
    silent.resume();
    await ended;
    expect(await look(descriptors, port, 1)).toMatchObject([{ hasSpoken: true }]);
  });
});

test("what is kept back is given to what opens of ours and to nobody else", () => {
  const descriptors = real();
  const free = descriptors.nextFree() ?? 0;
  try {
    descriptors.keepBack(free);
    expect([descriptors.nextFree(), descriptors.areExhausted()]).toEqual([null, false]);
    const [first, second] = [descriptors.opening(), descriptors.opening()];
    expect(descriptors.nextFree()).toBe(free);
    first();
    first();
    expect(descriptors.nextFree()).toBe(free);
    second();
    expect(descriptors.nextFree()).toBeNull();
  } finally {
    descriptors.keepBack(descriptors.limit);
  }
});

test("room is what the system gives less what the exchange and the doors need, and at most what is set", () => {
  const wanted = { connections: 2_048, perClient: 1_024 };
  expect(roomWithin(16_384, wanted)).toEqual(wanted);
  expect(roomWithin(400, wanted)).toEqual({ connections: 181, perClient: 91 });
  expect(roomWithin(16_384, { connections: 100, perClient: 5 })).toEqual({ connections: 100, perClient: 5 });
  expect(() => roomWithin(175, wanted)).toThrow("the limit of open files is 175, and at least 176 are needed");
});

test("a connection is served while one of its requests is, and as long as it carries a stream", () => {
  const guests = openGuests();
  const peer = { address: "127.0.0.1", port: 5 };
  expect(guests.standing(peer)).toBe("stranger");
  const first = guests.enter(peer);
  expect(guests.standing(peer)).toBe("sending");
  first.hasArrived();
  expect(guests.standing(peer)).toBe("served");
  first.hasKey();
  first.leave(false);
  expect(guests.standing(peer)).toBe("known");
  const stream = guests.enter(peer);
  stream.hasArrived();
  stream.leave(true);
  expect(guests.standing(peer)).toBe("served");
  guests.keepOnly([]);
  expect(guests.standing(peer)).toBe("stranger");
});

describe("a watch", () => {
  /** Descriptors of a machine that is told what it has. */
  function machine(connections: OpenConnection[]) {
    const ended: number[] = [];
    const state = { next: 10 as number | null, isExhausted: false, looks: 0 };
    const descriptors: Descriptors = {
      limit: 400,
      keepBack: () => undefined,
      opening: () => () => undefined,
      nextFree: () => state.next,
      areExhausted: () => state.isExhausted,
      end: (one) => void ended.push(one),
      look() {
        state.looks += 1;
        return { open: 30 + connections.length, connections };
      },
    };
    return { descriptors, state, ended };
  }

  function watch(connections: OpenConnection[]) {
    const told: [string, LogFields, string][] = [];
    const note = (level: string) => (fields: LogFields, message: string) => void told.push([level, fields, message]);
    const log = { debug: note("debug"), info: note("info"), warn: note("warn"), error: note("error") };
    const about = machine(connections);
    const crowd = openCrowd(
      about.descriptors,
      {
        room: { connections: 4, perClient: 4 },
        ports: new Set([1]),
        present: () => undefined,
        clientOf: (client) => ({ client, isProxy: false }),
        standing: () => "stranger",
      },
      log,
    );
    return { ...about, crowd, told };
  }

  const silent = (descriptor: number): OpenConnection => ({
    descriptor,
    address: "127.0.0.1",
    port: descriptor,
    silentMs: 1_000 - descriptor,
    hasSpoken: false,
  });

  test("looks closely once a second, and at once where many have come", () => {
    const { crowd, state } = watch([]);
    for (let nowMs = 0; nowMs < 2_000; nowMs += 100) crowd.look(nowMs);
    expect(state.looks).toBe(2);
    state.next = 1;
    for (let nowMs = 2_000; nowMs < 4_000; nowMs += 100) crowd.look(nowMs);
    expect([state.looks, crowd.isCrowded()]).toEqual([4, false]);
    state.next = 399;
    crowd.look(4_010);
    expect([state.looks, crowd.isCrowded()]).toEqual([5, true]);
  });

  test("closes those that are too many, counts them, and says so once a minute", () => {
    const { crowd, ended, told } = watch([1, 2, 3, 4, 5, 6].map(silent));
    for (let nowMs = 0; nowMs < 3_000; nowMs += 1_000) crowd.look(nowMs);
    expect(ended).toEqual([1, 2, 1, 2, 1, 2]);
    expect(crowd.counts()).toMatchObject({ connections: 4, room: 4, ended: 6, openDescriptors: 36 });
    expect(told).toEqual([["warn", { count: 2, open: 6 }, "too many connections; idle ones were closed"]]);
    crowd.look(60_000);
    expect(told).toHaveLength(2);
  });

  test("names EMFILE where none is left at all, counts it, and is short of them for a second", () => {
    const { crowd, state, told } = watch([]);
    state.next = null;
    crowd.look(0);
    expect([crowd.isShort(), told.length]).toEqual([false, 0]);
    state.isExhausted = true;
    crowd.look(20);
    expect(crowd.isShort()).toBeTrue();
    expect(told).toEqual([
      ["error", { error: "EMFILE: all 400 descriptors are in use", count: 1 }, "no file descriptor is left"],
    ]);
    state.next = 10;
    crowd.look(1_000);
    expect(crowd.isShort()).toBeTrue();
    crowd.look(1_020);
    expect(crowd.isShort()).toBeFalse();
    expect(crowd.counts().shortages).toBe(1);
  });
});
