/** What a key may do changes without the page: it reads the keys again at the event that says so, whichever screen is open. */
import { afterEach, expect, test } from "bun:test";
import { join } from "node:path";
import { answering, asked, forget, settled, signedIn } from "./stage.ts";

/** The page's own code is checked against a browser's types, which are not this project's: taken in by its path. */
const LIVE = join(import.meta.dir, "../../src/console/state/live.ts");
type Live = { startLive: (app: object) => void; stopLive: (app: object) => void };
const { startLive, stopLive } = (await import(LIVE)) as Live;

afterEach(() => {
  Reflect.deleteProperty(globalThis, "document");
  forget();
});

const KEYS_PATH = "/v1/api-keys?state=all";

test.each([
  ["key.narrowed", { object: "rail_narrowing", bot: "grid-1" }, 1],
  ["key.blocked", { object: "api_key" }, 1],
  ["rail.tripped", { object: "rail_trip", bot: "grid-1", cause: "loss", cleared_at: null, until: "" }, 1],
  ["rail.tripped", { object: "rail_trip", bot: "grid-1", cause: "loss", cleared_at: "now", until: "" }, 1],
  ["rail.refused", { object: "rail_refusal", bot: "grid-1" }, 0],
])("at %s %j", async (type, data, readings) => {
  const stream = new TransformStream<Uint8Array, Uint8Array>();
  const writer = stream.writable.getWriter();
  const body = new Response(stream.readable);
  answering({ "/v1/events": body, [KEYS_PATH]: { data: [] } });
  Object.assign(globalThis, { document: { hidden: false } });
  const app = signedIn("settings");
  startLive(app);
  for (let turn = 0; turn < 5; turn += 1) await settled();
  const before = asked.filter((path) => path === KEYS_PATH).length;
  await writer.write(new TextEncoder().encode(`id: 7\nevent: ${type}\ndata: ${JSON.stringify({ type, data })}\n\n`));
  await settled();
  expect(asked.filter((path) => path === KEYS_PATH).length - before).toBe(readings);
  stopLive(app);
});
