import { expect, test } from "bun:test";
import { ApiError } from "../../src/core/errors.ts";
import { type BodyLimits, readJsonBody } from "../../src/http/body.ts";
import { type StillClock, stillClock } from "../exchange/clocks.ts";
import { ACCOUNTS, KEYS, openRig, type Rig } from "./rig.ts";

const MAX_BODY_BYTES = 64 * 1024;

function limitedBy(clock: StillClock): BodyLimits {
  return { maxBytes: MAX_BODY_BYTES, clock };
}

/** A body that arrives piece by piece; `beforeEach` runs before each. */
function trickling(pieces: readonly string[], beforeEach: () => unknown): Request {
  const left = [...pieces];
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await beforeEach();
      const piece = left.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(new TextEncoder().encode(piece));
    },
  });
  return new Request("http://gateway.example/", {
    method: "POST",
    body,
    headers: { "Content-Type": "application/json" },
  });
}

async function codeOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
    return "taken";
  } catch (error) {
    if (error instanceof ApiError) return error.code;
    throw error;
  }
}

test("takes a body in pieces, also where a character is cut in two", async () => {
  const clock = stillClock();
  const request = trickling(['{"a":', '"b"', "}"], () => undefined);
  expect(await readJsonBody(request, limitedBy(clock))).toEqual({ a: "b" });
  const bytes = new TextEncoder().encode('{"a":"é"}');
  const stream = new Blob([bytes.slice(0, 7), bytes.slice(7)]).stream();
  const cut = new Request("http://gateway.example/", {
    method: "POST",
    body: stream,
    headers: { "Content-Type": "application/json" },
  });
  expect(await readJsonBody(cut, limitedBy(clock))).toEqual({ a: "é" });
});

test("gives up a body that trickles in for more than ten seconds", async () => {
  const clock = stillClock();
  const slow = trickling(['{"a":', '"b"', "}"], () => clock.advance(4_000));
  expect(await codeOf(readJsonBody(slow, limitedBy(clock)))).toBe("invalid_json");
  const quicker = trickling(['{"a":', '"b"', "}"], () => clock.advance(2_000));
  expect(await codeOf(readJsonBody(quicker, limitedBy(clock)))).toBe("taken");
});

test("stops reading soon after the limit, however much is offered", async () => {
  let offered = 0;
  const piece = "x".repeat(1_024);
  const endless = trickling(
    Array.from({ length: 5_000 }, () => piece),
    () => {
      offered += piece.length;
    },
  );
  expect(await codeOf(readJsonBody(endless, limitedBy(stillClock())))).toBe("body_too_large");
  expect(offered).toBeLessThan(2 * MAX_BODY_BYTES);
});

test("gives up a body that comes in more than 256 pieces", async () => {
  const spaces = (count: number) => trickling([...Array.from({ length: count }, () => " "), "{}"], () => undefined);
  expect(await codeOf(readJsonBody(spaces(255), limitedBy(stillClock())))).toBe("taken");
  expect(await codeOf(readJsonBody(spaces(256), limitedBy(stillClock())))).toBe("invalid_json");
});

/** What a client with this length in its head sends; the stream is its connection. */
function announced(length: number, body: ReadableStream<Uint8Array> | string): Request {
  const headers = { "Content-Type": "application/json", "Content-Length": String(length) };
  return new Request("http://gateway.example/", { method: "POST", body, headers });
}

test("a body of an announced length is read in one piece, and no timer stays behind", async () => {
  const clock = stillClock();
  expect(await readJsonBody(announced(9, '{"a":"b"}'), limitedBy(clock))).toEqual({ a: "b" });
  expect(await readJsonBody(announced(0, ""), limitedBy(clock))).toBeUndefined();
  expect(clock.sleepers()).toBe(0);
});

test("gives up a body of an announced length that is not all there after ten seconds", async () => {
  const clock = stillClock();
  const begun = new ReadableStream<Uint8Array>({ start: (stream) => stream.enqueue(new TextEncoder().encode("{")) });
  let left = 0;
  const reading = codeOf(
    readJsonBody(announced(9, begun), limitedBy(clock), () => {
      left += 1;
    }),
  );
  let isOver = false;
  void reading.then(() => {
    isOver = true;
  });
  await clock.advance(9_999);
  expect(isOver).toBe(false);
  await clock.advance(1);
  expect(await reading).toBe("invalid_json");
  expect([left, clock.sleepers()]).toEqual([1, 0]);
});

