// Orders that wait for a person: approved twice, late, through a stop, over a death, over a restore, by keys that have ended.
import { join } from "node:path";
import { sleep, until } from "./world.mjs";

const PROPOSER = { may: "propose" };

/** One proposal that waits: the intent. */
async function waiting(world, agent, { size = "0.001", price = "94000", side = "buy", ...more } = {}) {
  const proposed = await world.tool(agent.key, "propose_order", { market: "BTC", side, size, price, ...more });
  const intent = proposed.result?.intent;
  const asked = await world.tool(agent.key, "place", { intent });
  if (asked.outcome !== "waiting_for_approval") throw new Error(JSON.stringify([proposed, asked]));
  return intent;
}

const approve = (world, intent) => world.cli(["proposal", "approve", intent]);
const stateOf = async (world, intent) =>
  (await world.cli(["proposal", "list"])).json?.proposals?.find((one) => one.id === intent);

async function decide(world, intent, decision) {
  const proposal = (await world.api("GET", "/v1/proposals", { key: world.reader })).body.data.find(
    (one) => one.id === intent,
  );
  const signature = await world.typed("ProposalDecision", { proposal: intent, order: proposal.in_words, decision });
  return { account: world.account, decision, signature };
}

export async function approvedTwice(world, report) {
  const agent = await world.grant("agent", PROPOSER);
  const approver = await world.grant("approver", { may: "approve" });
  const intent = await waiting(world, agent);
  const body = await decide(world, intent, "approve");
  const before = world.placed().length;
  const all = await Promise.all([
    approve(world, intent),
    approve(world, intent),
    world.api("POST", `/v1/proposals/${intent}/approve`, { key: approver.key }),
    world.api("POST", `/v1/proposals/${intent}/approve`, { key: approver.key }),
    world.api("POST", `/v1/proposals/${intent}/decide`, { body }),
    world.tool(agent.key, "place", { intent }),
  ]);
  report.check("six who approve at once are one order", world.placed().length - before === 1, {
    placed: world.placed().length - before,
    all,
  });
  await sleep(62_000);
  const again = await world.api("POST", `/v1/proposals/${intent}/decide`, { body });
  report.check(
    "the same signature a minute later is the same order",
    world.placed().length - before === 1 && again.body.outcome === "order",
    again,
  );
  const refused = await waiting(world, agent, { price: "93900" });
  const yes = await decide(world, refused, "approve");
  await world.cli(["proposal", "refuse", refused]);
  const late = await world.api("POST", `/v1/proposals/${refused}/decide`, { body: yes });
  report.check("what was refused is never placed, whoever signs", world.placed().length - before === 1, late);
  report.check("and that is told", late.body.status === "refused" || late.status >= 400, late);
}

export async function throughAStop(world, report) {
  const agent = await world.grant("agent", PROPOSER);
  const before = world.placed().length;
  const during = await waiting(world, agent, { price: "93000" });
  const through = await waiting(world, agent, { price: "93100" });
  await world.cli(["stop"]);
  const refused = await approve(world, during);
  report.check("approved during a stop nothing is placed", world.placed().length === before, refused);
  report.note("approved during a stop is told as", refused.json ?? refused.err);
  await world.cli(["resume", ...world.secret()]);
  await sleep(3000);
  report.check(
    "resumed, nothing that was approved during the stop goes by itself",
    world.placed().length === before,
    world.placed(),
  );
  const asked = await world.tool(agent.key, "place", { intent: during });
  await sleep(1500);
  report.note(
    `after resume the agent places what was approved during the stop: ${world.placed().length - before} orders`,
    asked,
  );
  const count = world.placed().length;
  const late = await approve(world, through);
  report.note(
    `approved after resume, asked before the stop: ${world.placed().length - count} orders`,
    late.json ?? late.err,
  );
}

export async function priceMoved(world, report) {
  const agent = await world.grant("agent", PROPOSER);
  const mark = await world.price("BTC");
  const intent = await waiting(world, agent, { size: "0.004", price: String(Math.round(mark * 1.005)) });
  const moved = await until(async () => (await world.price("BTC")) < mark * 0.95, 90);
  report.check("the market of this scene falls", moved);
  await sleep(2000);
  const before = world.placed().length;
  const refused = await approve(world, intent);
  report.check(
    "approved when its price is beyond the distance nothing is placed",
    world.placed().length === before,
    refused,
  );
  report.note("told as", refused.json ?? refused.err);
  await until(async () => (await world.price("BTC")) > mark * 0.99, 60);
  const asked = await world.tool(agent.key, "place", { intent });
  await sleep(1000);
  report.note(`the market is back within the minute, and the agent places: ${world.placed().length - before}`, asked);
  await sleep(61_000);
  const count = world.placed().length;
  const late = await approve(world, intent);
  report.check("a minute after it was approved nothing more is placed", world.placed().length === count, late);
}

