// What an agent asks for, what the owner signs, and what a chart sends: twice, late, mixed up, across kills.
import { spawn } from "node:child_process";
import { d, plain } from "../decimal.mjs";
import { pause, run } from "../house.mjs";
import { signTyped } from "../owner.mjs";
import { behind, finish, rich, sluggish } from "./races.mjs";

export async function tool(h, key, name, args) {
  const r = await fetch(`${h.url}/mcp`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${key}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/call", params: { name, arguments: args } }),
  });
  const text = await r.text();
  h.said.push({ t0: Date.now(), t1: Date.now(), method: "TOOL", path: name, status: r.status, text, json: null });
  try {
    return JSON.parse(text).result.structuredContent;
  } catch {
    return { outcome: `none: ${text.slice(0, 200)}` };
  }
}
async function decide(h, id, words, decision) {
  const typed = await fetch(`${h.url}/v1/api-keys/typed-data`).then((r) => r.json());
  const example =
    typed.examples.find((e) => e.primary_type === "ProposalDecision" || e.primaryType === "ProposalDecision") ?? {};
  const message = {};
  for (const { name } of typed.types.ProposalDecision) {
    const values = {
      audience: typed.audience,
      account: h.account,
      proposal: id,
      intent: id,
      id,
      order: words,
      words,
      inWords: words,
      decision,
      network: example.message?.network,
    };
    message[name] = values[name];
  }
  const signature = signTyped(h.secret, {
    domain: typed.domain,
    types: { ProposalDecision: typed.types.ProposalDecision },
    primaryType: "ProposalDecision",
    message,
  });
  return h.post(`/v1/proposals/${id}/decide`, { account: h.account, decision, signature });
}
function placed(h) {
  return [...h.x.orders.values()].filter((o) => o.cloid).length;
}
async function proposals(h, say) {
  const agent = await h.newKey([
    "--bot",
    "agent",
    "--may",
    "propose,cancel",
    "--markets",
    "any",
    "--max-distance",
    "any",
  ]);
  behind(h, 1500, 100);
  const ask = async (price, more = {}) => {
    const p = await tool(h, agent, "propose_order", { market: "ETH", side: "buy", size: "0.1", price, ...more });
    const intent = p.result?.intent;
    const first = await tool(h, agent, "place", { intent });
    const second = await tool(h, agent, "place", { intent });
    if (first.outcome !== "waiting_for_approval" || second.outcome !== "waiting_for_approval")
      say(`place: ${JSON.stringify(first).slice(0, 300)} ${second.outcome}`);
    const list = (await h.get("/v1/proposals")).json;
    return (list.data ?? []).find((r) => r.id === intent);
  };
  // Twice, and both at once.
  const one = await ask("2401");
  if (!one) return say(`no proposal: ${(await h.get("/v1/proposals")).text.slice(0, 300)}`);
  const both = await Promise.all([
    decide(h, one.id, one.in_words, "approve"),
    decide(h, one.id, one.in_words, "approve"),
    decide(h, one.id, one.in_words, "refuse"),
  ]);
  h.notes.push(
    `twice: ${both.map((b) => `${b.status} ${b.json?.status ?? b.json?.proposal?.status ?? b.json?.error?.code}`)}`,
  );
  await pause(1500);
  if (placed(h) > 1) say(`approved twice, ${placed(h)} orders`);
  // Words that were not shown, and another decision than was signed.
  const two = await ask("2402");
  const before = placed(h);
  const forged = await decide(h, two.id, two.in_words.replace("0.1", "9.9"), "approve");
  if (forged.status < 400 || placed(h) !== before) say(`other words: ${forged.status} ${forged.text.slice(0, 200)}`);
  // After a kill, with the answer of the exchange lost.
  await h.kill();
  await h.start();
  await h.ready();
  await h.follow();
  h.x.after = async (body) => (body.action.type === "order" ? "lose" : undefined);
  const lost = await decide(h, two.id, two.in_words, "approve");
  h.x.after = null;
  const again = await decide(h, two.id, two.in_words, "approve");
  h.notes.push(`lost: ${lost.status} ${lost.text.slice(0, 200)}`, `again: ${again.status} ${again.text.slice(0, 120)}`);
  await pause(1500);
  if (placed(h) !== before + 1) say(`after a kill: ${placed(h) - before} orders`);
  await fresh(h, say, ask, agent);
  await finish(h, say);
}
async function fresh(h, say, ask, agent) {
  // Once what became of the lost one is known: the price moves between, then the key is blocked before the approval.
  await h.until("settled", async () => (await h.get("/v1/status")).json.unknown_orders?.count === 0, 20);
  const three = await ask("2403");
  if (!three) return say("no third proposal");
  h.x.setMid("ETH", "2300");
  const before = placed(h);
  await run(["key", "block", h.keys[agent].hash, "--data-dir", h.dir]);
  const late = await decide(h, three.id, three.in_words, "approve");
  await pause(1500);
  h.notes.push(`blocked: ${late.status} ${late.text.slice(0, 300)}`);
  if (placed(h) !== before) say(`approved after its key was blocked, and placed: ${late.text.slice(0, 300)}`);
  if (late.json?.order_id && placed(h) === before)
    say(`told with an order that there is not: ${late.text.slice(0, 200)}`);
}
async function agents(h, say) {
  const agent = await h.newKey([
    "--bot",
    "agent",
    "--markets",
    "any",
    "--max-distance",
    "any",
    "--max-open-orders",
    "any",
  ]);
  behind(h, 2500, 200);
  sluggish(h, 300, 0.25);
  for (let i = 0; i < 5; i++) {
    const before = placed(h);
    const want = {
      market: ["ETH", "BTC"][i % 2],
      side: "buy",
      size: i % 2 ? "0.001" : "0.01",
      price: i % 2 ? "61000" : `24${10 + i}`,
    };
    const proposed = await Promise.all(
      [0, 1, 2].map((k) => tool(h, agent, "propose_order", { ...want, size: k ? `${want.size}0` : want.size })),
    );
    const intents = new Set(proposed.map((p) => p.result?.intent));
    if (intents.size !== 1)
      say(`one proposal three times: ${intents.size} intents ${JSON.stringify(proposed[0]).slice(0, 300)}`);
    const intent = proposed[0].result?.intent;
    const results = await Promise.all(Array.from({ length: 8 }, () => tool(h, agent, "place", { intent })));
    const after = await tool(h, agent, "order", { intent });
    h.notes.push(
      `${results.map((r) => r.outcome)} then ${after.outcome} ${after.outcome === "rejected" ? after.note : ""}`,
    );
    await pause(2500);
    if (placed(h) - before > 1) say(`one intent, ${placed(h) - before} orders`);
    if (
      [...results, after].some((r) => ["not_placed", "not_yet_placed"].includes(r.outcome)) &&
      placed(h) > before &&
      after.outcome.startsWith("not")
    )
      say(`${after.outcome} is told and it was placed`);
    if (i === 2) {
      await h.kill();
      await h.start();
      await h.ready();
    }
    const once = await tool(h, agent, "place", { intent });
    await pause(500);
    if (placed(h) - before > 1) say(`placed again after a kill: ${once.outcome}`);
  }
  await finish(h, say);
}
async function hooks(h, say) {
  const key = await h.newKey([
    "--bot",
    "chart",
    "--markets",
    "any",
    "--max-distance",
    "any",
    "--max-order",
    "any",
    "--max-position",
    "any",
    "--max-exposure",
    "any",
    "--max-turnover-per-day",
    "any",
  ]);
  const made = await run([
    "hook",
    "create",
    "--key-hash",
    h.keys[key].hash,
    "--name",
    "chart",
    "--mode",
    "target",
    "--market",
    "ETH",
    "--sources",
    "127.0.0.0/8",
    "--public-url",
    "http://127.0.0.1:9",
    "--passphrase-file",
    h.pass,
    "--data-dir",
    h.dir,
    "--json",
  ]);
  if (made.code !== 0) return say(`hook: ${made.out}${made.err}`);
  const path = /\/hooks\/[A-Za-z0-9_-]+/.exec(made.out)?.[0];
  behind(h, 1500, 100);
  const t = Date.now();
  const alert = (target, at) => ({
    text: JSON.stringify({ target, time: new Date(at).toISOString().replace(/\.\d+/, "") }),
  });
  const list = [
    ["0.5", t - 9000],
    ["-0.2", t - 6000],
    ["0.3", t - 3000],
    ["0.1", t - 20_000],
  ].map(([a, b]) => alert(a, b));
  const sends = [];
  for (let round = 0; round < 4; round++)
    for (const a of [...list].sort(() => h.x.rnd() - 0.5))
      sends.push(
        fetch(`http://127.0.0.1:${h.options.hooksPort}${path}`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: a.text,
        }).then((r) => r.status, String),
      );
  h.notes.push(`sent: ${await Promise.all(sends)}`);
  await h.until("there", () => plain(h.x.holding("ETH").szi) === "0.3", 15);
  await pause(3000);
  if (plain(h.x.holding("ETH").szi) !== "0.3")
    say(
      `the newest target is 0.3, held ${plain(h.x.holding("ETH").szi)}: ${(await run(["hook", "deliveries", "chart", "--data-dir", h.dir, "--json"])).out.slice(0, 2600)}`,
    );
  h.notes.push(`fills ${h.x.fills.map((f) => `${new Date(f.t).toISOString().slice(14)} ${f.row.side} ${f.row.sz}`)}`);
  const turned = h.x.fills.length;
  for (const a of list)
    await fetch(`http://127.0.0.1:${h.options.hooksPort}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: a.text,
    });
  await pause(2500);
  if (h.x.fills.length !== turned) say("a replayed alert traded again");
  await finish(h, say);
}
const hooksPort = 20000 + (process.pid % 20000);
export const scenes = {
  proposals: {
    about: "approvals signed twice, with other words, after a kill, for a blocked key",
    before: rich,
    play: proposals,
    slack: 5000,
  },
  agents: {
    about: "an agent proposes and places the same thing many times, answers lost, across a kill",
    before: rich,
    play: agents,
    slack: 6000,
  },
  hooks: {
    about: "alerts of a chart doubled, mixed up and replayed",
    before: rich,
    play: hooks,
    slack: 5000,
    options: { hooksPort, env: { POSTERN_HOOKS_LISTEN: `127.0.0.1:${hooksPort}` } },
  },
};
export { d, spawn };