test("a body of an announced length that is cut off is refused, and left", async () => {
  const clock = stillClock();
  const cut = new ReadableStream<Uint8Array>({ start: (stream) => stream.error(new Error("gone")) });
  let left = 0;
  const reading = readJsonBody(announced(9, cut), limitedBy(clock), () => {
    left += 1;
  });
  await expect(reading).rejects.toThrow("The body was cut off before its end.");
  expect([left, clock.sleepers()]).toEqual([1, 0]);
});

test("neither a large announced length nor a larger body than announced is taken", async () => {
  const large = JSON.stringify("x".repeat(MAX_BODY_BYTES));
  for (const length of [MAX_BODY_BYTES + 1, 5]) {
    expect(await codeOf(readJsonBody(announced(length, large), limitedBy(stillClock())))).toBe("body_too_large");
  }
  const most = JSON.stringify("x".repeat(MAX_BODY_BYTES - 2));
  expect(await codeOf(readJsonBody(announced(MAX_BODY_BYTES, most), limitedBy(stillClock())))).toBe("taken");
});

test("no body at all is told from an empty object", async () => {
  const bare = new Request("http://gateway.example/", { method: "POST" });
  expect(await readJsonBody(bare, limitedBy(stillClock()))).toBeUndefined();
});

test("more requests at one time than there are places are refused, and the places are given back", async () => {
  const rig = openRig();
  const { promise, resolve } = Promise.withResolvers<void>();
  rig.deps.reads.account = async () => {
    await promise;
    return { kind: "failed", reason: "only a test", isOurBudget: false };
  };
  const waiting = Array.from({ length: 1_024 }, () => rig.ask({ path: "/v1/account", apiKey: KEYS.both }));
  const refused = await rig.ask({ path: "/healthz" });
  expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
    503,
    "too_many_connections",
  ]);
  expect(refused.headers.get("retry-after")).toBe("1");
  resolve();
  const statuses = await Promise.all(waiting.map(async (response) => (await response).status));
  expect(new Set(statuses)).toEqual(new Set([503]));
  expect((await rig.ask({ path: "/healthz" })).status).toBe(200);
});

type Described = { requestBody?: { description: string } };

/** Routes that take a body of a stranger, or of a key, and the bytes that the description promises. */
async function describedLimits(rig: Rig): Promise<[path: string, bytes: number][]> {
  const document = (await (await rig.ask({ path: "/openapi.json" })).json()) as {
    paths: Record<string, { post?: Described; put?: Described }>;
  };
  return Object.entries(document.paths).flatMap(([path, { post, put }]): [string, number][] => {
    const body = (post ?? put)?.requestBody;
    if (body === undefined) return [];
    return [[path, Number(/^At most ([0-9]+) bytes/.exec(body.description)?.[1])]];
  });
}

test("each route takes as many bytes as its description says, and not one more; what a stranger may send is short", async () => {
  const rig = openRig();
  const limits = await describedLimits(rig);
  const code = async (path: string, bytes: number) => {
    const body = `{}${" ".repeat(bytes - 2)}`;
    const method = path === "/v1/heartbeat" ? "PUT" : "POST";
    const asked = { method, path: path.replace("{id}", ACCOUNTS.main), body, apiKey: KEYS.both };
    const answer = await rig.ask({ ...asked, idempotencyKey: `limit-${path}-${bytes}`.replaceAll(/[{}]/g, "") });
    return ((await answer.json()) as { error: { code: string } }).error.code;
  };
  for (const [path, bytes] of limits.filter(([path]) => !path.startsWith("/v1/setup"))) {
    // A grant with rails has many lines.
    const short = path === "/v1/api-keys/limited" ? 8_192 : 2_048;
    expect([path, bytes]).toEqual([
      path,
      /^\/v1\/(api-keys(?!\/self|\/demo)|hooks(\/\{id\}\/revoke)?$|agent-renewal|stops\/\{id\}\/resume|proposals\/\{id\}\/decide)/.test(
        path,
      )
        ? short
        : 65_536,
    ]);
    expect([path, await code(path, bytes)]).not.toEqual([path, "body_too_large"]);
    expect([path, await code(path, bytes + 1)]).toEqual([path, "body_too_large"]);
  }
  expect(limits.filter(([path, bytes]) => path.startsWith("/v1/setup") && bytes === 2_048)).toHaveLength(6);
  expect(limits.length).toBeGreaterThanOrEqual(25);
});
