// The client's side of the door: connections, bytes, numbers, keys, streams.

import { bodyOf, brief, expect, once, placedOf } from "./asks.mjs";
import { bytesOf, raw } from "./client.mjs";
import { sleep } from "./codec.mjs";
import { grant, killAndStart, revoke } from "./gateway.mjs";
import { nextKey, priceAt } from "./play.mjs";

const statusLine = (heard) => /HTTP\/1\.1 (\d+)/g[Symbol.match](heard)?.map((l) => l.slice(9)) ?? [];

/** One body over many connections at once; the same key with another body beside it; a reader that hangs up. */
async function doubled(world) {
  const { main } = world.clients;
  for (const [i, fate] of ["ok", "lost", "slow", "cutLate"].entries()) {
    world.exchange.fate = () => ({ name: fate, seconds: 4 });
    const body = bodyOf(world, main);
    const key = nextKey(world, "doubled");
    world.intend({
      client: "main",
      key,
      path: "/v1/orders",
      json: JSON.stringify(body),
      coin: "BTC",
      size: body.size,
      side: "buy",
    });
    const same = Array.from({ length: 15 }, () => main.post("/v1/orders", body, key));
    const other = [
      main.post("/v1/orders", { ...body, price: priceAt(world, "BTC", "0.91") }, key),
      main.post("/v1/orders/market", { account: main.account, market: "BTC", side: "buy", size: body.size }, key),
    ];
    const answers = await Promise.all(same);
    const others = await Promise.all(other);
    const ids = new Set(answers.map((a) => a.answer?.id).filter(Boolean));
    expect(world, "CRITICAL: one body has several orders", ids.size <= 1, {
      i,
      ids: [...ids],
      others: others.map(brief),
    });
    const taken = others.filter((o) => o.status < 300);
    expect(world, "CRITICAL: one key was taken for several bodies", taken.length === 0 || ids.size === 0, {
      i,
      taken: taken.map(brief),
    });
    world.exchange.fate = () => "ok";
    await sleep(2500);
  }
}

async function hangUps(world) {
  const { main, gateway = world.gateway } = { ...world.clients, gateway: world.gateway };
  const left = [];
  for (const [i, after] of [0, 1, 3, 10, 30, 60, 200].entries()) {
    world.exchange.fate = () => ["ok", "lost", "slow"][i % 3];
    const body = bodyOf(world, main, "SOL");
    const key = nextKey(world, "hangup");
    world.intend({
      client: "main",
      key,
      path: "/v1/orders",
      json: JSON.stringify(body),
      coin: "SOL",
      size: body.size,
      side: "buy",
    });
    await raw(
      gateway,
      bytesOf(world, main, "POST /v1/orders", { body, headers: { "Idempotency-Key": key } }),
      1500,
      after,
    );
    left.push({ body, key });
  }
  world.exchange.fate = () => "ok";
  await sleep(2000);
  for (const { body, key } of left) {
    const entry = await main.post("/v1/orders", body, key);
    expect(world, "a repeat after hanging up is not answered", entry.status >= 200 && entry.status < 300, brief(entry));
    const listed = await main.get(`/v1/orders?idempotency_key=${key}`);
    expect(world, "an order is not found by its key", listed.answer?.data?.length === 1, brief(listed));
  }
}

