// Waits until nothing is open any more, then asks for everything that can be asked: the last word on each thing.
import { sleep } from "./server.mjs";

export async function settle(world, { withinMs = 60_000, keys = [world.key] } = {}) {
  const { tape } = world;
  const isOpen = ({ status }) => status === "processing" || status === "unknown";
  for (const until = Date.now() + withinMs; Date.now() < until; await sleep(2_000)) {
    const orders = await pages(world, keys[0], "/v1/orders");
    const operations = await pages(world, keys[0], "/v1/operations");
    if (orders && operations && ![...orders, ...operations].some(isOpen)) break;
  }
  await sleep(3_000);
  const stories = new Map();
  for (const order of (await pages(world, keys[0], "/v1/orders")) ?? []) {
    await patient(world, keys[0], `/v1/orders/${order.id}`);
    const story = await patient(world, keys[0], `/v1/orders/${order.id}/story`);
    if (story.status === 200) stories.set(order.id, story.answer);
  }
  for (const route of [
    "/v1/trades",
    "/v1/fills",
    "/v1/operations",
    "/v1/positions",
    "/v1/twaps",
    "/v1/stops",
    "/v1/orders?status=open",
  ])
    await pages(world, keys[0], route);
  for (const [list, object] of [
    ["orders", "order"],
    ["fills", "fill"],
  ])
    await exported(world, keys[0], list, object);
  await sleep(500);
  return { stories, tape };
}

// An export is one more list: its rows are told as well, and are judged as such.
async function exported({ gateway, tape }, key, list, object) {
  const route = `/v1/exports/${list}.jsonl`;
  const sentAt = Date.now();
  const answer = await fetch(gateway.url + route, { headers: { authorization: `Bearer ${key.text}` } });
  const text = await answer.text();
  const rows =
    answer.status === 200
      ? text
          .split("\n")
          .filter(Boolean)
          .map((line) => ({ ...JSON.parse(line), object }))
      : [];
  tape.told.push({
    kind: "answer",
    sentAt,
    at: Date.now(),
    method: "GET",
    route,
    status: answer.status,
    answer: rows,
    asOf: null,
  });
}

export async function patient(world, key, route) {
  for (let k = 0; ; k++) {
    const row = await world.tape.get(key, route);
    if ((row.status !== 429 && row.status !== 503 && row.status !== 0) || k >= 25) return row;
    await sleep(Math.min(4_000, Math.max(400, row.retryAfter * 1000)));
  }
}

export async function pages(world, key, route) {
  const rows = [];
  for (let cursor; ; ) {
    const join = route.includes("?") ? "&" : "?";
    const row = await patient(
      world,
      key,
      `${route}${join}limit=500${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`.replace(
        route === "/v1/stops" ? /\?limit=500.*/ : /$^/,
        "",
      ),
    );
    if (row.status !== 200) return undefined;
    rows.push(...row.answer.data);
    if (!row.answer.has_more) return rows;
    cursor = row.answer.next_cursor;
  }
}