export async function keysThatEnd(world, report) {
  for (const how of [
    "narrowed",
    "narrowed to no market",
    "blocked",
    "revoked",
    "granted anew without propose",
    "expired",
  ]) {
    const bot = `agent-${how.replace(/ /g, "-")}`;
    const days = how === "expired" ? 12 / 86_400 : 30;
    const agent = await world.grant(bot, PROPOSER, { days });
    const intent = await waiting(world, agent, { size: "0.004", price: "94100" });
    if (how === "narrowed") await world.cli(["key", "narrow", agent.hash, "--max-order", "100 USD"]);
    if (how === "narrowed to no market") await world.cli(["key", "narrow", agent.hash, "--markets", "ETH"]);
    if (how === "blocked") await world.cli(["key", "block", agent.hash]);
    if (how === "revoked") {
      const signature = await world.typed("ApiKeyRevocation", { keyHash: `0x${agent.hash}` });
      const revoked = await world.cli(
        ["key", "revoke", "--key-hash", agent.hash, "--listen", `127.0.0.1:${world.port}`, "--signature", "-"],
        { input: `${signature}\n` },
      );
      if (revoked.code !== 0) report.note("revoke", revoked);
    }
    if (how.startsWith("granted")) await world.grant(bot, { may: "reduce", max_order: "100 USD" });
    if (how === "expired") await sleep(13_000);
    const before = world.placed().length;
    const answer = await approve(world, intent);
    await sleep(500);
    report.check(`approved after the key was ${how} nothing is placed`, world.placed().length === before, answer);
    report.note(`told of one whose key was ${how}`, answer.json ?? answer.err);
  }
}

export async function deathOfAnApproval(world, report) {
  const agent = await world.grant("agent", PROPOSER);
  for (const [fate, price] of [
    ["drop", "93000"],
    ["lose", "93100"],
    ["hold", "93200"],
  ]) {
    const intent = await waiting(world, agent, { price });
    const before = world.placed().length;
    world.witness.fate = ({ kind }) => {
      if (kind !== "order") return null;
      world.gateway.kill("SIGKILL");
      return fate === "hold" ? { holdMs: 1500 } : fate;
    };
    const answer = await approve(world, intent);
    await world.gateway.gone;
    world.witness.fate = null;
    await world.serve();
    const settled = await until(async () => {
      const seen = await world.tool(agent.key, "order", { intent });
      return ["unknown", "waiting_for_approval"].includes(seen.outcome) ? null : seen;
    }, 40);
    const sent = world.placed().slice(before);
    report.check(`killed as the approved order left (${fate}): it was sent once`, sent.length === 1, sent);
    const again = await approve(world, intent);
    await sleep(1000);
    report.check(`and approving it again sends none (${fate})`, world.placed().length - before === 1, again);
    report.check(
      `the operator is not told a reason of something else (${fate})`,
      !/locked/.test(answer.err),
      answer.err || answer.json,
    );
    const reason = settled?.note ?? "";
    report.check(
      `the agent is told of no refusal that there was not (${fate})`,
      fate !== "drop" || !/takes no such order/.test(reason),
      settled,
    );
    report.note(`${fate}: told`, again.json ?? again.err);
  }
}

export async function clocksAndApprovals(world, report) {
  const agent = await world.grant("agent", PROPOSER);
  for (const [offset, word] of [
    ["+2h", "ahead"],
    ["-2h", "back"],
  ]) {
    world.offset = null;
    await world.stop();
    await world.serve();
    const intent = await waiting(world, agent, { price: word === "back" ? "93300" : "93400" });
    await world.stop("SIGKILL");
    world.offset = offset;
    await world.serve({ writes: false });
    await sleep(6000);
    const before = world.placed().length;
    const answer = await approve(world, intent);
    report.note(`clock set ${word} by 2 h between asking and approving: ${world.placed().length - before} orders`, {
      told: answer.json ?? answer.err,
      state: await stateOf(world, intent),
    });
  }
}

export async function approvedAndRestored(world, report) {
  const agent = await world.grant("agent", PROPOSER);
  const intent = await waiting(world, agent, { price: "93500" });
  const later = await waiting(world, agent, { price: "93600" });
  const snapshot = join(world.root, "snapshot.db");
  await world.cli(["backup", snapshot]);
  const first = await approve(world, intent);
  const before = world.placed().length;
  report.check("approved after the backup it was placed", first.json?.outcome === "order" || before === 1, first);
  await world.cli(["proposal", "refuse", later]);
  await world.stop();
  world.data = join(world.root, "restored");
  const restored = await world.cli(["restore", snapshot]);
  report.check("restored", restored.code === 0, restored);
  const rotated = await world.cli(["agent", "rotate", ...world.secret()]);
  const signature = await world.sign(rotated.json.typed_data);
  await world.cli(
    [
      "agent",
      "approve",
      "--agent",
      rotated.json.agent,
      "--signature",
      "-",
      "--nonce",
      String(rotated.json.nonce),
      ...world.secret(),
    ],
    { input: `${signature}\n` },
  );
  await world.serve({ writes: false });
  const ready = await until(
    () =>
      fetch(`${world.base}/readyz`).then(
        (r) => r.ok,
        () => false,
      ),
    90,
  );
  report.check("writes open after the restore", ready);
  const held = await approve(world, intent);
  report.check("its key on hold, an approval places nothing", world.placed().length === before, held);
  report.note("told of one whose key is on hold", held.json ?? held.err);
  const kept = await world.cli(["key", "keep", agent.hash, "--accept-older-rails", ...world.secret()]);
  if (kept.code !== 0) report.note("keep", kept);
  const again = await approve(world, intent);
  await sleep(1500);
  report.check("approved again after a restore it is not placed a second time", world.placed().length === before, {
    told: again.json ?? again.err,
    state: await stateOf(world, intent),
  });
  report.note("told", { again: again.json ?? again.err, order: await world.tool(agent.key, "order", { intent }) });
  const undone = await approve(world, later);
  await sleep(1000);
  report.note(
    `refused after the backup, approved after the restore: ${world.placed().length - before} orders`,
    undone.json ?? undone.err,
  );
}