/** Several requests on one connection before an answer; `Expect`; half a body; a doubled header. */
async function pipelined(world) {
  const { main } = world.clients;
  const { gateway } = world;
  const bodies = [0, 1, 2].map(() => bodyOf(world, main, "ETH"));
  const keys = bodies.map(() => nextKey(world, "piped"));
  const requests = bodies.map((body, i) =>
    bytesOf(world, main, "POST /v1/orders", { body, headers: { "Idempotency-Key": keys[i] } }),
  );
  await raw(gateway, requests.join(""), 3000);
  for (const [i, body] of bodies.entries()) {
    const entry = await main.post("/v1/orders", body, keys[i]);
    expect(world, "CRITICAL: piped", entry.status < 300 && placedOf(world, main, "ETH", body.size).length === 1, {
      placed: placedOf(world, main, "ETH", body.size).length,
      ...brief(entry),
    });
  }
  const waits = bodyOf(world, main, "ETH");
  const key = nextKey(world, "expect");
  const heard = await raw(
    gateway,
    bytesOf(world, main, "POST /v1/orders", {
      body: waits,
      headers: { "Idempotency-Key": key, Expect: "100-continue" },
    }),
    3000,
  );
  expect(world, "soft: Expect: 100-continue", /HTTP\/1\.1 201/.test(heard), { id: heard.slice(0, 300) });
  const half = bodyOf(world, main, "ETH");
  const halfBytes = bytesOf(world, main, "POST /v1/orders", {
    body: half,
    headers: { "Idempotency-Key": nextKey(world, "half") },
  });
  await raw(gateway, halfBytes.slice(0, -5), 1000, 500);
  expect(world, "CRITICAL: half a body was placed", placedOf(world, main, "ETH", half.size).length === 0, {
    id: half.size,
  });
  const chunked = bodyOf(world, main, "ETH");
  const text = JSON.stringify(chunked);
  const chunks = [
    `${bytesOf(world, main, "POST /v1/orders", { headers: { "Content-Type": "application/json", "Transfer-Encoding": "chunked", "Idempotency-Key": nextKey(world, "chunked") } })}${(10).toString(16)}\r\n${text.slice(0, 10)}\r\n`,
    `${(text.length - 10).toString(16)}\r\n${text.slice(10)}\r\n0\r\n\r\n`,
  ];
  const answer = await raw(gateway, chunks, 3000);
  expect(world, "soft: a chunked body", /HTTP\/1\.1 201/.test(answer), { id: answer.slice(0, 300) });
  const two = await raw(
    gateway,
    bytesOf(world, main, "POST /v1/orders", {
      body: bodyOf(world, main, "ETH"),
      headers: {
        "Idempotency-Key": `${nextKey(world, "two")}\r\nIdempotency-Key: ${nextKey(world, "two")}`,
      },
    }),
    3000,
  );
  expect(world, "CRITICAL: two keys in one request", /HTTP\/1\.1 400/.test(two), { id: two.slice(0, 300) });
}

/** A key revoked while its orders are under way; another one of the account goes on. */
async function revoked(world) {
  const { gateway } = world;
  const { main } = world.clients;
  const second = await grant(gateway, main.account);
  const client = { ...main, name: "main" };
  const old = gateway.keys.main;
  world.exchange.fate = () => ({ name: "slow", seconds: 3 });
  const bodies = [0, 1, 2, 3].map(() => bodyOf(world, main, "SOL"));
  const keys = bodies.map(() => nextKey(world, "revoked"));
  const under = bodies.map((body, i) => {
    world.intend({
      client: "main",
      key: keys[i],
      path: "/v1/orders",
      json: JSON.stringify(body),
      coin: "SOL",
      size: body.size,
      side: "buy",
    });
    return client.post("/v1/orders", body, keys[i]);
  });
  await sleep(400);
  const status = await revoke(gateway, old);
  const answers = await Promise.all(under);
  world.exchange.fate = () => "ok";
  expect(world, "revoked", status === 200, { id: status });
  const after = await client.post("/v1/orders", bodies[0], keys[0]);
  expect(world, "CRITICAL: a revoked key is answered", after.status === 401, brief(after));
  main.key = second.key;
  for (const [i, body] of bodies.entries()) {
    const entry = await main.post("/v1/orders", body, keys[i]);
    const placed = placedOf(world, main, "SOL", body.size).length;
    expect(world, "CRITICAL: the other key of the account tells what became of it", entry.status < 300 && placed <= 1, {
      placed,
      first: answers[i].status,
      ...brief(entry),
    });
  }
}

