// One venue, its door and a gateway.
import { randomBytes } from "node:crypto";
import { cpSync, mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { privateKeyToAccount } from "viem/accounts";
import { Door } from "./door.mjs";
import { Gateway, pause } from "./gateway.mjs";
import { Venue } from "./venue.mjs";

// Set up once for all scenes of a run: a directory that was made and approved, copied for each.
let made;
const running = new Set();

/** Of scenes that broke off. */
export async function endAll() {
  for (const w of running) await w.end();
}

async function setUp(binary, owner) {
  const venue = new Venue();
  const door = new Door(venue);
  await door.open();
  venue.user = owner.address.toLowerCase();
  const gateway = new Gateway(binary, door.url, owner);
  const told = await gateway.init();
  venue.agent = told.agent.toLowerCase();
  venue.agentName = told.agent_name;
  await gateway.approve();
  const copy = mkdtempSync(join(tmpdir(), "twelfth-made-"));
  cpSync(gateway.data, copy, { recursive: true });
  const { port } = new URL(door.url);
  door.close();
  await gateway.end();
  return { told, owner, copy, port: Number(port) };
}

export async function world(binary, { env, before } = {}) {
  made ??= await setUp(binary, privateKeyToAccount(`0x${randomBytes(32).toString("hex")}`));
  const venue = new Venue();
  const door = new Door(venue);
  await door.open(made.port);
  venue.user = made.owner.address.toLowerCase();
  venue.agent = made.told.agent.toLowerCase();
  venue.agentName = made.told.agent_name;
  const gateway = new Gateway(binary, door.url, made.owner, env);
  cpSync(made.copy, gateway.data, { recursive: true });
  gateway.made = made.told;
  before?.({ venue, door, gateway });
  if (!(await gateway.start()))
    console.log("  not ready after 30 s", await (await fetch(`${gateway.url}/readyz`)).text());
  await gateway.key(made.told.account);
  gateway.listen();
  await pause(3500);
  const w = { venue, door, gateway, findings: [] };
  w.end = async () => {
    running.delete(w);
    await gateway.end();
    door.close();
  };
  running.add(w);
  return w;
}

/** Asks after an order until it is known, or the time is over. */
export async function settled(gateway, id, ms = 60000) {
  const until = Date.now() + ms;
  for (;;) {
    const row = await gateway.get(`/v1/orders/${id}`);
    if ((row.status === 200 && !["unknown", "processing"].includes(row.body.status)) || Date.now() > until) return row;
    await pause(1500);
  }
}

/** Asks after an operation until it is known, or the time is over. */
export async function operated(gateway, id, ms = 60000) {
  const until = Date.now() + ms;
  for (;;) {
    const row = await gateway.get(`/v1/operations/${id}`);
    if ((row.status === 200 && !["unknown", "processing"].includes(row.body.status)) || Date.now() > until) return row;
    await pause(1500);
  }
}