/** Limits: what is refused with 429 has placed nothing, and passes after its `Retry-After`. */
async function limits(world) {
  const { subaccount } = world.clients;
  const bodies = Array.from({ length: 70 }, () => bodyOf(world, subaccount, "DOGE"));
  const keys = bodies.map((body) => {
    const key = nextKey(world, "limits");
    world.intend({
      client: "subaccount",
      key,
      path: "/v1/orders",
      json: JSON.stringify(body),
      coin: "DOGE",
      size: body.size,
      side: "buy",
    });
    return key;
  });
  const answers = await Promise.all(bodies.map((body, i) => subaccount.post("/v1/orders", body, keys[i])));
  const refused = answers.map((a, i) => [a, i]).filter(([a]) => a.status === 429);
  expect(world, "soft: nothing was limited", refused.length > 0, { id: answers.map((a) => a.status).join(" ") });
  for (const [a, i] of refused.slice(0, 12)) {
    expect(world, "429 without Retry-After", a.retryAfter >= 1, brief(a));
    expect(
      world,
      "CRITICAL: limited, and placed",
      placedOf(world, subaccount, "DOGE", bodies[i].size).length === 0,
      brief(a),
    );
    await sleep(a.retryAfter * 1000);
    const again = await subaccount.post("/v1/orders", bodies[i], keys[i]);
    expect(world, "soft: waiting as told is not enough", again.status === 201 || again.status === 202, {
      waited: a.retryAfter,
      ...brief(again),
    });
  }
}

/** The stream from its middle, from far behind, and over a kill: the same events in the same order. */
async function streams(world) {
  const { main } = world.clients;
  for (let i = 0; i < 6; i++) await once(world, main, ["BTC", i % 2 ? "sell" : "buy", i % 2 ? "1.1" : "0.9"]);
  await once(world, main, ["@107", "buy", "1.01"], { time_in_force: "ioc" });
  await sleep(3000);
  const mine = () =>
    world.events.filter((e) => e.client === "main" && !["ready", "reset"].includes(e.type)).map((e) => e.id);
  const before = mine();
  const resume = async (after, header = "Last-Event-ID", ms = 2500) => {
    const heard = await raw(
      world.gateway,
      bytesOf(world, main, `GET ${header === "after" ? `/v1/events?after=${after}` : "/v1/events"}`, {
        headers: header === "after" ? {} : { [header]: after },
      }),
      ms,
    );
    return {
      heard,
      ids: [...heard.matchAll(/^id: ?(\d+)\r?\nevent: ?(\S+)/gm)]
        .filter((m) => !["ready", "reset"].includes(m[2]))
        .map((m) => m[1]),
      isReset: /event: ?reset/.test(heard),
    };
  };
  for (const [place, header] of [
    [0, "Last-Event-ID"],
    [Math.floor(before.length / 2), "Last-Event-ID"],
    [Math.floor(before.length / 2), "after"],
    [before.length - 1, "after"],
  ]) {
    const got = await resume(before[place], header);
    const wanted = before.slice(place + 1);
    expect(world, "CRITICAL: events left out", wanted.every((id) => got.ids.includes(id)) && !got.isReset, {
      id: `${header} ${place}`,
      wanted,
      got: got.ids,
    });
    expect(
      world,
      "events out of order",
      got.ids.every((id, i) => i === 0 || BigInt(id) > BigInt(got.ids[i - 1])),
      { id: `${header} ${place}`, got: got.ids },
    );
  }
  for (const odd of ["0", "1", "99999999999999999999", "abc", "-5", "1e3", "18446744073709551616"]) {
    const got = await resume(odd);
    expect(
      world,
      "soft: a place that nobody has had",
      got.isReset || statusLine(got.heard)[0] === "400" || (got.ids.length >= 0 && odd.length < 3),
      { id: odd, heard: got.heard.slice(0, 300) },
    );
  }
  await killAndStart(world.gateway);
  await sleep(1500);
  await main.surely("/v1/status");
  const over = await resume(before[0], "Last-Event-ID", 9000);
  const lost = before.slice(1).filter((id) => !over.ids.includes(id));
  expect(world, "CRITICAL: events left out over a kill", lost.length === 0 || over.isReset, {
    id: "kill",
    heard: over.heard.slice(0, 200),
    lost,
    got: over.ids.length,
    isReset: over.isReset,
  });
}

export const DOOR_SCENES = { doubled, hangUps, pipelined, revoked, limits, streams };
